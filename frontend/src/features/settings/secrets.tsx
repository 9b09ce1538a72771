import { useState } from "react";
import type { LoginView, SecretPlace, SecretView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { SwitchRow } from "./rows";
import { SecretForm, type SecretKind } from "./secretform";

const rowClass = "flex items-center gap-2 border-b border-border px-4 py-2.5 last:border-b-0";

/** Keys, passwords and logins: their names and where they are stored. Values can be entered but are never shown. */
export function Secrets() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  const place = useAnswer("SecretAPI.Where");
  const secrets = useAnswer("SecretAPI.List");
  const logins = useAnswer("SecretAPI.Logins");
  const [form, setForm] = useState<SecretKind | null>(null);
  const [changed, setChanged] = useState<LoginView | null>(null);
  const load = () => Promise.all([place.reload(), secrets.reload(), logins.reload()]);

  const remove = (title: string, call: () => Promise<boolean | undefined>) =>
    app.confirm({
      title,
      text: "Goals that use it will fail. This cannot be undone.",
      yes: "Delete",
      danger: true,
      run: async () => {
        if (await call()) await load();
      },
    });

  if (!place.answer || !settings) return null;
  return (
    <>
      <Head place={place.answer} onForm={setForm} />
      <ul className="rounded-lg border border-border bg-surface" data-testid="secrets">
        <PlaceRow place={place.answer} onPassphrase={() => setForm("passphrase")} />
        {(secrets.answer ?? []).map((s) => (
          <SecretRow
            key={s.name}
            secret={s}
            onDelete={() => remove(`Delete the secret ${s.name}?`, () => app.ask("SecretAPI.Remove", s.name))}
          />
        ))}
        {(logins.answer ?? []).map((l) => (
          <LoginRow
            key={`${l.origin} ${l.user}`}
            login={l}
            onChange={() => {
              setChanged(l);
              setForm("change");
            }}
            onDelete={() =>
              remove(`Delete the login of ${l.user} on ${l.origin}?`, () =>
                app.ask("SecretAPI.RemoveLogin", l.origin, l.user),
              )
            }
          />
        ))}
        <li>
          <SwitchRow
            title="Store in the encrypted file"
            text="Even if a system keyring is available. Takes effect after a restart."
            testid="secrets-in-file"
            on={settings.secrets_in_file}
            onChange={(secrets_in_file) => void app.settings.save({ secrets_in_file })}
          />
        </li>
      </ul>
      {form ? (
        <SecretForm
          kind={form}
          login={form === "change" ? changed : null}
          onClose={() => setForm(null)}
          onSaved={() => {
            setForm(null);
            void load();
          }}
        />
      ) : null}
    </>
  );
}

function Head({ place, onForm }: { place: SecretPlace; onForm: (kind: SecretKind) => void }) {
  return (
    <div className="mb-2 flex items-baseline justify-end gap-2">
      {place.locked && place.passphrase ? (
        <Button look="primary" data-testid="secrets-unlock" onClick={() => onForm("unlock")}>
          Unlock
        </Button>
      ) : null}
      <Button data-testid="login-add" onClick={() => onForm("login")}>
        Add a login
      </Button>
      <Button data-testid="secret-add" onClick={() => onForm("secret")}>
        Add a secret
      </Button>
    </div>
  );
}

function PlaceRow({ place, onPassphrase }: { place: SecretPlace; onPassphrase: () => void }) {
  return (
    <li className="flex items-center gap-2 border-b border-border px-4 py-2.5 text-xs text-text-muted last:border-b-0">
      <span className="min-w-0 flex-1 break-words" data-testid="secrets-place" data-place={place.place}>
        New secrets are stored in {place.detail}.
      </span>
      {place.place === "file" && !place.locked ? (
        <Button look="quiet" data-testid="secrets-passphrase" onClick={onPassphrase}>
          {place.passphrase ? "Change the passphrase" : "Set a passphrase"}
        </Button>
      ) : null}
    </li>
  );
}

function SecretRow({ secret: s, onDelete }: { secret: SecretView; onDelete: () => void }) {
  const hosts = s.hosts?.length ? ` · only for ${s.hosts.join(", ")}` : "";
  return (
    <li className={rowClass} data-testid="secret" data-id={s.name}>
      <RowText title={s.name} badge={s.place} text={`{{secret:${s.name}}}${hosts}`} />
      <Button look="quiet" data-testid="secret-remove" onClick={onDelete}>
        Delete
      </Button>
    </li>
  );
}

interface LoginRowProps {
  login: LoginView;
  onChange: () => void;
  onDelete: () => void;
}

function LoginRow({ login: l, onChange, onDelete }: LoginRowProps) {
  return (
    <li className={rowClass} data-testid="login" data-id={`${l.origin} ${l.user}`}>
      <RowText title={l.user} badge="login" text={l.origin} />
      <Button look="quiet" data-testid="login-change" onClick={onChange}>
        Change…
      </Button>
      <Button look="quiet" data-testid="login-remove" onClick={onDelete}>
        Delete
      </Button>
    </li>
  );
}

function RowText({ title, badge, text }: { title: string; badge: string; text: string }) {
  return (
    <div className="min-w-0 flex-1">
      <p className="flex items-center gap-2 font-medium">
        <span className="truncate">{title}</span>
        <Badge tone="calm">{badge}</Badge>
      </p>
      <p className="truncate font-mono text-2xs text-text-faint">{text}</p>
    </div>
  );
}
