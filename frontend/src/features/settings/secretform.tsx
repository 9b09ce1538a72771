import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { LoginView } from "@/bridge/types";
import type { App } from "@/store/app";
import { useApp } from "@/store/context";
import { FormDialog, FormInput } from "@/ui/form";

export type SecretKind = "secret" | "login" | "change" | "unlock" | "passphrase";

interface FormField {
  /** Go's name of the field in an error. */
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
  save: (app: App, v: Record<string, string>, login: LoginView) => Promise<unknown>;
}

const forms: Record<SecretKind, FormWords> = {
  secret: {
    title: "Add a secret",
    description: "Goals reference it by name and never see the value",
    yes: "Save",
    fields: [
      { name: "name", label: "Name", note: "used in {{secret:NAME}}" },
      { name: "value", label: "Value", secret: true },
      { name: "hosts", label: "Only for these hosts", note: "leave empty for any host" },
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
    description: "Autofilled only on pages of this origin",
    yes: "Save",
    fields: [
      { name: "origin", label: "Origin", note: "for example https://example.org" },
      { name: "user", label: "User name" },
      { name: "password", label: "Password", secret: true },
    ],
    save: (app, v) =>
      app.bridge.call("SecretAPI.SaveLogin", {
        origin: v.origin ?? "",
        user: v.user ?? "",
        password: v.password ?? "",
      }),
  },
  change: {
    title: "Change the login",
    description: "Goalpost never shows the password",
    yes: "Save",
    fields: [
      { name: "user", label: "User name" },
      { name: "password", label: "New password", note: "leave empty to keep it", secret: true },
    ],
    save: (app, v, login) =>
      app.bridge.call("SecretAPI.ChangeLogin", login.user, {
        origin: login.origin,
        user: v.user ?? "",
        password: v.password ?? "",
      }),
  },
  unlock: {
    title: "Unlock the secrets",
    description: "They stay unlocked until Goalpost closes",
    yes: "Unlock",
    fields: [{ name: "passphrase", label: "Passphrase", secret: true }],
    save: (app, v) => app.bridge.call("SecretAPI.Unlock", v.passphrase ?? ""),
  },
  passphrase: {
    title: "Passphrase for secrets",
    description: "Goalpost asks for it after each start. It cannot be recovered if lost.",
    yes: "Set passphrase",
    fields: [
      {
        name: "passphrase",
        label: "New passphrase",
        note: "10 characters or more; leave empty to remove",
        secret: true,
      },
    ],
    save: (app, v) => app.bridge.call("SecretAPI.Protect", v.passphrase ?? ""),
  },
};

const noLogin: LoginView = { origin: "", user: "" };

interface SecretFormProps {
  kind: SecretKind;
  /** The login to change. */
  login?: LoginView | null;
  onClose: () => void;
  onSaved: () => void;
}

/** The form for a secret or a login. Go reports which field is wrong. */
export function SecretForm({ kind, login, onClose, onSaved }: SecretFormProps) {
  const app = useApp();
  const words = forms[kind];
  const [values, setValues] = useState<Record<string, string>>(login ? { user: login.user } : {});

  const save = async () => {
    try {
      await words.save(app, values, login ?? noLogin);
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };

  return (
    <FormDialog
      help="guide/settings"
      name="secret"
      title={words.title}
      className="w-[440px]"
      description={login ? login.origin : words.description}
      aside={words.description}
      yes={words.yes}
      fields={words.fields.map((f) => f.name)}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      {words.fields.map((f) => (
        <FormInput
          key={f.name}
          name={f.name}
          label={f.label}
          note={f.note}
          type={f.secret ? "password" : "text"}
          value={values[f.name] ?? ""}
          onChange={(v) => setValues({ ...values, [f.name]: v })}
        />
      ))}
    </FormDialog>
  );
}
