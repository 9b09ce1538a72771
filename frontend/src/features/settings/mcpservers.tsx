import { riskLabel } from "@/lib/risk";
import { useEffect, useState } from "react";
import type { MCPServer, Problem } from "@/bridge/types";
import { asProblem } from "@/bridge/problem";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/usenow";
import { ExternalLink } from "@/connect/externallink";
import { MCPServerForm, emptyMCPServer } from "./mcpserverform";

/** The MCP servers whose tools goals may use: a list with their tools, and the form for one of them. */
export function MCPServers() {
  const app = useApp();
  const { answer, reload } = useAnswer("MCPAPI.List");
  const servers = answer === undefined ? null : (answer ?? []);
  const [editing, setEditing] = useState<MCPServer | null>(null);
  const remove = (name: string) =>
    app.confirm({
      title: `Remove the MCP server ${name}?`,
      text: "Running goals keep its tools until they finish.",
      yes: "Remove server",
      danger: true,
      run: async () => {
        if (await app.ask("MCPAPI.Delete", name)) await reload();
      },
    });
  return (
    <>
      <div className="mb-2 flex justify-end">
        <Button data-testid="mcp-add" onClick={() => setEditing(emptyMCPServer)}>
          Add a server
        </Button>
      </div>
      <ul className="rounded-lg border border-border bg-surface" data-testid="mcp-servers">
        {(servers ?? []).map((s) => (
          <MCPServerRow
            key={s.name}
            server={s}
            onEdit={() => setEditing(s)}
            onRemove={() => remove(s.name)}
            onTested={reload}
          />
        ))}
        {servers?.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            No MCP servers yet. Their tools are available to goals; local servers run inside the goal&apos;s sandbox.
          </li>
        ) : null}
      </ul>
      {editing ? (
        <MCPServerForm
          server={editing}
          onClose={() => setEditing(null)}
          onSaved={() => {
            setEditing(null);
            void reload();
          }}
        />
      ) : null}
    </>
  );
}

interface MCPServerRowProps {
  server: MCPServer;
  onEdit: () => void;
  onRemove: () => void;
  onTested: () => Promise<void>;
}

const hasKey = (s: MCPServer) => (s.headers ?? []).some((h) => /^authorization:/i.test(h));

function MCPServerRow({ server: s, onEdit, onRemove, onTested }: MCPServerRowProps) {
  const app = useApp();
  const [testing, setTesting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [open, setOpen] = useState(false);
  const tools = s.tools ?? [];
  const now = useNow(testing);
  useEffect(() => {
    if (testing) void onTested();
  }, [testing, now, onTested]);
  const start = async (method: "MCPAPI.Test" | "MCPAPI.LogIn") => {
    setTesting(true);
    setProblem(null);
    try {
      await app.bridge.call(method, s.name);
      setOpen(true);
      await onTested();
    } catch (reason) {
      setProblem(asProblem(reason));
    }
    setTesting(false);
  };
  return (
    <li className="border-b border-border px-4 py-2.5 last:border-b-0" data-testid="mcp-server" data-id={s.name}>
      <div className="flex items-center gap-2 max-[640px]:flex-wrap">
        <div className="min-w-0 flex-1 max-[640px]:basis-full">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{s.name}</span>
            {s.off ? (
              <Badge tone="calm">off</Badge>
            ) : s.listed_at ? (
              <Badge tone="ok">{tools.length === 1 ? "1 tool" : `${tools.length} tools`}</Badge>
            ) : (
              <Badge tone="warn">not tested</Badge>
            )}
          </p>
          <p className="truncate font-mono text-2xs leading-[18px] text-text-faint">
            {s.url || [s.command, ...(s.args ?? [])].join(" ")}
          </p>
        </div>
        {tools.length > 0 ? (
          <Button look="quiet" data-testid="mcp-tools" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide tools" : "Tools"}
          </Button>
        ) : null}
        {s.url && !hasKey(s) ? (
          <Button data-testid="mcp-login" disabled={testing} onClick={() => void start("MCPAPI.LogIn")}>
            Log in
          </Button>
        ) : null}
        <Button data-testid="mcp-test" disabled={testing} onClick={() => void start("MCPAPI.Test")}>
          {testing ? "Testing…" : "Test"}
        </Button>
        <Button data-testid="mcp-edit" onClick={onEdit}>
          Edit
        </Button>
        <Button look="quiet" data-testid="mcp-remove" onClick={onRemove}>
          Remove
        </Button>
      </div>
      {s.login_address ? (
        <p className="mt-1 text-xs" data-testid="mcp-login-address">
          <ExternalLink href={s.login_address}>Log in in your browser</ExternalLink>
          <span className="text-text-muted"> and then come back here.</span>
        </p>
      ) : s.progress ? (
        <p role="status" className="selectable mt-1 text-xs text-text-muted" data-testid="mcp-progress">
          {s.progress}
        </p>
      ) : null}
      {(s.notes ?? []).map((note) => (
        <p key={note} className="selectable mt-1 text-xs text-text-muted" data-testid="mcp-note">
          Note: {note}
        </p>
      ))}
      {problem ? (
        <p role="alert" data-testid="mcp-problem" className="selectable mt-1 text-xs text-bad">
          {problem.message} <span className="text-text-muted">{problem.hint}</span>
        </p>
      ) : null}
      {open && tools.length > 0 ? (
        <table className="selectable mt-2 w-full table-fixed text-xs" data-testid="mcp-tool-list">
          <tbody>
            {tools.map((t) => (
              <tr key={t.name} className="align-top">
                <td
                  className="w-44 truncate max-[640px]:w-2/5 py-0.5 pr-3 font-mono text-2xs leading-[18px]"
                  title={t.name}
                >
                  {t.name}
                </td>
                <td className="w-28 py-0.5 pr-3 text-text-muted max-[640px]:w-1/4">{riskLabel(t.risk)}</td>
                <td className="py-0.5 break-words text-text-faint">{t.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </li>
  );
}
