import { useState } from "react";
import type { ReactNode } from "react";
import type { MCPServer, Problem } from "@/bridge/types";
import { asProblem } from "@/bridge/problem";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";

export const newGuest: MCPServer = {
  name: "",
  command: "",
  args: [],
  env: [],
  url: "",
  headers: [],
  risk: "",
  timeout_seconds: 0,
  off: false,
  title: "",
  listed_at: "",
  tools: [],
};

const risks = ["", "read_only", "write_local", "network_get", "network_write", "spends_money"];

const lines = (text: string) =>
  text
    .split("\n")
    .map((l) => l.trim())
    .filter(Boolean);

interface GuestFormProps {
  server: MCPServer;
  onClose: () => void;
  onSaved: () => void;
}

/** One MCP server. Go says which field is wrong. */
export function GuestForm({ server, onClose, onSaved }: GuestFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(server);
  const [kind, setKind] = useState(server.url ? "url" : "command");
  const [args, setArgs] = useState((server.args ?? []).join("\n"));
  const [env, setEnv] = useState((server.env ?? []).join("\n"));
  const [headers, setHeaders] = useState((server.headers ?? []).join("\n"));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const isNew = server.name === "";

  const save = async () => {
    if (busy) return;
    setBusy(true);
    const program = kind === "command";
    try {
      await app.bridge.call("MCPAPI.Save", {
        ...draft,
        command: program ? draft.command.trim() : "",
        args: program ? lines(args) : [],
        env: program ? lines(env) : [],
        url: program ? "" : draft.url.trim(),
        headers: program ? [] : lines(headers),
      });
      onSaved();
    } catch (reason) {
      setProblem(asProblem(reason));
      setBusy(false);
    }
  };

  const field = (name: string, label: string, note: string, control: (c: object) => ReactNode) => (
    <Field
      label={label}
      name={`mcp-${name}`}
      note={note}
      error={problem?.field === name ? problem.message : undefined}
      hint={problem?.field === name ? problem.hint : undefined}
    >
      {control}
    </Field>
  );
  const input = (name: "name" | "command" | "url", placeholder: string, fixed = false) => {
    const control = (c: object) => (
      <input
        {...c}
        data-testid={`mcp-${name}`}
        spellCheck={false}
        autoComplete="off"
        disabled={fixed}
        placeholder={placeholder}
        className="field disabled:opacity-50"
        value={draft[name]}
        onChange={(e) => setDraft({ ...draft, [name]: e.target.value })}
      />
    );
    return control;
  };
  const area = (name: string, value: string, set: (v: string) => void, placeholder: string) => {
    const control = (c: object) => (
      <textarea
        {...c}
        data-testid={`mcp-${name}`}
        spellCheck={false}
        rows={2}
        placeholder={placeholder}
        className="field h-auto resize-y py-1.5 font-mono text-xs"
        value={value}
        onChange={(e) => set(e.target.value)}
      />
    );
    return control;
  };
  const shown = ["name", "risk", ...(kind === "command" ? ["command", "env"] : ["url", "headers"])];

  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? "Add an MCP server" : `MCP server ${server.name}`}
      className="w-[520px]"
      testid="mcp-form"
      description="A server whose tools goals may use"
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="mcp-save" disabled={busy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {field("name", "Name", "its tools are called name__tool", input("name", "notes", !isNew))}
        {field("kind", "What it is", "", (c) => (
          <select
            {...c}
            data-testid="mcp-kind"
            className="field"
            value={kind}
            onChange={(e) => setKind(e.target.value)}
          >
            <option value="command">A program, inside the goal&apos;s sandbox</option>
            <option value="url">An address (streamable HTTP)</option>
          </select>
        ))}
        {kind === "command" ? (
          <>
            {field("command", "Program", "", input("command", "notes-mcp"))}
            {field("args", "Arguments", "one a line", area("args", args, setArgs, "--folder\n."))}
            {field("env", "Environment", "KEY=value, one a line", area("env", env, setEnv, "TOKEN={{secret:NOTES}}"))}
          </>
        ) : (
          <>
            {field("url", "Address", "", input("url", "https://mcp.example.org/"))}
            {field(
              "headers",
              "Headers",
              "Name: value, one a line",
              area("headers", headers, setHeaders, "Authorization: Bearer {{secret:NOTES}}"),
            )}
          </>
        )}
        {field("risk", "What its tools count as", "", (c) => (
          <select
            {...c}
            data-testid="mcp-risk"
            className="field"
            value={draft.risk}
            onChange={(e) => setDraft({ ...draft, risk: e.target.value })}
          >
            {risks.map((r) => (
              <option key={r} value={r}>
                {r === "" ? "What the server says of each; unsaid is network write" : r.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        ))}
        <label className="flex items-center gap-2 text-xs">
          <input
            type="checkbox"
            data-testid="mcp-off"
            checked={draft.off}
            onChange={(e) => setDraft({ ...draft, off: e.target.checked })}
          />
          Keep it, and lend it to no goal
        </label>
        {problem && !shown.includes(problem.field) ? (
          <p role="alert" className="text-xs text-bad">
            {problem.message} <span className="text-t2">{problem.hint}</span>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
