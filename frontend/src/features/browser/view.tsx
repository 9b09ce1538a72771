import { useCallback, useEffect, useRef, useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { PaneInfo, PaneOverlay } from "@/bridge/types";
import { focusElement } from "@/lib/keyboard";
import { useApp } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon, GlobeIcon, WarnIcon } from "@/ui/icons";
import { Downloads } from "./downloads";
import { FindBar } from "./findbar";
import { useKeyboard } from "./keyboard";
import { BookmarksPanel } from "./bookmarks";
import { useMouse } from "./mouse";
import { Logins, SaveLoginPrompt } from "./logins";
import { AgentPointer } from "./agentcursor";
import { Questions } from "./prompts";
import { usePixelRatio, useIsVisible } from "./pixelratio";
import { shortcutOf } from "./shortcuts";
import { SitePanel } from "./site";
import { Surface } from "./surface";
import { Toolbar, type Panel } from "./toolbar";
import { useTouch } from "./touch";

interface BrowserViewProps {
  pane: PaneInfo;
  /** The pane is on the screen and the workspace is not covered. */
  visible: boolean;
  active: boolean;
}

interface PopupPlacement {
  width: number;
  height: number;
}

const emptyOverlay: PaneOverlay = {
  cursor: "default",
  zoom: 100,
  questions: [],
  downloads: [],
  copied: { n: -1, text: "" },
};

/** The picture's size in its place: as it is when it fits, else smaller, never larger. */
function fitToViewport(page: PopupPlacement, place: PopupPlacement): PopupPlacement {
  const scale = Math.min(1, place.width / page.width, place.height / page.height);
  return { width: page.width * scale, height: page.height * scale };
}

