import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import type { PaneInfo, PaneOverlay } from "@/bridge/types";
import { focusElement } from "@/lib/keyboard";
import { isPhone } from "@/lib/viewer";
import type { App } from "@/store/app";
import { useApp } from "@/store/context";
import { ScaledNote } from "@/ui/scalednote";
import { usePageTheme } from "@/ui/usepagetheme";
import { useTakenSize } from "@/ui/usetakensize";
import { AgentPointer } from "./agentcursor";
import { BookmarksPanel } from "./bookmarks";
import { BlankPage, FullscreenNote, PageNotice, PageProblem, Reconnecting } from "./covers";
import { Downloads } from "./downloads";
import { FindBar } from "./findbar";
import { useKeyboard } from "./keyboard";
import { Logins, SaveLoginPrompt } from "./logins";
import { useMouse } from "./mouse";
import { Questions } from "./prompts";
import { shortcutOf } from "./shortcuts";
import { SitePanel } from "./site";
import { Toolbar, type Panel } from "./toolbar";
import { useTouch } from "./touch";
import { useCopied, useFocusOnOpen, useSurface, useSurfaceSize, useSurfaceState, type Size } from "./usesurface";

interface BrowserViewProps {
  pane: PaneInfo;
  /** The pane is on the screen and nothing covers the workspace. */
  visible: boolean;
  active: boolean;
}

/** The size of the picture in its space: scaled down if it does not fit, never up. */
function fitToViewport(page: Size, space: Size): Size {
  const scale = Math.min(1, space.width / page.width, space.height / page.height);
  return { width: page.width * scale, height: page.height * scale };
}

/** Whether the page is in full screen. The toolbar stays while a goal has the page, and on a phone, which has no Esc. */
const fillsPane = (pane: PaneInfo, overlay: PaneOverlay) => overlay.fullscreen && pane.goal_id === "" && !isPhone();

/** What Esc closes before the page gets it: its full screen, then what opened over it. */
function escapeOf(app: App, pane: PaneInfo, fills: boolean, close: (() => void) | null): (() => void) | null {
  return fills ? () => void app.ask("BrowserAPI.LeaveFullscreen", pane.id) : close;
}

export function BrowserView({ pane, visible, active }: BrowserViewProps) {
  const app = useApp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const keys = useRef<HTMLTextAreaElement>(null);
  const address = useRef<HTMLInputElement>(null);
  const [panel, setPanel] = useState<Panel>(null);
  const [arrival, setArrival] = useState(false);

  const { surface, page, link, overlay, known } = useSurface(pane, canvas);
  const space = useSurfaceSize(surface, area);
  useSurfaceState(surface, pane.running, visible, active);
  useTakenSize(
    visible && link === "open" && (pane.goal_id === "" || pane.shared),
    useCallback(() => surface?.keyboard(), [surface]),
  );
  const focus = useFocus(pane, visible && active, area, keys, address);
  const side = useCallback(
    (way: "back" | "forward") => void app.ask(way === "back" ? "BrowserAPI.Back" : "BrowserAPI.Forward", pane.id),
    [app, pane.id],
  );
  useMouse(area, canvas, surface, focus, side);
  useTouch(canvas, surface, focus);
  useCopied(overlay, keys);
  useFocusOnOpen(known ? (overlay.downloads?.length ?? 0) : -1, () => setArrival(true));
  const fills = fillsPane(pane, overlay);
  const shortcut = useCallback(
    (e: KeyboardEvent) =>
      shortcutOf(e, app, pane, overlay.zoom, {
        address: () => address.current?.focus(),
        panel: setPanel,
        close: escapeOf(app, pane, fills, arrival ? () => setArrival(false) : null),
      }),
    [app, pane, overlay.zoom, arrival, fills],
  );
  const keyboard = useKeyboard(surface, shortcut);
  const shown = page ? fitToViewport(page, space) : null;
  const driven = pane.goal_id !== "" && pane.driver === "agent";
  const cursor = driven ? "default" : overlay.cursor;
  const endPanel = () => {
    setPanel(null);
    focus();
  };

  return (
    <div
      className="relative flex h-full flex-col bg-surface"
      data-testid="browser"
      data-pane={pane.id}
      data-link={link}
      data-url={pane.url}
    >
      {pane.inspects ? (
        <ToolsTheme pane={pane.id} />
      ) : fills ? null : (
        <Toolbar pane={pane} address={address} zoom={overlay.zoom} onEntered={focus} onPanel={setPanel} />
      )}
      <div ref={area} className="relative min-h-0 flex-1 overflow-hidden bg-surface-raised">
        <canvas
          ref={canvas}
          data-testid="browser-canvas"
          role="img"
          aria-label={`Page ${pane.title || pane.url}`}
          data-zoom={overlay.zoom}
          data-cursor={overlay.cursor}
          className="absolute top-0 left-0 block touch-none"
          style={shown ? { ...shown, cursor } : { visibility: "hidden" }}
        />
        <textarea
          ref={keys}
          data-testid="browser-keys"
          aria-label={`Keyboard of the page ${pane.title}`}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          className="absolute top-0 left-0 size-px resize-none opacity-0"
          {...keyboard}
        />
        {fills ? <FullscreenNote pane={pane} /> : null}
        {page && shown ? <Agent pane={pane} page={page} shown={shown} /> : null}
        {driven ? (
          <div aria-hidden className="pointer-events-none absolute inset-0 z-[5] ring-2 ring-agent ring-inset" />
        ) : null}
        {/* One below the other: nothing that appears covers the buttons of another. */}
        <div className="pointer-events-none absolute inset-0 z-10 flex flex-col">
          <div className="flex min-h-0 flex-1 flex-col items-end gap-2 p-2 *:pointer-events-auto">
            <SaveLoginPrompt pane={pane} overlay={overlay} />
            <Panels panel={panel} pane={pane} overlay={overlay} onClose={endPanel} />
            {arrival && panel !== "downloads" ? (
              <Downloads passing pane={pane} list={overlay.downloads ?? []} onClose={() => setArrival(false)} />
            ) : null}
          </div>
          <PageNotice notice={pane.notice} />
        </div>
        {surface && page && shown ? (
          <Questions
            pane={pane}
            overlay={overlay}
            surface={surface}
            space={shown}
            scale={shown.width / page.width}
            focus={focus}
          />
        ) : null}
        {pane.url === "about:blank" && !pane.problem && !pane.inspects ? <BlankPage /> : null}
        <PageProblem pane={pane} />
        {link === "down" ? <Reconnecting /> : null}
      </div>
      {page && shown && shown.width > 0 && shown.width < page.width ? (
        <ScaledNote
          size={`${page.width} × ${page.height}`}
          scale={shown.width / page.width}
          agents={pane.goal_id !== "" && !pane.shared}
          onFit={isPhone() ? () => surface?.fit() : undefined}
        />
      ) : null}
    </div>
  );
}

