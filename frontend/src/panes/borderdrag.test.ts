import { createDockview, themeLight, type DockviewApi } from "dockview-react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { easeBorders } from "./borderdrag";

/** A real dockview with two groups beside each other, 1000 pixels wide. */
let dock: DockviewApi;
let host: HTMLElement;
let detach: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  host = document.createElement("div");
  document.body.append(host);
  dock = createDockview(host, {
    theme: themeLight,
    createComponent: () => ({ element: document.createElement("div"), init: () => undefined }),
  });
  dock.layout(1_000, 600);
  dock.addPanel({ id: "a", component: "pane" });
  dock.addPanel({ id: "b", component: "pane", position: { referencePanel: "a", direction: "right" } });
  detach = easeBorders(host);
});

afterEach(() => {
  detach();
  dock.dispose();
  host.remove();
  vi.useRealTimers();
});

const width = () => dock.getPanel("a")?.group.width ?? 0;
const line = () => document.querySelector<HTMLElement>(".border-line");
const point = (type: string, clientX: number, at: EventTarget = document.body) =>
  at.dispatchEvent(new PointerEvent(type, { clientX, clientY: 300, bubbles: true, cancelable: true }));

function press() {
  const sash = host.querySelector(".dv-sash");
  if (!sash) throw new Error("there is no border");
  point("pointerdown", 500, sash);
}

test("a dragged border moves a line, and the panes follow when it is dropped", () => {
  press();
  for (let x = 510; x <= 700; x += 10) point("pointermove", x);
  vi.advanceTimersByTime(50);
  expect(width()).toBe(500);
  expect(line()?.style.transform).toBe("translateX(200px)");
  point("pointerup", 700);
  expect(width()).toBe(700);
  expect(line()).toBeNull();
  point("pointermove", 800); // the border is no longer held
  expect(width()).toBe(700);
});

test("the panes also follow while the pointer rests", () => {
  press();
  point("pointermove", 640);
  vi.advanceTimersByTime(200);
  expect(width()).toBe(640);
  expect(line()).not.toBeNull();
  point("pointermove", 300);
  vi.advanceTimersByTime(50);
  expect(line()?.style.transform).toBe("translateX(-200px)");
  point("pointerup", 300);
  expect(width()).toBe(300);
});

test("Escape puts the border back, also after a rest", () => {
  press();
  point("pointermove", 640);
  vi.advanceTimersByTime(200);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { code: "Escape", bubbles: true }));
  expect(width()).toBe(500);
  expect(line()).toBeNull();
  point("pointermove", 800);
  expect(width()).toBe(500);
});

test("the line stops where a pane has its least size", () => {
  press();
  point("pointermove", 5);
  vi.advanceTimersByTime(50);
  expect(line()?.style.transform).toBe("translateX(-400px)");
  point("pointerup", 5);
  expect(width()).toBe(100);
});
