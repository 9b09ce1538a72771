import { ReconnectingSocket, type Dial } from "./socket";

export interface TerminalHandlers {
  /** Bytes to write, each exactly once and in order; call `ack(end)` after they are written. */
  data: (bytes: Uint8Array<ArrayBuffer>, end: number) => void;
  /** Output before `to` is no longer available. */
  lost: (from: number, to: number) => void;
  exit: (code: number) => void;
  /** The terminal has another size than this space. */
  size: (cols: number, rows: number) => void;
  /** Input was refused: the program does not read it. */
  refused: (why: string) => void;
  link: (state: "open" | "down") => void;
}

export interface TerminalStream {
  ack(offset: number): void;
  input(text: string): void;
  /** Bytes that are not valid text, such as old mouse reports. */
  inputBytes(bytes: Uint8Array<ArrayBuffer>): void;
  /** The space in character cells; `looks`: it never sets the terminal's size. */
  size(cols: number, rows: number, looks: boolean): void;
  /** The user turned to this window: the terminal gets its size. */
  keyboard(): void;
  /** Continues after an exit, because the program runs again and prints below the existing output. */
  restart(): void;
  close(): void;
}

interface TerminalNews {
  t?: string;
  from?: number;
  to?: number;
  code?: number;
  cols?: number;
  rows?: number;
  text?: string;
}

const header = 8;

/**
 * Follows one terminal from byte 0, and after a lost socket continues at the
 * byte after the last one that was delivered.
 */
export function openTerminal(dial: Dial, pane: string, on: TerminalHandlers): TerminalStream {
  let next = 0;
  let wanted: { cols: number; rows: number; looks: boolean } | null = null;

  const frame = (data: ArrayBuffer) => {
    if (data.byteLength < header) return;
    const offset = Number(new DataView(data).getBigUint64(0));
    const end = offset + data.byteLength - header;
    if (end <= next) return;
    if (offset > next) on.lost(next, offset);
    const skip = Math.max(0, next - offset);
    next = end;
    on.data(new Uint8Array(data, header + skip), end);
  };

  const text = (message: unknown) => {
    const m = message as TerminalNews;
    if (m.t === "lost" && m.from !== undefined && m.to !== undefined && m.to > next) {
      on.lost(m.from, m.to);
      next = m.to;
    } else if (m.t === "exit") {
      on.exit(m.code ?? 0);
      link.rest();
    } else if (m.t === "problem") on.refused(m.text ?? "");
    else if (m.t === "size" && m.cols !== undefined && m.rows !== undefined) on.size(m.cols, m.rows);
  };

  const link: ReconnectingSocket = new ReconnectingSocket(
    dial,
    () => `/v1/terminal/${encodeURIComponent(pane)}?offset=${next}`,
    {
      open: () => {
        if (wanted) link.send({ t: "size", ...wanted });
        on.link("open");
      },
      binary: frame,
      text,
      down: () => on.link("down"),
    },
  );

  return {
    ack: (n) => void link.send({ t: "ack", n }),
    input: (d) => link.say({ t: "in", d }),
    inputBytes: (bytes) => link.say(bytes),
    size: (cols, rows, looks) => {
      wanted = { cols, rows, looks };
      link.send({ t: "size", ...wanted });
    },
    keyboard: () => link.say({ t: "keyboard" }),
    restart: () => link.redial(),
    close: () => link.close(),
  };
}
