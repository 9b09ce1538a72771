import { type ReactNode } from "react";
import { act } from "@/testing/act";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { TooltipProvider } from "@/ui/button";

let drawn: { root: Root; app: App } | null = null;

afterEach(() => {
  if (!drawn) return;
  const { root, app } = drawn;
  drawn = null;
  act(() => root.unmount());
  app.sync.stop();
  document.body.replaceChildren();
});

const flush = { problem: () => undefined, done: () => undefined };

/** Renders a part of the page on a fake Go and removes it when the test ends. `before` runs first. */
export async function mount(
  part: ReactNode,
  bridge = new FakeBridge(),
  before: (app: App) => unknown = () => undefined,
): Promise<{ app: App; bridge: FakeBridge }> {
  const app = new App(bridge, flush);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  drawn = { root, app };
  await before(app);
  act(() => {
    root.render(
      <AppContext value={app}>
        <TooltipProvider>{part}</TooltipProvider>
      </AppContext>,
    );
  });
  await flushAll();
  return { app, bridge };
}

/** Waits for pending answers. */
export const flushAll = () => act(() => new Promise<void>((done) => setTimeout(done)));

/** Waits until a check succeeds, and returns its result. */
export const until = <T,>(check: () => T): Promise<T> =>
  vi.waitFor(async () => {
    await flushAll();
    return check();
  }, 60_000);

export const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

export const find = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);

export function get(id: string): HTMLElement {
  const el = find(id);
  if (!el) throw new Error(`no ${id} on the page`);
  return el;
}

const element = (what: HTMLElement | string) => (typeof what === "string" ? get(what) : what);

/** Clicks a test id or an element, and waits for the answer. */
export async function press(what: HTMLElement | string) {
  act(() => element(what).click());
  await flushAll();
}

/** Types as a user does: React listens to the native setter's input event. */
export function write(what: HTMLElement | string, text: string) {
  const el = element(what);
  const proto = el instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  act(() => {
    Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(el, text);
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Selects an option by its value. */
export function choose(what: HTMLElement | string, value: string) {
  const el = element(what);
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value")?.set?.call(el, value);
    el.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

/** Returns the element at an index; a missing one fails the test. */
export function nth<T>(list: readonly T[], i: number): T {
  const el = list[i];
  if (!el) throw new Error(`there are ${list.length}, and number ${i} is wanted`);
  return el;
}
