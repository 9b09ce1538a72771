import { useState } from "react";
import type { SSHServer } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
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

/** Machines that terminals can be opened on, and what runs there. */
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
      {list?.length === 0 ? (
        <p className="text-text-faint">
          No servers yet. Host names from ~/.ssh/config work. Uses your existing SSH keys and agent.
        </p>
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
    </Dialog>
  );
}

interface ServerRowProps {
  server: SSHServer;
  /** Its sessions are shown. */
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
