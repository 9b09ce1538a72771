import type { IDockviewPanelProps } from "dockview-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { BrowserView } from "@/features/browser/view";
import type { TerminalScreen } from "@/features/terminal/xterm";
import { useAppState } from "@/store/context";
import { useControl, useMenuFacts, useIsSearching } from "./context";
import { paneMenu } from "./panemenu";

// xterm is a third of the page's code, so it is loaded after the window.
const TerminalView = lazy(() => import("@/features/terminal/view").then((m) => ({ default: m.TerminalView })));

// CodeMirror, too.
const FileView = lazy(() => import("@/features/file/view").then((m) => ({ default: m.FileView })));

/** The content of a pane: the view of its kind. */
export function PanePanel({ api }: IDockviewPanelProps) {
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === api.id));
  const covered = useAppState((s) => s.route !== "workspace");
  const [shown, setShown] = useState(api.isVisible);
  const [active, setActive] = useState(api.isActive);

  useEffect(() => {
    const watching = [
      api.onDidVisibilityChange((e) => setShown(e.isVisible)),
      api.onDidActiveChange((e) => setActive(e.isActive)),
    ];
    // Reads changes that dockview made between the first render and the subscription.
    setShown(api.isVisible);
    setActive(api.isActive);
    return () => {
      for (const w of watching) w.dispose();
    };
  }, [api]);

  if (!pane) return null;
  const visible = shown && !covered;
  return (
    <div className="h-full overflow-clip rounded-b-[7px]" data-testid="pane" data-kind={pane.kind} data-pane={pane.id}>
      {pane.kind === "terminal" ? (
        <Terminal pane={pane} visible={visible} active={active} />
      ) : pane.kind === "file" ? (
        <Suspense fallback={<div className="h-full bg-surface" />}>
          <FileView pane={pane} active={active && visible} />
        </Suspense>
      ) : (
        <BrowserView pane={pane} visible={visible} active={active} />
      )}
    </div>
  );
}

interface TerminalProps {
  pane: PaneInfo;
  visible: boolean;
  active: boolean;
}

function Terminal({ pane, visible, active }: TerminalProps) {
  const control = useControl();
  const searching = useIsSearching(pane.id);
  const facts = useMenuFacts(pane.id);
  const id = pane.id;
  const onScreen = useCallback(
    (screen: TerminalScreen | null) => {
      if (screen) {
        control.screens.set(id, screen);
        screen.prompts.onBlock = (block) => control.noteBlock(id, block);
        screen.prompts.onFailed = (failed) => control.noteFailed(id, failed?.command ?? "");
      } else control.screens.delete(id);
    },
    [control, id],
  );
  return (
    <Suspense fallback={<div className="h-full bg-surface" />}>
      <TerminalView
        pane={pane}
        visible={visible}
        active={active}
        searching={searching}
        menu={paneMenu(pane, control, facts)}
        turns={control.turns}
        selection={control.selection}
        onSearchEnd={() => control.store.setState({ searching: "" })}
        onRestart={() => control.restart(id)}
        onLeave={() => control.leave(id)}
        onScreen={onScreen}
        onTyped={(data) => control.typed(id, data)}
      />
    </Suspense>
  );
}
