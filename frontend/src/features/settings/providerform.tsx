import { useState } from "react";
import type { Problem, Provider } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";

interface ProviderFormProps {
  provider: Provider;
  onClose: () => void;
}

const kinds = [
  { kind: "openai", label: "OpenAI, or a server that speaks its protocol", url: "http://127.0.0.1:11434/v1" },
  { kind: "anthropic", label: "Anthropic", url: "https://api.anthropic.com" },
];

const fields: {
  name: "id" | "base_url" | "model" | "api_key_env" | "api_key_secret";
  label: string;
  note: string;
  placeholder: string;
}[] = [
  { name: "id", label: "Name", note: "how goals refer to it", placeholder: "local" },
  {
    name: "base_url",
    label: "Base URL",
    note: "",
    placeholder: "",
  },
  { name: "model", label: "Model", note: "", placeholder: "qwen3-coder" },
  {
    name: "api_key_env",
    label: "Environment variable of the key",
    note: "the key itself is never stored; empty if none is needed",
    placeholder: "OPENAI_API_KEY",
  },
  { name: "api_key_secret", label: "Or the secret that is the key", note: "one of the secrets below", placeholder: "" },
];

/** One provider. Go says which field is wrong. */
export function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(provider);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const isNew = provider.id === "";
  const known = problem?.field === "kind" || fields.some((f) => f.name === problem?.field);
  const base = kinds.find((k) => k.kind === draft.kind)?.url ?? "";

  const save = async () => {
    if (busy) return;
    setBusy(true);
    const wrong = await app.saveProvider(draft);
    setBusy(false);
    setProblem(wrong);
    if (!wrong) onClose();
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? "Add a provider" : `Provider ${provider.id}`}
      className="w-[480px]"
      testid="provider-form"
      description="Where a model is reached"
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.target instanceof HTMLInputElement) void save();
      }}
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="provider-save" disabled={busy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field
          label="Protocol"
          name="provider-kind"
          error={problem?.field === "kind" ? problem.message : undefined}
          hint={problem?.field === "kind" ? problem.hint : undefined}
        >
          {(c) => (
            <select
              {...c}
              data-testid="provider-kind"
              className="field"
              value={draft.kind}
              onChange={(e) => setDraft({ ...draft, kind: e.target.value })}
            >
              {kinds.map((k) => (
                <option key={k.kind} value={k.kind}>
                  {k.label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {fields.map((f) => (
          <Field
            key={f.name}
            label={f.label}
            name={`provider-${f.name}`}
            note={f.note}
            error={problem?.field === f.name ? problem.message : undefined}
            hint={problem?.field === f.name ? problem.hint : undefined}
          >
            {(c) => (
              <input
                {...c}
                data-testid={`provider-${f.name}`}
                spellCheck={false}
                autoComplete="off"
                disabled={f.name === "id" && !isNew}
                placeholder={f.name === "base_url" ? base : f.placeholder}
                className="field disabled:opacity-50"
                value={draft[f.name]}
                onChange={(e) => setDraft({ ...draft, [f.name]: e.target.value })}
              />
            )}
          </Field>
        ))}
        {problem && !known ? (
          <p role="alert" className="text-xs text-bad">
            {problem.message} <span className="text-t2">{problem.hint}</span>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
