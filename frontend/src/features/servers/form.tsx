import { useEffect, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem, SSHServer } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { Input } from "@/ui/input";

interface ServerFormProps {
  server: SSHServer;
  onClose: () => void;
  onSaved: () => void;
}

const fields: {
  name: "name" | "host" | "user" | "key_path" | "jump" | "folder";
  label: string;
  note: string;
  placeholder: string;
}[] = [
  { name: "host", label: "Host", note: "or a name from ~/.ssh/config", placeholder: "box.example" },
  { name: "name", label: "Display name", note: "", placeholder: "same as host" },
  { name: "user", label: "User", note: "", placeholder: "from ssh config" },
  { name: "key_path", label: "Private key", note: "file path", placeholder: "from ssh config" },
  { name: "jump", label: "Jump host", note: "user@host:port, comma-separated", placeholder: "none" },
  { name: "folder", label: "Start folder", note: "on the server", placeholder: "~" },
];

/** The form for a server. Go reports which field is wrong. It has no password: ssh asks for it. */
export function ServerForm({ server, onClose, onSaved }: ServerFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(server);
  const keys = useKeyFiles(draft.key_path);
  const [port, setPort] = useState(server.port ? String(server.port) : "");

  const [test, setTest] = useState<"runs" | "works" | Problem | null>(null);
  const entered = () => ({ ...draft, host: draft.host.trim(), port: port.trim() ? Number(port) || -1 : 0 });

  const tryIt = async () => {
    setTest("runs");
    try {
      await app.bridge.call("SSHAPI.Test", entered());
      setTest("works");
    } catch (reason) {
      setTest(asProblem(reason));
    }
  };
  const save = async () => {
    try {
      await app.bridge.call("SSHAPI.Save", entered());
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };

  return (
    <FormDialog
      help="guide/ssh"
      name="server"
      title={server.id ? `Server ${server.name || server.host}` : "Add a server"}
      description="SSH server"
      layout="grid grid-cols-2 gap-3 max-[640px]:grid-cols-1"
      fields={[...fields.map((f) => f.name), "port"]}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      {fields.map((f) => (
        <FormInput
          key={f.name}
          {...f}
          {...(f.name === "key_path" ? { offers: keys } : {})}
          value={draft[f.name]}
          onChange={(v) => setDraft({ ...draft, [f.name]: v })}
        />
      ))}
      <FormField name="port" label="Port">
        {(c) => (
          <Input {...c} inputMode="numeric" placeholder="22" value={port} onChange={(e) => setPort(e.target.value)} />
        )}
      </FormField>
      <label className="col-span-2 flex items-start gap-2 text-xs">
        <input
          type="checkbox"
          data-testid="server-tmux"
          className="mt-0.5"
          checked={draft.tmux}
          onChange={(e) => setDraft({ ...draft, tmux: e.target.checked })}
        />
        <span>
          Keep sessions in tmux
          <span className="block text-text-faint">Programs keep running through disconnects and restarts.</span>
        </span>
      </label>
      <div className="col-span-2 flex items-center gap-3 max-[640px]:col-span-1">
        <Button data-testid="server-test" disabled={test === "runs"} onClick={() => void tryIt()}>
          Test
        </Button>
        <TestResult test={test} />
      </div>
    </FormDialog>
  );
}

/** The private keys, and folders, that begin with what is typed; those of ~/.ssh at first. */
function useKeyFiles(typed: string): readonly string[] {
  const app = useApp();
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    // Only the newest answer counts; undefined is an older one.
    void app.newest("SSHAPI.KeyFiles", typed).then((list) => list && setKeys(list));
  }, [app, typed]);
  return keys;
}

/** What one connection without a terminal has shown. */
function TestResult({ test }: { test: "runs" | "works" | Problem | null }) {
  const label: Readonly<Record<string, string>> = {
    host: "Host",
    port: "Port",
    user: "Login",
    key_path: "Private key",
  };
  if (test === null) return <span className="text-xs text-text-faint">Connects once, without a terminal.</span>;
  return (
    <p role="status" data-testid="server-tested" className="selectable min-w-0 flex-1 text-xs">
      {test === "runs" ? "Connecting…" : null}
      {test === "works" ? <span className="text-ok">The login works.</span> : null}
      {typeof test === "object" ? (
        <>
          <span className="text-bad">
            {label[test.field] ?? "Connection"}: {test.message}
          </span>{" "}
          <span className="text-text-muted">· {test.hint}</span>
        </>
      ) : null}
    </p>
  );
}
