import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { openOutside } from "@/bridge/links";
import { base64 } from "@/lib/base64";
import { bytes } from "@/lib/bytes";
import { focusElement } from "@/lib/keyboard";
import { clip, stripControl } from "@/lib/text";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { usePageTheme } from "@/ui/usepagetheme";
import type { FrameTurns } from "./flowcontrol";
import type { MenuItem } from "@/ui/menu";
import { useTakenSize } from "@/ui/usetakensize";
import { TerminalScreen, type ScreenHandlers, type ScreenOptions } from "./xterm";

type Scaled = NonNullable<Parameters<ScreenHandlers["scaled"]>[0]>;

export interface TerminalProps {
  pane: PaneInfo;
  /** The pane is on the screen and nothing covers the workspace. */
  visible: boolean;
  active: boolean;
  searching: boolean;
  turns: FrameTurns;
  /** The entries of the context menu. */
  menu: readonly MenuItem[];
  /** The newest selection in any terminal. */
  selection: { text: string };
  onSearchEnd: () => void;
  onRestart: () => void;
  /** The keyboard focus leaves the terminal. */
  onLeave: () => void;
  onScreen: (screen: TerminalScreen | null) => void;
  /** Input that the user typed. */
  onTyped: (data: string) => void;
}

const bellMs = 400;
/** The size of the largest picture that is pasted; Go has the same. */
const maxPicture = 5 * 1024 * 1024;

/** The screen of a terminal pane and the state of its program. */
export function useTerminal(p: TerminalProps) {
  const app = useApp();
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<TerminalScreen | null>(null);
  const [link, setLink] = useState<"open" | "down">("open");
  const [exit, setExit] = useState<number | null>(null);
  const [scaled, setScaled] = useState<Scaled | null>(null);
  const [bell, ring] = useBell();
  const options = useScreenOptions(p.pane.terminal_profile);
  const newest = useRef({ props: p, options });
  const { id, running } = p.pane;

  useEffect(() => {
    newest.current = { props: p, options };
  });

  useEffect(() => {
    const props = () => newest.current.props;
    const s = openScreen(app, id, newest.current.options, props, {
      link: setLink,
      exit: setExit,
      bell: ring,
      scaled: setScaled,
      restarted: () => setExit(null),
    });
    screen.current = s;
    props().onScreen(s);
    const el = host.current;
    if (el) s.attach(el);
    const watch = new ResizeObserver(() => s.fit());
    if (el) watch.observe(el);
    // Cells are measured with the fallback font until the real font has loaded.
    void document.fonts.load('13px "JetBrains Mono"').then(() => {
      if (screen.current === s) s.fontLoaded();
    });
    return () => {
      watch.disconnect();
      screen.current = null;
      newest.current.props.onScreen(null);
      s.close();
    };
  }, [app, id, ring]);

  const theme = usePageTheme();
  useEffect(() => {
    const timer = requestAnimationFrame(() => screen.current?.look(options));
    return () => cancelAnimationFrame(timer);
  }, [options, theme]);

  useEffect(() => {
    screen.current?.show(p.visible);
  }, [p.visible]);
  useTakenSize(
    p.visible && link === "open" && (p.pane.goal_id === "" || p.pane.shared),
    useCallback(() => screen.current?.keyboard(), []),
  );

  useEffect(() => {
    if (!p.active || !p.visible || p.searching || p.pane.ask || !host.current) return;
    return focusElement(host.current, () => screen.current?.term.focus());
  }, [p.active, p.visible, p.searching, p.pane.ask]);

  const wasRunning = useRef(running);
  useEffect(() => {
    if (running && !wasRunning.current) screen.current?.restart();
    wasRunning.current = running;
  }, [running]);

  return {
    host,
    screen,
    link,
    bell,
    scaled,
    colors: options.colors,
    exit: running ? exit : (exit ?? p.pane.exit),
  };
}

