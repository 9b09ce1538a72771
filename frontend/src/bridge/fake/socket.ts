import type { Dial, SocketLike } from "@/bridge/socket";

/** A WebSocket whose server side is played by a test. */
export class FakeSocket implements SocketLike {
  binaryType: BinaryType = "blob";
  readyState = 0;
  onopen: ((ev: Event) => void) | null = null;
  onmessage: ((ev: MessageEvent) => void) | null = null;
  onclose: ((ev: CloseEvent) => void) | null = null;
  readonly sent: unknown[] = [];
  closedWith: number | undefined;

  constructor(readonly path: string) {}

  send(data: string | ArrayBufferView<ArrayBuffer>): void {
    this.sent.push(typeof data === "string" ? JSON.parse(data) : data);
  }

  close(code?: number): void {
    this.readyState = 3;
    this.closedWith = code;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.(new Event("open"));
  }

  say(data: object): void {
    const body = data instanceof ArrayBuffer ? data : JSON.stringify(data);
    this.onmessage?.(new MessageEvent("message", { data: body }));
  }

  lose(code = 1006): void {
    this.readyState = 3;
    this.onclose?.(Object.assign(new Event("close"), { code }) as CloseEvent);
  }
}

/** A dial function that records every socket, newest last. */
export function fakeDial(): { dial: Dial; sockets: FakeSocket[]; last: () => FakeSocket } {
  const sockets: FakeSocket[] = [];
  const dial: Dial = (path) => {
    const socket = new FakeSocket(path);
    sockets.push(socket);
    return socket;
  };
  const last = () => {
    const socket = sockets[sockets.length - 1];
    if (!socket) throw new Error("nothing was dialled");
    return socket;
  };
  return { dial, sockets, last };
}
