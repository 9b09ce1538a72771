import { useState } from "react";
import { formatAge } from "@/lib/time";
import type { SSHServer } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";

function since(created: string): string {
  const old = formatAge(created, Date.now());
  return old === "now" ? "just started" : `${old} old`;
}

/** The tmux sessions of a server. A session that is not in the list can be entered by name. */
export function Sessions({ server }: { server: SSHServer }) {
  const app = useApp();
  const { answer, problem } = useCall("SSHAPI.Sessions", server.id);
  const list = answer === undefined ? null : (answer ?? []);
  const [name, setName] = useState("");

  const attach = (session: string) => void app.panes.openSSH(server.id, session);
  return (
    <div className="mt-2 border-t border-border pt-2" data-testid="sessions">
      {problem ? (
        <p role="alert" className="pb-2 text-xs text-bad">
          {problem.message}
          <span className="block text-text-muted">{problem.hint}</span>
        </p>
      ) : null}
      {!list && !problem ? (
        <p className="pb-2 text-xs text-text-faint">Loading the sessions of {server.name || server.host}…</p>
      ) : null}
      {list?.length === 0 ? <p className="pb-2 text-xs text-text-faint">No sessions.</p> : null}
      <ul>
        {list?.map((s) => (
          <li key={s.name} className="flex h-8 items-center gap-2 text-xs" data-testid="session" data-name={s.name}>
            <span className="min-w-0 flex-1 truncate font-mono">{s.name}</span>
            <span className="text-text-faint">
              {s.windows} {s.windows === 1 ? "window" : "windows"} · {since(s.created)} ·{" "}
              {s.attached ? "in use" : "free"}
            </span>
            <Button data-testid="session-attach" onClick={() => attach(s.name)}>
              Attach
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="flex items-center gap-2 pt-1"
        onSubmit={(e) => {
          e.preventDefault();
          if (name.trim()) attach(name.trim());
        }}
      >
        <Input
          aria-label="Session name"
          placeholder="Session name (created if new)"
          className="h-7 min-w-0 flex-1 text-xs"
          data-testid="session-name"
          value={name}
          onChange={(e) => setName(e.target.value)}
        />
        <Button type="submit" data-testid="session-open" disabled={!name.trim()}>
          Open
        </Button>
      </form>
    </div>
  );
}
