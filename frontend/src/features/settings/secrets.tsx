import { useCallback, useEffect, useState, type ReactNode } from "react";
import type { LoginView, SecretPlace, SecretView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { SwitchRow } from "./rows";
import { SecretForm, type SecretKind } from "./secretform";
import { Caption } from "@/ui/caption";

interface SecretList {
  place: SecretPlace;
  secrets: readonly SecretView[];
  logins: readonly LoginView[];
}

/** Keys, passwords and logins: what there is and where it lies. Values go in and never come out. */
export function Secrets() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  const [kept, setKept] = useState<SecretList | null>(null);
  const [form, setForm] = useState<SecretKind | null>(null);

  const load = useCallback(async () => {
    const [place, secrets, logins] = await Promise.all([
      app.ask("SecretAPI.Where"),
      app.ask("SecretAPI.List"),
      app.ask("SecretAPI.Logins"),
    ]);
    if (place) setKept({ place, secrets: secrets ?? [], logins: logins ?? [] });
  }, [app]);

  useEffect(() => {
    void load();
  }, [load]);

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

  if (!kept || !settings) return null;
  const { place } = kept;
  return (
    <>
      <div className="mt-7 mb-2 flex items-baseline gap-2">
        <Caption as="h2" className="flex-1">
          Secrets and logins
        </Caption>
        {place.locked && place.passphrase ? (
          <Button look="primary" data-testid="secrets-unlock" onClick={() => setForm("unlock")}>
            Unlock
          </Button>
        ) : null}
        <Button data-testid="login-add" onClick={() => setForm("login")}>
          Add a login
        </Button>
        <Button data-testid="secret-add" onClick={() => setForm("secret")}>
          Add a secret
        </Button>
      </div>
      <ul className="rounded-lg border border-border bg-surface" data-testid="secrets">
        <li className="flex items-center gap-2 border-b border-border px-4 py-2.5 text-xs text-text-muted last:border-b-0">
          <span className="min-w-0 flex-1 break-words" data-testid="secrets-place" data-place={place.place}>
            New secrets are stored in {place.detail}.
          </span>
          {place.place === "file" && !place.locked ? (
            <Button look="quiet" data-testid="secrets-passphrase" onClick={() => setForm("passphrase")}>
              {place.passphrase ? "Change the passphrase" : "Set a passphrase"}
            </Button>
          ) : null}
        </li>
        {kept.secrets.map((s) => (
          <SecretRow
            key={s.name}
            testid="secret"
            id={s.name}
            title={s.name}
            badge={s.place}
            text={[`{{secret:${s.name}}}`, s.hosts?.length ? `only for ${s.hosts.join(", ")}` : ""]
              .filter(Boolean)
              .join(" · ")}
          >
            <Button
              look="quiet"
              data-testid="secret-remove"
              onClick={() => remove(`Delete the secret ${s.name}?`, () => app.ask("SecretAPI.Remove", s.name))}
            >
              Delete
            </Button>
          </SecretRow>
        ))}
        {kept.logins.map((l) => (
          <SecretRow
            key={`${l.origin} ${l.user}`}
            testid="login"
            id={`${l.origin} ${l.user}`}
            title={l.user}
            badge="login"
            text={l.origin}
          >
            <Button
              look="quiet"
              data-testid="login-remove"
              onClick={() =>
                remove(`Delete the login of ${l.user} on ${l.origin}?`, () =>
                  app.ask("SecretAPI.RemoveLogin", l.origin, l.user),
                )
              }
            >
              Delete
            </Button>
          </SecretRow>
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

interface LineProps {
  testid: string;
  id: string;
  title: string;
  badge: string;
  text: string;
  children: ReactNode;
}

function SecretRow({ testid, id, title, badge, text, children }: LineProps) {
  return (
    <li
      className="flex items-center gap-2 border-b border-border px-4 py-2.5 last:border-b-0"
      data-testid={testid}
      data-id={id}
    >
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 font-medium">
          <span className="truncate">{title}</span>
          <Badge tone="calm">{badge}</Badge>
        </p>
        <p className="truncate font-mono text-2xs text-text-faint">{text}</p>
      </div>
      {children}
    </li>
  );
}
