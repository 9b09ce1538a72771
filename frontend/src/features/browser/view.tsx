import { useCallback, useEffect, useRef, useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { GlobeIcon, WarnIcon } from "@/ui/icons";
import { useKeyboard } from "./keyboard";
import { useMouse } from "./mouse";
import { AgentPointer } from "./pointer";
import { Surface } from "./surface";
import { Toolbar } from "./toolbar";

interface BrowserViewProps {
  pane: PaneInfo;
  /** The pane is on the screen and the workspace is not covered. */
  visible: boolean;
  active: boolean;
}

interface Place {
  width: number;
  height: number;
}

/** The picture's size in its place: as it is when it fits, else smaller, never larger. */
function fitted(page: Place, place: Place): Place {
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
  const [page, setPage] = useState<Place | null>(null);
  const [place, setPlace] = useState<Place>({ width: 0, height: 0 });
  const [link, setLink] = useState<"open" | "down">("open");

  useEffect(() => {
    const el = canvas.current;
    if (!el) return;
    const s = new Surface(app.bridge, pane.id, el, {
      info: (info) => app.paneInfo(info),
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

  useEffect(() => {
    surface?.visible(visible);
  }, [surface, visible]);

  const focus = useCallback(() => keys.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (!active || !visible) return;
    if (pane.url === "about:blank") address.current?.focus();
    else focus();
    // A new address must not take the keyboard from the address bar.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [active, visible, focus]);

  useMouse(area, canvas, surface, focus);
  const keyboard = useKeyboard(surface);
  const shown = page ? fitted(page, place) : null;

  return (
    <div
      className="relative flex h-full flex-col bg-s1"
      data-testid="browser"
      data-pane={pane.id}
      data-link={link}
      data-url={pane.url}
    >
      <Toolbar pane={pane} address={address} onEntered={focus} />
      <div ref={area} className="relative min-h-0 flex-1 overflow-hidden bg-s2">
        <canvas
          ref={canvas}
          data-testid="browser-canvas"
          role="img"
          aria-label={`Page ${pane.title || pane.url}`}
          className="absolute top-0 left-0 block"
          style={shown ? { width: shown.width, height: shown.height } : { visibility: "hidden" }}
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
        {pane.url === "about:blank" && !pane.problem ? <BlankPage /> : null}
        {pane.problem ? (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 bg-s1 p-6" role="alert">
            <WarnIcon size={28} className="text-warn" />
            <p className="selectable max-w-md text-center text-sm">{pane.problem}</p>
            <Button data-testid="browser-problem-reload" onClick={() => void app.ask("BrowserAPI.Reload", pane.id)}>
              Reload
            </Button>
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

function BlankPage() {
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-2 bg-s1 text-t3">
      <GlobeIcon size={26} />
      <p className="text-xs">Enter an address above</p>
    </div>
  );
}
