import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem, SSHServer } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";

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
  { name: "host", label: "Host", note: "or a name of ~/.ssh/config", placeholder: "box.example" },
  { name: "name", label: "Name", note: "how it is called here", placeholder: "the host" },
  { name: "user", label: "User", note: "", placeholder: "as ssh is configured" },
  { name: "key_path", label: "Private key", note: "path of the file", placeholder: "as ssh is configured" },
  { name: "jump", label: "Jump host", note: "user@host:port, several with commas", placeholder: "none" },
  { name: "folder", label: "Start folder", note: "on the server", placeholder: "~" },
];

/** One server. Go says which field is wrong. Passwords have no field: ssh asks for them. */
export function ServerForm({ server, onClose, onSaved }: ServerFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(server);
  const [port, setPort] = useState(server.port ? String(server.port) : "");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const save = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await app.bridge.call("SSHAPI.Save", {
        ...draft,
        host: draft.host.trim(),
        port: port.trim() ? Number(port) || -1 : 0,
      });
      onSaved();
    } catch (reason) {
      setProblem(asProblem(reason));
      setBusy(false);
    }
  };
  const error = (name: string) => (problem?.field === name ? problem.message : undefined);

  return (
    <Dialog
      open
      onClose={onClose}
      title={server.id ? `Server ${server.name || server.host}` : "Add a server"}
      className="w-[480px]"
      testid="server-form"
      description="A machine to open terminals on"
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.target instanceof HTMLInputElement) void save();
      }}
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="server-save" disabled={busy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-2 gap-3">
        {fields.map((f) => (
          <Field key={f.name} label={f.label} name={`server-${f.name}`} note={f.note} error={error(f.name)}>
            {(c) => (
              <input
                {...c}
                data-testid={`server-${f.name}`}
                spellCheck={false}
                autoComplete="off"
                placeholder={f.placeholder}
                className="field"
                value={draft[f.name]}
                onChange={(e) => setDraft({ ...draft, [f.name]: e.target.value })}
              />
            )}
          </Field>
        ))}
        <Field label="Port" name="server-port" error={error("port")}>
          {(c) => (
            <input
              {...c}
              data-testid="server-port"
              inputMode="numeric"
              placeholder="22"
              className="field"
              value={port}
              onChange={(e) => setPort(e.target.value)}
            />
          )}
        </Field>
        <label className="col-span-2 flex items-start gap-2 text-xs">
          <input
            type="checkbox"
            data-testid="server-tmux"
            className="mt-0.5"
            checked={draft.tmux}
            onChange={(e) => setDraft({ ...draft, tmux: e.target.checked })}
          />
          <span>
            Sessions live on in tmux
            <span className="block text-t3">What runs there outlives a lost connection and a restart of Goalpost.</span>
          </span>
        </label>
        {problem && error(problem.field) === undefined ? (
          <p role="alert" className="col-span-2 text-xs text-bad">
            {problem.message} <span className="text-t2">{problem.hint}</span>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
