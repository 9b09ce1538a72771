import { useEffect, type RefObject } from "react";
import { buttonName, emptyInput, modifiers, toPage, wheelPixels } from "./input";
import type { Surface } from "./surface";

/** Sends mouse events over the picture. A drag continues outside until the button is released. */
export function useMouse(
  area: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  surface: Surface | null,
  focus: () => void,
  side: (way: "back" | "forward") => void,
): void {
  useEffect(() => {
    const el = area.current;
    const picture = canvas.current;
    if (!el || !picture || !surface) return;
    let held = false;

    const at = (e: MouseEvent) => ({
      ...emptyInput,
      ...toPage(e.clientX, e.clientY, picture.getBoundingClientRect(), surface.page),
      buttons: e.buttons,
      modifiers: modifiers(e),
    });
    const onPicture = (e: MouseEvent) => e.target === picture;

    const move = (e: MouseEvent) => {
      if (!held && !onPicture(e)) return;
      surface.input({ ...at(e), kind: "move" });
    };
    const down = (e: MouseEvent) => {
      if (!onPicture(e)) return;
      if (e.button === 3 || e.button === 4) {
        e.preventDefault(); // otherwise the app's own browser goes back
        side(e.button === 3 ? "back" : "forward");
        return;
      }
      // The default action would move the focus to the body.
      e.preventDefault();
      focus();
      held = true;
      surface.input({ ...at(e), kind: "down", button: buttonName(e.button), clicks: Math.max(1, e.detail) });
    };
    const up = (e: MouseEvent) => {
      if (e.button === 3 || e.button === 4) e.preventDefault();
      if (!held || e.button > 2) return;
      held = e.buttons !== 0;
      surface.input({ ...at(e), kind: "up", button: buttonName(e.button), clicks: Math.max(1, e.detail) });
    };
    const wheel = (e: WheelEvent) => {
      if (!onPicture(e)) return;
      e.preventDefault();
      surface.input({
        ...at(e),
        kind: "wheel",
        dx: wheelPixels(e.deltaX, e.deltaMode, surface.page.width),
        dy: wheelPixels(e.deltaY, e.deltaMode, surface.page.height),
      });
    };
    const menu = (e: MouseEvent) => e.preventDefault();

    el.addEventListener("mousedown", down);
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", up);
    el.addEventListener("wheel", wheel, { passive: false });
    el.addEventListener("contextmenu", menu);
    return () => {
      el.removeEventListener("mousedown", down);
      window.removeEventListener("mousemove", move);
      window.removeEventListener("mouseup", up);
      el.removeEventListener("wheel", wheel);
      el.removeEventListener("contextmenu", menu);
    };
  }, [area, canvas, surface, focus, side]);
}
