import { useState } from "react";
import type { Problem, SSHServer } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer, useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dialog } from "@/ui/dialog";
import { Input } from "@/ui/input";
import { ServerForm } from "./form";
import { Sessions } from "./sessions";

const blank: SSHServer = {
  id: "",
  name: "",
  host: "",
  port: 0,
  user: "",
  key_path: "",
  jump: "",
  folder: "",
  tmux: true,
};

export function ServersDialog() {
  const open = useAppState((s) => s.servers);
  return open ? <Servers /> : null;
}

/** Servers for terminals, and their sessions. */
function Servers() {
  const app = useApp();
  const { answer, reload } = useAnswer("SSHAPI.List");
  const list = answer === undefined ? null : (answer ?? []);
  const [editing, setEditing] = useState<SSHServer | null>(null);
  const [picking, setPicking] = useState("");
  const close = () => app.set({ servers: false });

  const remove = (server: SSHServer) =>
    app.confirm({
      title: `Delete ${server.name || server.host}?`,
      text: "Open terminals and programs on the server keep running.",
      yes: "Delete server",
      danger: true,
      run: async () => {
        if (await app.ask("SSHAPI.Delete", server.id)) await reload();
      },
    });

  if (editing) {
    return (
      <ServerForm
        server={editing}
        onClose={() => setEditing(null)}
        onSaved={() => {
          setEditing(null);
          void reload();
        }}
      />
    );
  }
  return (
    <Dialog
      open
      onClose={close}
      title="SSH connections"
      testid="servers"
      help="guide/ssh"
      className="w-[560px]"
      description="Open terminals on remote servers"
      footer={
        <>
          <Button data-testid="server-add" onClick={() => setEditing(blank)}>
            Add a server
          </Button>
          <span className="flex-1" />
          <Button look="quiet" data-testid="servers-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <QuickConnect />
      {list?.length === 0 ? (
        <p className="text-text-faint">No servers yet. Uses your existing SSH keys and agent.</p>
      ) : null}
      <ul className="flex flex-col gap-2">
        {list?.map((server) => (
          <ServerRow
            key={server.id}
            server={server}
            picking={picking === server.id}
            onPick={() => setPicking(picking === server.id ? "" : server.id)}
            onEdit={() => setEditing(server)}
            onDelete={() => remove(server)}
          />
        ))}
      </ul>
      {list ? <ConfigHosts known={list} /> : null}
    </Dialog>
  );
}

/** Connects to a server by its address. */
function QuickConnect() {
  const app = useApp();
  const [target, setTarget] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const connect = async () => setProblem(await app.panes.connectSSH(target));
  return (
    <form
      className="mb-3"
      onSubmit={(e) => {
        e.preventDefault();
        void connect();
      }}
    >
      <div className="flex gap-2">
        <Input
          autoFocus
          aria-label="Connect to a server"
          aria-invalid={problem !== null}
          placeholder="user@host or user@host:port"
          className="min-w-0 flex-1"
          data-testid="ssh-target"
          value={target}
          onChange={(e) => setTarget(e.target.value)}
        />
        <Button type="submit" look="primary" data-testid="ssh-connect" disabled={!target.trim()}>
          Connect
        </Button>
      </div>
      {problem ? (
        <p role="alert" className="mt-1 text-xs text-bad" data-testid="ssh-problem">
          {problem.message}
          {problem.hint ? <span className="block text-text-muted">{problem.hint}</span> : null}
        </p>
      ) : null}
    </form>
  );
}

/** The hosts of ~/.ssh/config that are not in the list yet. */
function ConfigHosts({ known }: { known: readonly SSHServer[] }) {
  const app = useApp();
  const { answer, problem } = useCall("SSHAPI.ConfigHosts");
  const hosts = (answer ?? []).filter((h) => !known.some((s) => s.host === h && !s.user && !s.port));
  if (problem) return <p className="mt-3 text-xs text-bad">{problem.message}</p>;
  if (hosts.length === 0) return null;
  const connect = async (host: string) => {
    const refused = await app.panes.connectSSH(host);
    if (refused) app.notices.problem(refused);
  };
  return (
    <section className="mt-4" data-testid="ssh-config">
      <Caption className="mb-1">From ~/.ssh/config</Caption>
      <ul>
        {hosts.map((host) => (
          <li key={host} className="flex h-9 items-center gap-2" data-testid="ssh-config-host" data-host={host}>
            <span className="min-w-0 flex-1 truncate font-mono text-xs">{host}</span>
            <Button aria-label={`Connect to ${host}`} onClick={() => void connect(host)}>
              Connect
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ServerRowProps {
  server: SSHServer;
  /** Its sessions are expanded. */
  picking: boolean;
  onPick: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function ServerRow({ server, picking, onPick, onEdit, onDelete }: ServerRowProps) {
  const app = useApp();
  return (
    <li data-testid="server" data-id={server.id} className="rounded-md border border-border bg-surface px-3 py-2">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">{server.name || server.host}</p>
          <p className="truncate font-mono text-2xs text-text-faint">{address(server)}</p>
        </div>
        <Button look="quiet" data-testid="server-delete" onClick={onDelete}>
          Delete
        </Button>
        <Button look="quiet" data-testid="server-edit" onClick={onEdit}>
          Edit
        </Button>
        {server.tmux ? (
          <Button data-testid="server-sessions" aria-expanded={picking} onClick={onPick}>
            Sessions
          </Button>
        ) : null}
        <Button look="primary" data-testid="server-connect" onClick={() => void app.panes.openSSH(server.id)}>
          Connect
        </Button>
      </div>
      {picking ? <Sessions server={server} /> : null}
    </li>
  );
}

function address(s: SSHServer): string {
  const user = s.user ? `${s.user}@` : "";
  const port = s.port ? `:${s.port}` : "";
  return `${user}${s.host}${port}${s.jump ? ` through ${s.jump}` : ""}${s.folder ? ` · ${s.folder}` : ""}`;
}
