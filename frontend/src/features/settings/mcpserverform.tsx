import { riskLabel } from "@/lib/risk";
import { useState, type ReactNode } from "react";
import type { MCPServer } from "@/bridge/types";
import { asProblem } from "@/bridge/problem";
import { useApp } from "@/store/context";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { Select, TextArea } from "@/ui/input";

export const emptyMCPServer: MCPServer = {
  name: "",
  command: "",
  args: [],
  env: [],
  url: "",
  headers: [],
  risk: "",
  read: [],
  timeout_seconds: 0,
  start_seconds: 0,
  off: false,
  progress: "",
  login_address: "",
  notes: [],
  title: "",
  listed_at: "",
  tools: [],
};

const unsetRisk = (program: boolean) =>
  program
    ? "As the server declares; otherwise “send to the web”"
    : "As the server declares; otherwise “send to the web”, also for local addresses";
const risks = ["", "read_only", "write_local", "network_get", "network_write", "spends_money"];

const splitLines = (text: string) =>
  text
    .split("\n")
    .map((l) => l.trim())
    .filter(Boolean);

/** The multi-line fields as the user types them. */
interface Lines {
  args: string;
  env: string;
  headers: string;
  read: string;
}

interface MCPServerFormProps {
  server: MCPServer;
  onClose: () => void;
  onSaved: () => void;
}

/** The form for one MCP server. Go reports which field is wrong. */
export function MCPServerForm({ server, onClose, onSaved }: MCPServerFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(server);
  const [kind, setKind] = useState(server.url ? "url" : "command");
  const [lines, setLines] = useState<Lines>({
    args: (server.args ?? []).join("\n"),
    env: (server.env ?? []).join("\n"),
    headers: (server.headers ?? []).join("\n"),
    read: (server.read ?? []).join("\n"),
  });
  const isNew = server.name === "";
  const program = kind === "command";

  const save = async () => {
    try {
      await app.bridge.call("MCPAPI.Save", {
        ...draft,
        command: program ? draft.command.trim() : "",
        args: program ? splitLines(lines.args) : [],
        env: program ? splitLines(lines.env) : [],
        url: program ? "" : draft.url.trim(),
        headers: program ? [] : splitLines(lines.headers),
        read: program ? splitLines(lines.read) : [],
      });
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };
  const text = (name: "name" | "command" | "url") => ({
    name,
    value: draft[name],
    onChange: (v: string) => setDraft({ ...draft, [name]: v }),
  });

  return (
    <FormDialog
      help="how-to/mcp"
      name="mcp"
      title={isNew ? "Add an MCP server" : `MCP server ${server.name}`}
      className="w-[520px]"
      description="Make a server's tools available to goals"
      fields={["name", "risk", "start_seconds", ...(program ? ["command", "env", "read"] : ["url", "headers"])]}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      <FormInput
        {...text("name")}
        label="Name"
        note="tools are named name__tool"
        placeholder="notes"
        disabled={!isNew}
      />
      <FormField name="kind" label="Type">
        {(c) => (
          <Select {...c} value={kind} onChange={(e) => setKind(e.target.value)}>
            <option value="command">Program in the goal&apos;s sandbox</option>
            <option value="url">URL (streamable HTTP)</option>
          </Select>
        )}
      </FormField>
      {program ? (
        <ProgramFields lines={lines} set={setLines}>
          <FormInput {...text("command")} label="Program" placeholder="notes-mcp" />
        </ProgramFields>
      ) : (
        <UrlFields lines={lines} set={setLines}>
          <FormInput {...text("url")} label="URL" placeholder="https://mcp.example.org/" />
        </UrlFields>
      )}
      <RiskField program={program} value={draft.risk} onChange={(risk) => setDraft({ ...draft, risk })} />
      <FormInput
        name="start_seconds"
        label="Time for its start"
        note="seconds, with its list of tools; empty is 30"
        placeholder="30"
        value={draft.start_seconds ? String(draft.start_seconds) : ""}
        onChange={(v) => setDraft({ ...draft, start_seconds: Number.parseInt(v, 10) || 0 })}
      />
      <label className="flex items-center gap-2 text-xs">
        <input
          type="checkbox"
          data-testid="mcp-off"
          checked={draft.off}
          onChange={(e) => setDraft({ ...draft, off: e.target.checked })}
        />
        Disabled (save it, but do not offer it to goals)
      </label>
    </FormDialog>
  );
}

interface LinesFieldsProps {
  lines: Lines;
  set: (lines: Lines) => void;
  children: ReactNode;
}

function ProgramFields({ lines, set, children }: LinesFieldsProps) {
  return (
    <>
      {children}
      <LinesField
        name="args"
        label="Arguments"
        note="one per line"
        placeholder={"--folder\n."}
        value={lines.args}
        onChange={(args) => set({ ...lines, args })}
      />
      <LinesField
        name="env"
        label="Environment"
        note="KEY=value, one per line"
        placeholder="TOKEN={{secret:NOTES}}"
        value={lines.env}
        onChange={(env) => set({ ...lines, env })}
      />
      <LinesField
        name="read"
        label="Folders it may read"
        note="such as its own in your home; all programs of goals can read them"
        placeholder="/home/you/notes-mcp"
        value={lines.read}
        onChange={(read) => set({ ...lines, read })}
      />
    </>
  );
}

function UrlFields({ lines, set, children }: LinesFieldsProps) {
  return (
    <>
      {children}
      <LinesField
        name="headers"
        label="Headers"
        note="Name: value, one per line"
        placeholder="Authorization: Bearer {{secret:NOTES}}"
        value={lines.headers}
        onChange={(headers) => set({ ...lines, headers })}
      />
    </>
  );
}

interface RiskFieldProps {
  program: boolean;
  value: string;
  onChange: (risk: string) => void;
}

function RiskField({ program, value, onChange }: RiskFieldProps) {
  return (
    <FormField name="risk" label="Risk level of its tools">
      {(c) => (
        <Select {...c} value={value} onChange={(e) => onChange(e.target.value)}>
          {risks.map((r) => (
            <option key={r} value={r}>
              {r === "" ? unsetRisk(program) : riskLabel(r)}
            </option>
          ))}
        </Select>
      )}
    </FormField>
  );
}

interface LinesFieldProps {
  name: string;
  label: string;
  note: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

function LinesField({ name, label, note, placeholder, value, onChange }: LinesFieldProps) {
  return (
    <FormField name={name} label={label} note={note}>
      {(c) => (
        <TextArea
          {...c}
          spellCheck={false}
          rows={2}
          placeholder={placeholder}
          className="h-auto resize-y py-1.5 font-mono text-xs"
          value={value}
          onChange={(e) => onChange(e.target.value)}
        />
      )}
    </FormField>
  );
}
