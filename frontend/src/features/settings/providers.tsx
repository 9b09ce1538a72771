import { useEffect, useState } from "react";
import type { DoctorFinding, FoundServer, Provider } from "@/bridge/types";
import { Initials } from "@/connect/cards";
import { initials } from "@/connect/presets";
import { formatAge, formatElapsed } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { useNow } from "@/ui/usenow";

/** The model providers: the list, servers that were found, and the button to connect another. */
export function Providers() {
  const app = useApp();
  const providers = useAppState((s) => s.providers);
  const servers = useAppState((s) => s.foundServers);
  const [ignored, setIgnored] = useState<readonly string[]>([]);
  useEffect(() => {
    void app.providers.loadOffers();
  }, [app]);
  const host = (url: string) => url.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  const offers = (servers ?? []).filter(
    (s) => !ignored.includes(s.preset) && !providers.some((p) => host(p.base_url) === host(s.base_url)),
  );
  return (
    <>
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Providers
        </Caption>
        <Button look="primary" data-testid="provider-add" onClick={() => app.providers.openConnect({ preset: "" })}>
          Connect a model
        </Button>
      </div>
      <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="providers">
        {providers.map((p) => (
          <ProviderLine key={p.id} provider={p} />
        ))}
        {providers.length === 0 ? <li className="px-4 py-3 text-text-faint">No model connected yet.</li> : null}
        {offers.map((s) => (
          <OfferLine key={s.preset} server={s} onIgnore={() => setIgnored([...ignored, s.preset])} />
        ))}
      </ul>
    </>
  );
}

function ProviderLine({ provider: p }: { provider: Provider }) {
  const app = useApp();
  const [test, setTest] = useState<DoctorFinding | "running" | null>(null);
  const run = async () => {
    setTest("running");
    setTest((await app.ask("ModelAPI.Test", p.id)) ?? null);
    await app.providers.load();
  };
  const facts = [p.model || "no model", p.preset === "" ? p.base_url : "", describeKey(p)].filter(Boolean).join(" · ");
  return (
    <li
      className="border-b border-border px-4 py-2.5 last:border-b-0"
      data-testid="provider"
      data-id={p.id}
      data-active={p.active}
      data-ready={p.ready}
    >
      <div className="flex items-center gap-3 max-[640px]:flex-wrap">
        <Initials>{p.scripted ? "▶" : initials(p.preset || p.id)}</Initials>
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{p.id}</span>
            {p.active ? <Badge tone="accent">Default</Badge> : null}
            {p.scripted ? <Badge tone="calm">Scripted, no AI</Badge> : null}
          </p>
          {p.scripted ? null : <p className="truncate text-xs text-text-faint">{facts}</p>}
        </div>
        {p.scripted ? null : <ProviderState provider={p} />}
        {p.active || p.scripted ? null : (
          <Button look="quiet" data-testid="provider-use" onClick={() => void app.providers.activate(p.id)}>
            Make default
          </Button>
        )}
        {p.scripted ? null : (
          <>
            <Button data-testid="provider-test" disabled={test === "running"} onClick={() => void run()}>
              {test === "running" ? "Testing…" : "Test"}
            </Button>
            <Button data-testid="provider-edit" onClick={() => app.providers.openConnect({ provider: p.id })}>
              Edit
            </Button>
            <Button look="quiet" data-testid="provider-delete" onClick={() => app.providers.delete(p.id)}>
              Delete
            </Button>
          </>
        )}
      </div>
      {p.scripted || p.has_price ? null : (
        <p className="mt-1 pl-11 text-xs text-warn" data-testid="provider-no-price">
          No price is known: spending limits have no effect. Enter a price under Edit, or limit the tokens of a goal.
        </p>
      )}
      {test && test !== "running" ? (
        <p
          role="status"
          data-testid="provider-tested"
          data-state={test.state}
          className="selectable mt-1 pl-11 text-xs"
        >
          <span className={toneText[test.state]}>{test.title}.</span>{" "}
          <span className="text-text-muted">{[test.detail, test.hint].filter(Boolean).join(" · ")}</span>
        </p>
      ) : null}
    </li>
  );
}

function describeKey(p: Provider): string {
  if (p.api_key_secret) return "key stored";
  return p.api_key_env ? `key from ${p.api_key_env}` : "no key";
}

/** "Connected" only after a successful test; otherwise the reason. */
function ProviderState({ provider: p }: { provider: Provider }) {
  const now = useNow(true);
  const age = formatAge(p.tested_at, now);
  const tested = age === "now" ? "just now" : `${age} ago`;
  return (
    <div className="w-44 shrink-0 text-xs" data-testid="provider-state">
      <p className={p.ready ? "text-ok" : p.tested_at ? "text-bad" : "text-warn"}>
        {p.ready ? "Connected" : p.tested_at ? "Not working" : "Not tested"}
      </p>
      <p className="truncate text-text-faint" title={p.note}>
        {p.ready
          ? `tested ${tested}, ${formatElapsed(p.latency_ms)}`
          : p.tested_at
            ? p.note
            : p.note === "not tested"
              ? ""
              : p.note}
      </p>
    </div>
  );
}

/** A server that was found on this computer. */
function OfferLine({ server: s, onIgnore }: { server: FoundServer; onIgnore: () => void }) {
  const app = useApp();
  return (
    <li
      data-testid="provider-offer"
      data-id={s.preset}
      className="flex items-center gap-3 border-b border-border px-4 py-2.5 last:border-b-0 max-[640px]:flex-wrap"
    >
      <Initials>{initials(s.preset)}</Initials>
      <p className="min-w-0 flex-1 truncate text-text-muted">
        <b className="font-medium text-text">{s.name}</b> was found at{" "}
        <span className="font-mono text-xs">{s.base_url.replace(/^https?:\/\//, "").replace(/\/v1$/, "")}</span>
      </p>
      <Button data-testid="offer-connect" onClick={() => app.providers.openConnect({ preset: s.preset })}>
        Connect
      </Button>
      <Button look="quiet" onClick={onIgnore}>
        Ignore
      </Button>
    </li>
  );
}
