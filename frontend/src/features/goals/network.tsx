import { useEffect, useRef, useState } from "react";
import type { GoalView, NetworkHost, NetworkView } from "@/bridge/types";
import { bytes } from "@/lib/bytes";
import { useApp, useAppState } from "@/store/context";
import { Section } from "./section";

/** The hosts that the goal's programs and pages contacted, and those that were blocked. */
export function Network({ view }: { view: GoalView }) {
  const net = useNetwork(view.id);
  if (!net || net.total === 0) return null;
  const hosts = net.hosts ?? [];
  return (
    <Section
      title="Network"
      aside={net.refused > 0 ? `${net.refused} of ${net.total} blocked` : count(net.total)}
      testid="network"
    >
      <ul className="flex flex-col gap-1">
        {hosts.map((h) => (
          <HostLine key={`${h.host} ${h.allowed}`} host={h} />
        ))}
      </ul>
    </Section>
  );
}

function HostLine({ host: h }: { host: NetworkHost }) {
  const methods = (h.methods ?? []).join(" ");
  return (
    <li className="text-xs" data-testid="network-host" data-allowed={h.allowed} title={h.reason || methods}>
      <div className="flex items-baseline gap-2">
        <span className="selectable min-w-0 flex-1 truncate font-mono text-2xs leading-[18px]">
          {h.host === "*" ? "other hosts" : h.host}
        </span>
        <span className="shrink-0 text-text-faint tabular-nums">
          {h.own ? "local server" : h.allowed ? bytes(h.in) : methods} · {count(h.count)}
        </span>
      </div>
      {h.allowed ? null : <p className="truncate text-2xs text-warn">blocked: {h.reason}</p>}
    </li>
  );
}

const count = (n: number) => (n === 1 ? "1 request" : `${n} requests`);

/** Delay after a request before the log is loaded again, at most once in that time. */
const pauseMs = 500;

/** Loads the log when the goal is opened, and again shortly after it has grown. */
function useNetwork(id: string): NetworkView | null {
  const app = useApp();
  const requests = useAppState((s) => s.detail.requests);
  const [read, setRead] = useState<{ id: string; net: NetworkView } | null>(null);
  const timer = useRef(0);
  useEffect(() => {
    if (timer.current) return;
    timer.current = window.setTimeout(
      () => {
        timer.current = 0;
        app.bridge.call("GoalAPI.Network", id).then(
          (net) => setRead({ id, net }),
          () => undefined, // the goal no longer exists, and the dashboard shows that
        );
      },
      requests === 0 ? 0 : pauseMs,
    );
  }, [app, id, requests]);
  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
      timer.current = 0;
    },
    [id],
  );
  return read?.id === id ? read.net : null;
}
