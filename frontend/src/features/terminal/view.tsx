import { useEffect, useRef, useState } from "react";
import "@xterm/xterm/css/xterm.css";
import type { PaneInfo } from "@/bridge/types";
import { focusElement } from "@/lib/keyboard";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Badge } from "@/ui/badge";
import { SSHPrompt } from "./sshprompt";
import { SearchBox } from "./search";
import type { FrameTurns } from "./flowcontrol";
import { TerminalScreen } from "./xterm";

interface TerminalViewProps {
  pane: PaneInfo;
  /** The pane is on the screen and the workspace is not covered. */
  visible: boolean;
  active: boolean;
  searching: boolean;
  turns: FrameTurns;
  /** What was selected last in any terminal. */
  selection: { text: string };
  onSearchEnd: () => void;
  /** The keyboard leaves the terminal. */
  onLeave: () => void;
  onScreen: (screen: TerminalScreen | null) => void;
  /** What the user has typed. */
  onTyped: (data: string) => void;
}

const bellMs = 400;

export function TerminalView(p: TerminalViewProps) {
  const app = useApp();
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<TerminalScreen | null>(null);
  const [link, setLink] = useState<"open" | "down">("open");
  const [exit, setExit] = useState<number | null>(null);
  const [bell, setBell] = useState(0);
  const handlers = useRef(p);
  const fontSize = useAppState((s) => s.settings?.font_size ?? 13);
  const scrollback = useAppState((s) => s.settings?.scrollback ?? 10_000);
  const theme = useAppState((s) => s.settings?.theme ?? "system");
  const fontFamily = useAppState((s) => s.settings?.font_family ?? "");
  const webgl = useAppState((s) => s.settings?.webgl ?? false);
  const screenReader = useAppState((s) => s.settings?.screen_reader ?? false);
  const id = p.pane.id;

  useEffect(() => {
    handlers.current = p;
  });

  useEffect(() => {
    const settings = app.state.settings;
    const s = new TerminalScreen(
      app.bridge,
      id,
      {
        fontSize: settings?.font_size ?? 13,
        scrollback: settings?.scrollback ?? 10_000,
        fontFamily: settings?.font_family ?? "",
        webgl: settings?.webgl ?? false,
        screenReader: settings?.screen_reader ?? false,
      },
      handlers.current.turns,
      {
        link: setLink,
        exit: setExit,
        bell: () => setBell(Date.now()),
        // Of one that has ended the pane says so already.
        refused: (why) => {
          if (handlers.current.pane.running)
            app.notices.problem({ code: "conflict", message: `Not typed: ${why}`, hint: "", field: "" });
        },
        openLink: (url) => void app.panes.openBrowser(url),
        leave: () => handlers.current.onLeave(),
        selected: (text) => {
          handlers.current.selection.text = text;
        },
        selection: () => handlers.current.selection.text,
        typed: (data) => handlers.current.onTyped(data),
      },
    );
    screen.current = s;
    handlers.current.onScreen(s);
    const el = host.current;
    if (el) s.attach(el);
    const watch = new ResizeObserver(() => s.fit());
    if (el) watch.observe(el);
    // Cells are measured with the fallback font until the real one is there.
    void document.fonts.load('13px "JetBrains Mono"').then(() => {
      if (screen.current === s) s.fontLoaded();
    });
    return () => {
      watch.disconnect();
      screen.current = null;
      handlers.current.onScreen(null);
      s.close();
    };
  }, [app, id]);

  useEffect(() => {
    // The tokens change with the theme's attribute, which is set in the same commit.
    const timer = requestAnimationFrame(() =>
      screen.current?.look({ fontSize, scrollback, fontFamily, webgl, screenReader }),
    );
    return () => cancelAnimationFrame(timer);
  }, [fontSize, scrollback, theme, fontFamily, webgl, screenReader]);

  useEffect(() => {
    if (p.visible) screen.current?.fit();
  }, [p.visible]);

  useEffect(() => {
    if (!p.active || !p.visible || p.searching || p.pane.ask || !host.current) return;
    return focusElement(host.current, () => screen.current?.term.focus());
  }, [p.active, p.visible, p.searching, p.pane.ask]);

  const running = p.pane.running;
  const wasRunning = useRef(running);
  useEffect(() => {
    if (running && !wasRunning.current) {
      screen.current?.restart();
      setExit(null);
    }
    wasRunning.current = running;
  }, [running]);

  useEffect(() => {
    if (!bell) return;
    const timer = setTimeout(() => setBell(0), bellMs);
    return () => clearTimeout(timer);
  }, [bell]);

  const code = running ? exit : (exit ?? p.pane.exit);
  return (
    <div className="relative flex h-full flex-col bg-surface" data-testid="terminal" data-pane={id} data-link={link}>
      {p.searching && screen.current ? <SearchBox screen={screen.current} onEnd={p.onSearchEnd} /> : null}
      <div
        role="group"
        aria-label={`Terminal ${p.pane.title}. Ctrl+Shift+Tab leaves it.`}
        className={`min-h-0 flex-1 overflow-hidden pt-1.5 pl-2.5 ${bell ? "shadow-[inset_0_0_0_2px_var(--warn)]" : ""}`}
      >
        {/* Without a padding of its own, which xterm's measuring would take for room. */}
        <div ref={host} className="h-full" />
      </div>
      {link === "down" && code === null ? (
        <div className="absolute top-2 right-3" role="status">
          <Badge tone="warn" live>
            reconnecting
          </Badge>
        </div>
      ) : null}
      {p.pane.ask ? <SSHPrompt key={p.pane.ask} pane={p.pane} /> : null}
      {p.pane.problem ? (
        <div
          className="flex min-h-9 shrink-0 items-center gap-2.5 border-t border-border px-3"
          role="status"
          data-testid="terminal-problem"
        >
          <Badge tone="warn" live={p.pane.problem.includes("lost")}>
            {p.pane.server}
          </Badge>
          <span className="text-xs text-text-muted">{p.pane.problem}</span>
          <span className="flex-1" />
          <Button data-testid="terminal-connect" onClick={() => void app.ask("TerminalAPI.Restart", id)}>
            Connect now
          </Button>
        </div>
      ) : null}
      {code !== null && !p.pane.problem ? (
        <div className="flex h-9 shrink-0 items-center gap-2.5 border-t border-border px-3" role="status">
          <Badge tone={code === 0 ? "calm" : "bad"}>{code < 0 ? "killed by a signal" : `exit ${code}`}</Badge>
          <span className="text-xs text-text-faint">The program exited.</span>
          <span className="flex-1" />
          <Button data-testid="terminal-restart" onClick={() => void restart()}>
            Restart
          </Button>
        </div>
      ) : null}
    </div>
  );

  async function restart() {
    const info = await app.ask("TerminalAPI.Restart", id);
    if (!info) return;
    setExit(null);
    wasRunning.current = true;
    app.panes.update(info);
    screen.current?.restart();
    screen.current?.term.focus();
  }
}