export function BrowserView({ pane, visible, active }: BrowserViewProps) {
  const app = useApp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const keys = useRef<HTMLTextAreaElement>(null);
  const address = useRef<HTMLInputElement>(null);
  const [surface, setSurface] = useState<Surface | null>(null);
  const [page, setPage] = useState<PopupPlacement | null>(null);
  const [place, setPlace] = useState<PopupPlacement>({ width: 0, height: 0 });
  const [link, setLink] = useState<"open" | "down">("open");
  const [overlay, setOverlay] = useState<PaneOverlay>(emptyOverlay);
  const [panel, setPanel] = useState<Panel>(null);
  const [read, setRead] = useState("");

  useEffect(() => {
    const el = canvas.current;
    if (!el) return;
    const s = new Surface(app.bridge, pane.id, el, {
      info: (info) => app.panes.update(info),
      overlay: setOverlay,
      problem: (text) => app.notices.problem({ code: "unavailable", message: text, hint: "", field: "" }),
      link: setLink,
      size: (width, height) => setPage({ width, height }),
    });
    setSurface(s);
    return () => s.close();
  }, [app, pane.id]);

  useEffect(() => {
    const el = area.current;
    if (!el || !surface) return;
    const watch = new ResizeObserver(() => {
      setPlace({ width: el.clientWidth, height: el.clientHeight });
      surface.size(el.clientWidth, el.clientHeight);
    });
    watch.observe(el);
    return () => watch.disconnect();
  }, [surface]);
  usePixelRatio(
    useCallback(() => {
      const el = area.current;
      if (el) surface?.size(el.clientWidth, el.clientHeight);
    }, [surface]),
  );
  const shownAtAll = useIsVisible();

  useEffect(() => {
    if (!pane.running) surface?.forget();
  }, [surface, pane.running]);
  useEffect(() => {
    surface?.visible(visible && shownAtAll);
  }, [surface, visible, shownAtAll]);
  useEffect(() => {
    surface?.focus(active);
  }, [surface, active]);

  const focus = useCallback(() => keys.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const view = area.current?.parentElement;
    if (!active || !visible || !view) return;
    return focusElement(view, () => (pane.url === "about:blank" ? address.current?.focus() : focus()));
    // A new address must not take the keyboard from the address bar.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [active, visible, focus]);

  const side = useCallback(
    (way: "back" | "forward") => void app.ask(way === "back" ? "BrowserAPI.Back" : "BrowserAPI.Forward", pane.id),
    [app, pane.id],
  );
  useMouse(area, canvas, surface, focus, side);
  useTouch(canvas, surface, focus);
  useCopied(overlay, keys);
  useFocusOnOpen(overlay === emptyOverlay ? -1 : overlay.downloads.length, () => setPanel("downloads"));
  const shortcut = useCallback(
    (e: KeyboardEvent) =>
      shortcutOf(e, app, pane, overlay.zoom, { address: () => address.current?.focus(), panel: setPanel }),
    [app, pane, overlay.zoom],
  );
  const keyboard = useKeyboard(surface, shortcut);
  const shown = page ? fitToViewport(page, place) : null;
  const endPanel = () => {
    setPanel(null);
    focus();
  };

  const driven = pane.goal_id !== "" && pane.driver === "agent";

  return (
    <div
      className="relative flex h-full flex-col bg-surface"
      data-testid="browser"
      data-pane={pane.id}
      data-link={link}
      data-url={pane.url}
    >
      <Toolbar pane={pane} address={address} zoom={overlay.zoom} onEntered={focus} onPanel={setPanel} />
      <div ref={area} className="relative min-h-0 flex-1 overflow-hidden bg-surface-raised">
        <canvas
          ref={canvas}
          data-testid="browser-canvas"
          role="img"
          aria-label={`Page ${pane.title || pane.url}`}
          data-zoom={overlay.zoom}
          data-cursor={overlay.cursor}
          className="absolute top-0 left-0 block touch-none"
          style={
            shown
              ? { width: shown.width, height: shown.height, cursor: driven ? "default" : overlay.cursor }
              : { visibility: "hidden" }
          }
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
        {pane.acting && page && shown ? (
          <AgentPointer
            words={pane.acting}
            x={(pane.x * shown.width) / page.width}
            y={(pane.y * shown.height) / page.height}
            width={shown.width}
          />
        ) : null}
        {driven ? (
          <div aria-hidden className="pointer-events-none absolute inset-0 z-[5] ring-2 ring-agent ring-inset" />
        ) : null}
        {/* Over the page: it goes when the user presses a button there, and the page must not move under that. */}
        {pane.notice && pane.notice !== read ? (
          <div
            role="status"
            data-testid="browser-notice"
            className="absolute inset-x-0 bottom-0 z-[6] flex min-h-8 items-center gap-2 border-t border-border bg-surface-raised py-1 pr-1 pl-3 text-xs text-text-muted"
          >
            <span className="selectable min-w-0 flex-1 break-words">{pane.notice}</span>
            <IconButton label="Close" onClick={() => setRead(pane.notice)}>
              <CloseIcon size={12} />
            </IconButton>
          </div>
        ) : null}
        <SaveLoginPrompt pane={pane} overlay={overlay} />
        {panel === "find" ? <FindBar pane={pane.id} onEnd={endPanel} /> : null}
        {panel === "downloads" ? <Downloads pane={pane} list={overlay.downloads} onClose={endPanel} /> : null}
        {panel === "logins" ? <Logins pane={pane} onClose={endPanel} /> : null}
        {panel === "site" ? <SitePanel pane={pane} onClose={endPanel} /> : null}
        {panel === "library" ? <BookmarksPanel pane={pane} onClose={endPanel} /> : null}
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
        {pane.url === "about:blank" && !pane.problem ? <BlankPage /> : null}
        {pane.problem ? (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 bg-surface p-6" role="alert">
            <WarnIcon size={28} className="text-warn" />
            <p className="selectable max-w-md text-center text-sm">{pane.problem}</p>
            <div className="flex gap-2">
              <Button data-testid="browser-problem-reload" onClick={() => void app.ask("BrowserAPI.Reload", pane.id)}>
                Reload
              </Button>
              {pane.running ? (
                <Button data-testid="browser-problem-stop" onClick={() => void app.ask("BrowserAPI.Stop", pane.id)}>
                  Stop its script
                </Button>
              ) : null}
            </div>
          </div>
        ) : null}
        {link === "down" ? (
          <div className="absolute top-2 right-3" role="status">
            <Badge tone="warn" live>
              reconnecting
            </Badge>
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** What the user copies inside the page goes to their own clipboard. */
function useCopied(overlay: PaneOverlay, keys: React.RefObject<HTMLTextAreaElement | null>) {
  const { n, text } = overlay.copied;
  const told = useRef(n);
  useEffect(() => {
    if (n === told.current) return;
    const first = told.current < 0;
    told.current = n;
    // Of several viewers, the one who copied; and nothing that was copied before this one came.
    if (!first && document.activeElement === keys.current) void writeClipboard(text);
  }, [n, text, keys]);
}

/** Calls back when a count grows; -1 is not known yet. */
function useFocusOnOpen(count: number, arrived: () => void) {
  const last = useRef(count);
  const call = useRef(arrived);
  useEffect(() => {
    call.current = arrived;
  });
  useEffect(() => {
    if (last.current >= 0 && count > last.current) call.current();
    last.current = count;
  }, [count]);
}

function BlankPage() {
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-2 bg-surface text-text-faint">
      <GlobeIcon size={26} />
      <p className="text-xs">Enter an address above</p>
    </div>
  );
}
