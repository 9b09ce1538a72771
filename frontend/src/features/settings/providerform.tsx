import { useState } from "react";
import type { Provider } from "@/bridge/types";
import { useApp } from "@/store/context";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { Select } from "@/ui/input";

interface ProviderFormProps {
  provider: Provider;
  onClose: () => void;
}

const kinds = [
  { kind: "openai", label: "OpenAI or compatible", url: "http://127.0.0.1:11434/v1" },
  { kind: "anthropic", label: "Anthropic", url: "https://api.anthropic.com" },
];

const fields: {
  name: "id" | "base_url" | "model" | "api_key_env" | "api_key_secret";
  label: string;
  note: string;
  placeholder: string;
}[] = [
  { name: "id", label: "Display name", note: "", placeholder: "local" },
  {
    name: "base_url",
    label: "Base URL",
    note: "",
    placeholder: "",
  },
  { name: "model", label: "Model", note: "", placeholder: "qwen3-coder" },
  {
    name: "api_key_env",
    label: "API key environment variable",
    note: "the key is never stored; leave empty if none is needed",
    placeholder: "OPENAI_API_KEY",
  },
  { name: "api_key_secret", label: "Or a stored secret", note: "name of a secret below", placeholder: "" },
];

/** One provider. Go says which field is wrong. */
export function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(provider);
  const isNew = provider.id === "";
  const base = kinds.find((k) => k.kind === draft.kind)?.url ?? "";

  return (
    <FormDialog
      name="provider"
      title={isNew ? "Add a provider" : `Provider ${provider.id}`}
      description="Connect a model provider"
      fields={["kind", ...fields.map((f) => f.name)]}
      save={() => app.providers.save(draft)}
      onClose={onClose}
      onSaved={onClose}
    >
      <FormField name="kind" label="Protocol">
        {(c) => (
          <Select {...c} value={draft.kind} onChange={(e) => setDraft({ ...draft, kind: e.target.value })}>
            {kinds.map((k) => (
              <option key={k.kind} value={k.kind}>
                {k.label}
              </option>
            ))}
          </Select>
        )}
      </FormField>
      {fields.map((f) => (
        <FormInput
          key={f.name}
          {...f}
          placeholder={f.name === "base_url" ? base : f.placeholder}
          disabled={f.name === "id" && !isNew}
          value={draft[f.name]}
          onChange={(v) => setDraft({ ...draft, [f.name]: v })}
        />
      ))}
    </FormDialog>
  );
}
