import { useState } from "react";
import type { Finding, Provider } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { ProviderForm } from "./providerform";
import { Caption } from "@/ui/caption";

export const newProvider: Provider = {
  id: "",
  kind: "openai",
  base_url: "",
  model: "",
  api_key_env: "",
  api_key_secret: "",
  context_window: 0,
  active: false,
  scripted: false,
  ready: false,
  note: "",
  efforts: [],
};

/** Where models are reached: the list, and the form for one of them. */
export function Providers() {
  const providers = useAppState((s) => s.providers);
  const [editing, setEditing] = useState<Provider | null>(null);
  return (
    <>
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Models
        </Caption>
        <Button data-testid="provider-add" onClick={() => setEditing(newProvider)}>
          Add a provider
        </Button>
      </div>
      <ul className="rounded-lg border border-border bg-surface" data-testid="providers">
        {providers.map((p) => (
          <ProviderLine key={p.id} provider={p} onEdit={() => setEditing(p)} />
        ))}
        {providers.length === 0 ? <li className="px-4 py-3 text-text-faint">No model provider yet.</li> : null}
      </ul>
      {editing ? <ProviderForm provider={editing} onClose={() => setEditing(null)} /> : null}
    </>
  );
}

function ProviderLine({ provider: p, onEdit }: { provider: Provider; onEdit: () => void }) {
  const app = useApp();
  const [test, setTest] = useState<Finding | "running" | null>(null);
  const run = async () => {
    setTest("running");
    setTest((await app.ask("ModelAPI.Test", p.id)) ?? null);
  };
  return (
    <li
      className="border-b border-border px-4 py-2.5 last:border-b-0"
      data-testid="provider"
      data-id={p.id}
      data-active={p.active}
    >
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{p.id}</span>
            {p.active ? <Badge tone="accent">default</Badge> : null}
            {p.scripted ? (
              <Badge tone="calm">scripted, no AI</Badge>
            ) : (
              <Badge tone={p.ready ? "ok" : "warn"}>{p.ready ? "ready" : "not ready"}</Badge>
            )}
          </p>
          <p className="truncate text-xs text-text-faint">
            {[
              p.model,
              p.base_url,
              p.api_key_env || p.api_key_secret ? `key from ${p.api_key_env || p.api_key_secret}` : "",
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
          {p.note && !p.scripted ? <p className="text-xs text-warn">{p.note}</p> : null}
        </div>
        {p.active || p.scripted ? null : (
          <Button data-testid="provider-use" onClick={() => void app.providers.activate(p.id)}>
            Make default
          </Button>
        )}
        <Button data-testid="provider-test" disabled={test === "running"} onClick={() => void run()}>
          {test === "running" ? "Testing…" : "Test"}
        </Button>
        {p.scripted ? null : (
          <>
            <Button data-testid="provider-edit" onClick={onEdit}>
              Edit
            </Button>
            <Button look="quiet" data-testid="provider-delete" onClick={() => app.providers.delete(p.id)}>
              Delete
            </Button>
          </>
        )}
      </div>
      {test && test !== "running" ? (
        <p role="status" data-testid="provider-tested" data-state={test.state} className="selectable mt-1 text-xs">
          <span className={toneText[test.state]}>{test.title}</span>{" "}
          <span className="text-text-muted">{[test.detail, test.hint].filter(Boolean).join(" · ")}</span>
        </p>
      ) : null}
    </li>
  );
}
