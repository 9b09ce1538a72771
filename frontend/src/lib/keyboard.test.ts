import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { focusElement } from "./keyboard";

/** Plays the page's layout: reports a size when the test calls it. */
let layOut: () => void;
let watched: number;

beforeEach(() => {
  watched = 0;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: () => void) {
        layOut = callback;
      }
      observe() {
        watched++;
      }
      disconnect() {
        watched--;
      }
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

function part() {
  const host = document.createElement("div");
  const input = host.appendChild(document.createElement("textarea"));
  return { host, input };
}

test("what is not on the page yet gets the keyboard when it is laid out", () => {
  const { host, input } = part();
  focusElement(host, () => input.focus());
  expect(document.activeElement).toBe(document.body);
  document.body.append(host);
  layOut();
  expect(document.activeElement).toBe(input);
  expect(watched).toBe(0);
});

test("what can have it gets it at once, and nothing is watched", () => {
  const { host, input } = part();
  document.body.append(host);
  focusElement(host, () => input.focus());
  expect(document.activeElement).toBe(input);
  expect(watched).toBe(0);
});

test("nobody who went elsewhere is called back", () => {
  const { host, input } = part();
  const other = document.body.appendChild(document.createElement("input"));
  focusElement(host, () => input.focus());
  other.focus();
  document.body.append(host);
  layOut();
  expect(document.activeElement).toBe(other);
  expect(watched).toBe(0);
});

test("a pane that is not the active one any more asks no longer", () => {
  const { host, input } = part();
  focusElement(host, () => input.focus())();
  expect(watched).toBe(0);
});
