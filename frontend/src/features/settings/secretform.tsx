import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem } from "@/bridge/types";
import type { App } from "@/store/app";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";

export type SecretKind = "secret" | "login" | "unlock" | "passphrase";

interface FormField {
  /** As Go names the field in a refusal. */
  name: string;
  label: string;
  note?: string;
  secret?: boolean;
}

interface FormWords {
  title: string;
  description: string;
  yes: string;
  fields: readonly FormField[];
  save: (app: App, v: Record<string, string>) => Promise<unknown>;
}

const forms: Record<SecretKind, FormWords> = {
  secret: {
    title: "Add a secret",
    description: "A goal writes its name, and never sees its value",
    yes: "Keep it",
    fields: [
      { name: "name", label: "Name", note: "goals refer to it" },
      { name: "value", label: "Value", secret: true },
      { name: "hosts", label: "Only for these hosts", note: "empty: not bound" },
    ],
    save: (app, v) =>
      app.bridge.call("SecretAPI.Set", {
        name: (v.name ?? "").trim(),
        value: v.value ?? "",
        hosts: (v.hosts ?? "").split(/[\s,]+/).filter(Boolean),
      }),
  },
  login: {
    title: "Add a login",
    description: "It is filled in on pages of exactly this origin",
    yes: "Keep it",
    fields: [
      { name: "origin", label: "Origin", note: "such as https://example.org" },
      { name: "user", label: "User" },
      { name: "password", label: "Password", secret: true },
    ],
    save: (app, v) =>
      app.bridge.call("SecretAPI.SaveLogin", {
        origin: v.origin ?? "",
        user: v.user ?? "",
        password: v.password ?? "",
      }),
  },
  unlock: {
    title: "Unlock the secrets",
    description: "They stay open until Goalpost is closed",
    yes: "Unlock",
    fields: [{ name: "passphrase", label: "Passphrase", secret: true }],
    save: (app, v) => app.bridge.call("SecretAPI.Unlock", v.passphrase ?? ""),
  },
  passphrase: {
    title: "Passphrase of the secrets",
    description: "It is asked for after each start; nobody can bring it back if it is lost",
    yes: "Set it",
    fields: [
      { name: "passphrase", label: "New passphrase", note: "10 characters or more; empty takes it off", secret: true },
    ],
    save: (app, v) => app.bridge.call("SecretAPI.Protect", v.passphrase ?? ""),
  },
};

interface SecretFormProps {
  kind: SecretKind;
  onClose: () => void;
  onSaved: () => void;
}

/** One secret on its way in. Go says which field is wrong. */
export function SecretForm({ kind, onClose, onSaved }: SecretFormProps) {
  const app = useApp();
  const words = forms[kind];
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const known = words.fields.some((f) => f.name === problem?.field);

  const save = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await words.save(app, values);
      onSaved();
    } catch (reason) {
      setProblem(asProblem(reason));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title={words.title}
      className="w-[440px]"
      testid="secret-form"
      description={words.description}
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.target instanceof HTMLInputElement) void save();
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-t3">{words.description}</span>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="secret-save" disabled={busy} onClick={() => void save()}>
            {words.yes}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {words.fields.map((f) => (
          <Field
            key={f.name}
            label={f.label}
            name={`secret-${f.name}`}
            note={f.note}
            error={problem?.field === f.name ? problem.message : undefined}
            hint={problem?.field === f.name ? problem.hint : undefined}
          >
            {(c) => (
              <input
                {...c}
                data-testid={`secret-${f.name}`}
                type={f.secret ? "password" : "text"}
                autoComplete={f.secret ? "new-password" : "off"}
                spellCheck={false}
                className="field"
                value={values[f.name] ?? ""}
                onChange={(e) => {
                  setValues({ ...values, [f.name]: e.target.value });
                  setProblem(null);
                }}
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