/** Draws developer tools in the colors of the window when those change; they open in them. */
function ToolsTheme({ pane }: { pane: string }) {
  const app = useApp();
  const theme = usePageTheme();
  const shown = useRef(theme);
  useEffect(() => {
    if (shown.current === theme) return;
    shown.current = theme;
    void app.ask("BrowserAPI.SetDark", pane, theme !== "light");
  }, [app, pane, theme]);
  return null;
}

/** Focuses the page when its pane becomes active; for a blank page, the address bar. */
function useFocus(
  pane: PaneInfo,
  active: boolean,
  area: RefObject<HTMLDivElement | null>,
  keys: RefObject<HTMLTextAreaElement | null>,
  address: RefObject<HTMLInputElement | null>,
): () => void {
  const focus = useCallback(() => keys.current?.focus({ preventScroll: true }), [keys]);
  useEffect(() => {
    const view = area.current?.parentElement;
    if (!active || !view) return;
    return focusElement(view, () =>
      pane.url === "about:blank" && address.current ? address.current.focus() : focus(),
    );
    // A new address must not take the focus from the address bar.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [active, focus]);
  return focus;
}

/** The place of the agent's action in the displayed picture. */
function Agent({ pane, page, shown }: { pane: PaneInfo; page: Size; shown: Size }) {
  if (!pane.acting) return null;
  return (
    <AgentPointer
      words={pane.acting}
      x={(pane.x * shown.width) / page.width}
      y={(pane.y * shown.height) / page.height}
      width={shown.width}
    />
  );
}

interface PanelsProps {
  panel: Panel;
  pane: PaneInfo;
  overlay: PaneOverlay;
  onClose: () => void;
}

function Panels({ panel, pane, overlay, onClose }: PanelsProps) {
  switch (panel) {
    case "find":
      return <FindBar pane={pane.id} onEnd={onClose} />;
    case "downloads":
      return <Downloads pane={pane} list={overlay.downloads ?? []} onClose={onClose} />;
    case "logins":
      return <Logins pane={pane} onClose={onClose} />;
    case "site":
      return <SitePanel pane={pane} onClose={onClose} />;
    case "library":
      return <BookmarksPanel pane={pane} onClose={onClose} />;
    default:
      return null;
  }
}
