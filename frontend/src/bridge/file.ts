import type { Closer } from "./events";
import { ReconnectingSocket, type Dial } from "./socket";

/** What a text file holds at one moment. */
export interface FileContent {
  text: string;
  /** Names this content when it is saved. */
  version: string;
  /** Why there is no text, `""` if there is one. */
  problem: string;
  readOnly: boolean;
  /** Where a symbolic link leads to, `""` for an ordinary file. */
  target: string;
}

export interface FileHandlers {
  /** The first whole lines of a long text, long before its end has arrived. */
  beginning: (text: string) => void;
  /** The content, at first and after each change on the disk. */
  content: (content: FileContent) => void;
  link: (state: "open" | "down") => void;
}

interface FileNews {
  t?: string;
  version?: string;
  size?: number;
  problem?: string;
  read_only?: boolean;
  target?: string;
}

/** Follows a text file. */
export function openFile(dial: Dial, pane: string, on: FileHandlers): Closer {
  let content: FileContent | null = null;
  let missing = 0;
  let decoder = new TextDecoder();

  const deliver = () => {
    if (!content || missing > 0) return;
    content.text += decoder.decode();
    on.content(content);
    content = null;
  };
  const link = new ReconnectingSocket(dial, () => `/v1/file/${encodeURIComponent(pane)}`, {
    open: () => on.link("open"),
    text: (message) => {
      const m = message as FileNews;
      if (m.t !== "file") return;
      decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      missing = m.size ?? 0;
      content = {
        text: "",
        version: m.version ?? "",
        problem: m.problem ?? "",
        readOnly: m.read_only ?? false,
        target: m.target ?? "",
      };
      deliver();
    },
    binary: (data) => {
      if (!content) return;
      const isFirst = content.text === "";
      content.text += decoder.decode(data, { stream: true });
      missing -= data.byteLength;
      if (isFirst && missing > 0) on.beginning(content.text.slice(0, content.text.lastIndexOf("\n") + 1));
      deliver();
    },
    down: () => {
      content = null;
      on.link("down");
    },
  });
  return { close: () => link.close() };
}
