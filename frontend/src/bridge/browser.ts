import { ReconnectingSocket, type Dial } from "./socket";
import type { PaneInfo, PaneInput, PaneOverlay } from "./types";

export interface Frame {
  n: number;
  /** CSS pixels of the page in the picture. */
  width: number;
  height: number;
  jpeg: Uint8Array<ArrayBuffer>;
}

export interface BrowserHandlers {
  /** Draw it, then `ack(n)`. */
  frame: (frame: Frame) => void;
  info: (pane: PaneInfo) => void;
  overlay: (overlay: PaneOverlay) => void;
  problem: (text: string) => void;
  link: (state: "open" | "down") => void;
}

export interface BrowserStream {
  ack(n: number): void;
  /** The space in CSS pixels, and the screen's pixels per CSS pixel; `looks`: it never sets the page's size. */
  size(w: number, h: number, r: number, looks: boolean): void;
  /** The user turned to this window: the page gets its size. */
  keyboard(): void;
  input(input: PaneInput): void;
  visible(on: boolean): void;
  close(): void;
}

const header = 8;

export function readFrame(data: ArrayBuffer): Frame | null {
  if (data.byteLength <= header) return null;
  const view = new DataView(data);
  return {
    n: view.getUint32(0),
    width: view.getUint16(4),
    height: view.getUint16(6),
    jpeg: new Uint8Array(data, header),
  };
}

export function openBrowser(dial: Dial, pane: string, on: BrowserHandlers): BrowserStream {
  let wanted: { w: number; h: number; r: number; looks: boolean } | null = null;
  let shown = true;

  const link: ReconnectingSocket = new ReconnectingSocket(dial, () => `/v1/browser/${encodeURIComponent(pane)}`, {
    open: () => {
      if (!shown) link.send({ t: "visible", on: false });
      if (wanted) link.send({ t: "size", ...wanted });
      on.link("open");
    },
    binary: (data) => {
      const frame = readFrame(data);
      if (frame) on.frame(frame);
    },
    text: (message) => {
      const m = message as { t?: string; pane?: PaneInfo; overlay?: PaneOverlay; text?: string };
      if (m.t === "info" && m.pane) on.info(m.pane);
      else if (m.t === "overlay" && m.overlay) on.overlay(m.overlay);
      else if (m.t === "problem" && m.text) on.problem(m.text);
    },
    down: () => on.link("down"),
  });

  return {
    ack: (n) => void link.send({ t: "ack", n }),
    size: (w, h, r, looks) => {
      wanted = { w, h, r, looks };
      link.send({ t: "size", ...wanted });
    },
    keyboard: () => link.say({ t: "keyboard" }),
    input: (i) => link.say({ t: "input", i }),
    visible: (on) => {
      shown = on;
      link.send({ t: "visible", on });
    },
    close: () => link.close(),
  };
}
