import "@xterm/xterm/css/xterm.css";
import type { PaneInfo } from "@/bridge/types";
import { isPhone } from "@/lib/viewer";
import { useApp } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { ContextMenu } from "@/ui/menu";
import { ScaledNote } from "@/ui/scalednote";
import { SearchBox } from "./search";
import { SSHPrompt } from "./sshprompt";
import { isLightTerminal } from "@/ui/terminal";
import { useTerminal, type TerminalProps } from "./useterminal";

export function TerminalView(p: TerminalProps) {
  const { host, screen, link, bell, scaled, exit, colors } = useTerminal(p);
  const { pane } = p;
  return (
    <div
      className="relative flex h-full flex-col bg-surface"
      data-testid="terminal"
      data-pane={pane.id}
      data-link={link}
    >
      {p.searching && screen.current ? (
        <SearchBox screen={screen.current} isLight={isLightTerminal(colors)} onEnd={p.onSearchEnd} />
      ) : null}
      <ContextMenu items={p.menu}>
        <div
          role="group"
          aria-label={`Terminal ${pane.title}. Ctrl+Shift+Tab leaves it.`}
          className={`min-h-0 flex-1 overflow-clip pt-1.5 pl-2.5 ${bell ? "shadow-[inset_0_0_0_2px_var(--warn)]" : ""}`}
          style={colors ? { background: colors.background } : undefined}
          onContextMenuCapture={(e) => {
            screen.current?.pointAt(e.clientY);
            // A program that uses the mouse also gets right clicks; Shift+right click opens the menu.
            if (e.shiftKey || screen.current?.term.modes.mouseTrackingMode === "none") return;
            e.preventDefault();
            e.stopPropagation();
          }}
        >
          {/* No padding here: xterm would count it as available space when it measures. */}
          <div ref={host} className="h-full" />
        </div>
      </ContextMenu>
      {scaled ? (
        <ScaledNote
          size={`${scaled.cols} × ${scaled.rows}`}
          scale={scaled.by}
          agents={pane.goal_id !== "" && !pane.shared}
          onFit={isPhone() ? () => screen.current?.keyboard(true) : undefined}
        />
      ) : null}
      {link === "down" && exit === null ? (
        <div className="absolute top-2 right-3" role="status">
          <Badge tone="warn" live>
            reconnecting
          </Badge>
        </div>
      ) : null}
      {pane.ask ? <SSHPrompt key={`${pane.ask} ${pane.ask_again}`} pane={pane} /> : null}
      {pane.problem ? <ProblemBar pane={pane} /> : null}
      {exit !== null && !pane.problem ? <ExitBar code={exit} onRestart={p.onRestart} /> : null}
    </div>
  );
}

/** The problem of a terminal's connection to a server. */
function ProblemBar({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  return (
    <div
      className="flex min-h-9 shrink-0 items-center gap-2.5 border-t border-border px-3"
      role="status"
      data-testid="terminal-problem"
    >
      <Badge tone="warn" live={pane.problem.includes("lost")}>
        {pane.server}
      </Badge>
      <span className="text-xs text-text-muted">{pane.problem}</span>
      <span className="flex-1" />
      <Button data-testid="terminal-connect" onClick={() => void app.ask("TerminalAPI.Restart", pane.id)}>
        Connect now
      </Button>
    </div>
  );
}

/** How the program ended; a negative code is a signal. */
function ExitBar({ code, onRestart }: { code: number; onRestart: () => void }) {
  return (
    <div className="flex h-9 shrink-0 items-center gap-2.5 border-t border-border px-3" role="status">
      <Badge tone={code === 0 ? "calm" : "bad"}>{code < 0 ? "killed by a signal" : `exit ${code}`}</Badge>
      <span className="text-xs text-text-faint">The program exited.</span>
      <span className="flex-1" />
      <Button data-testid="terminal-restart" onClick={onRestart}>
        Restart
      </Button>
    </div>
  );
}
