import { useEffect, type RefObject } from "react";
import type { PanePoint } from "@/bridge/types";
import { emptyInput, toPage } from "./input";
import type { Surface } from "./surface";

/** Sends touches on the picture to the page, when the app runs on a phone or a touch screen. */
export function useTouch(
  canvas: RefObject<HTMLCanvasElement | null>,
  surface: Surface | null,
  focus: () => void,
): void {
  useEffect(() => {
    const picture = canvas.current;
    if (!picture || !surface) return;
    const points = (list: TouchList): PanePoint[] =>
      Array.from(list).map((t) => ({
        id: t.identifier % 1000,
        ...toPage(t.clientX, t.clientY, picture.getBoundingClientRect(), surface.page),
      }));
    const send = (what: string) => (e: TouchEvent) => {
      // Prevents the default mouse events.
      e.preventDefault();
      if (what === "start") focus();
      surface.input({ ...emptyInput, kind: "touch", text: what, points: points(e.targetTouches) });
    };
    const all = [
      ["touchstart", send("start")],
      ["touchmove", send("move")],
      ["touchend", send("end")],
      ["touchcancel", send("cancel")],
    ] as const;
    for (const [type, f] of all) picture.addEventListener(type, f, { passive: false });
    return () => {
      for (const [type, f] of all) picture.removeEventListener(type, f);
    };
  }, [canvas, surface, focus]);
}