/** Opens the screen of a pane and passes its reports to the newest props. */
function openScreen(
  app: App,
  id: string,
  options: ScreenOptions,
  props: () => TerminalProps,
  on: Pick<ScreenHandlers, "link" | "exit" | "bell" | "scaled" | "restarted">,
): TerminalScreen {
  return new TerminalScreen(app.bridge, id, options, props().turns, {
    ...on,
    // For a program that has ended, the pane already says so.
    refused: (why) => {
      if (props().pane.running)
        app.notices.problem({ code: "conflict", message: `Not typed: ${why}`, hint: "", field: "" });
    },
    openLink: (url, outside) => (outside ? openOutside(url) : void app.panes.openBrowser(url)),
    // The files of a server are not those of this computer, and a goal's terminal names only those of its folder.
    findFiles: async (dir, names) => {
      const { server, goal_id: goal, ...pane } = props().pane;
      if (server) return [];
      const from = dir || pane.cwd || pane.dir;
      const found = goal
        ? app.ask("ChangesAPI.Find", goal, from, names)
        : app.ask("WorkspaceAPI.FindFiles", from, names);
      return (await found) ?? [];
    },
    openFile: ({ path, line }) => {
      const goal = props().pane.goal_id;
      void (goal ? app.panes.openGoalFile(goal, path, line) : app.panes.openFile(path, line));
    },
    leave: () => props().onLeave(),
    selected: (text) => {
      props().selection.text = text;
    },
    selection: () => props().selection.text,
    typed: (data) => props().onTyped(data),
    pasteImage: async (picture) => {
      if (picture.size <= maxPicture) return (await app.ask("TerminalAPI.PasteImage", id, await base64(picture))) ?? "";
      const message = `Not pasted: the picture has ${bytes(picture.size)}`;
      app.notices.problem({ code: "invalid", message, hint: "a picture of up to 5 MiB can be pasted", field: "" });
      return "";
    },
    confirmPaste: (lines, paste) => confirmPaste(app, lines, paste),
  });
}

function confirmPaste(app: App, lines: readonly string[], paste: (text: string) => void) {
  const first = stripControl(clip(lines.find((line) => line.trim() !== "")?.trim() ?? "", 60));
  app.confirm({
    title: `Paste ${lines.length} lines?`,
    text: `The program takes each line as if you typed it and pressed Enter; a shell runs it. They begin with “${first}”.`,
    yes: "Paste the lines",
    danger: false,
    run: () => paste(lines.join("\n")),
    other: {
      label: "Paste as one line",
      run: () =>
        paste(
          lines
            .map((line) => line.trim())
            .join(" ")
            .trim(),
        ),
    },
  });
}

/** The settings of the screen as one object, which changes with them. */
function useScreenOptions(profile: string): ScreenOptions {
  const fontSize = useAppState((s) => s.settings?.font_size ?? 13);
  const scrollback = useAppState((s) => s.settings?.scrollback ?? 10_000);
  const fontFamily = useAppState((s) => s.settings?.font_family ?? "");
  const webgl = useAppState((s) => s.settings?.webgl ?? false);
  const screenReader = useAppState((s) => s.settings?.screen_reader ?? false);
  const cursorStyle = useAppState((s) => s.settings?.cursor_style || "block");
  const colors = useAppState((s) => {
    const own = s.terminalProfiles.find((p) => p.name === profile)?.color_scheme;
    return s.colorSchemes.find((c) => c.name === (own || s.settings?.color_scheme)) ?? null;
  });
  return useMemo(
    () => ({ fontSize, scrollback, fontFamily, webgl, screenReader, cursorStyle, colors }),
    [fontSize, scrollback, fontFamily, webgl, screenReader, cursorStyle, colors],
  );
}

/** Whether the bell has just rung, and the function that rings it. */
function useBell(): [boolean, () => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (!at) return;
    const timer = setTimeout(() => setAt(0), bellMs);
    return () => clearTimeout(timer);
  }, [at]);
  const ring = useMemo(() => () => setAt(Date.now()), []);
  return [at !== 0, ring];
}
