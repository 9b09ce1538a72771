/** The parts of a WebSocket that this code uses; tests provide their own. */
export interface SocketLike {
  binaryType: BinaryType;
  readyState: number;
  onopen: ((ev: Event) => void) | null;
  onmessage: ((ev: MessageEvent) => void) | null;
  onclose: ((ev: CloseEvent) => void) | null;
  send(data: string | ArrayBufferView<ArrayBuffer>): void;
  close(code?: number): void;
}

/** Opens the socket for a path of the stream, such as `/v1/events`. */
export type Dial = (path: string) => SocketLike;

type Message = object | Uint8Array<ArrayBuffer>;

export interface SocketHandlers {
  open?: () => void;
  text?: (message: unknown) => void;
  binary?: (data: ArrayBuffer) => void;
  /** The socket closed; a new one is opened after `retryMs` unless it is 0. */
  down?: (code: number, retryMs: number) => void;
}

const firstWait = 250;
const longestWait = 8_000;
const open = 1;

/** The delay before the given attempt (from 0), with up to a quarter of jitter. */
export function backOff(tries: number, random: () => number = Math.random): number {
  const wait = Math.min(longestWait, firstWait * 2 ** tries);
  return Math.round(wait * (1 + random() / 4));
}

/**
 * A socket that reconnects. `path` is called for every attempt, because it contains what
 * has arrived so far. After `close` no callback is called.
 */
export class ReconnectingSocket {
  private socket: SocketLike | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  /** Messages sent before the requested socket was open; null once it was open, or lost. */
  private held: Message[] | null = [];
  private closed = false;

  constructor(
    private readonly dial: Dial,
    private readonly path: () => string,
    private readonly on: SocketHandlers,
  ) {
    this.connect();
  }

  /** Sends bytes, or an object as text, if the socket is open; false means that nothing was sent. */
  send(message: Message): boolean {
    if (this.socket?.readyState !== open) return false;
    this.socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
    return true;
  }

  /**
   * The same as `send`, but messages that are passed before the socket is open are sent once it is. Messages during a
   * lost connection are lost, too.
   */
  say(message: Message): void {
    if (!this.send(message)) this.held?.push(message);
  }

  /** Closes the socket and connects again immediately. */
  redial(): void {
    this.detach();
    this.tries = 0;
    this.held ??= [];
    this.connect();
  }

  /** Closes the socket and does not reconnect until `redial`. */
  rest(): void {
    this.detach();
    this.held = null;
  }

  close(): void {
    this.closed = true;
    this.rest();
  }

  private detach() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  private connect() {
    if (this.closed) return;
    const socket = this.dial(this.path());
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.on.open?.();
      for (const message of this.held ?? []) this.send(message);
      this.held = null;
    };
    socket.onmessage = (ev: MessageEvent<unknown>) => {
      // Only a socket that carried data counts as a working one: a server
      // that accepts and closes immediately must not be contacted in a tight loop.
      this.tries = 0;
      if (ev.data instanceof ArrayBuffer) this.on.binary?.(ev.data);
      else if (typeof ev.data === "string") this.text(ev.data);
    };
    socket.onclose = (ev) => {
      this.socket = null;
      this.held = null;
      const wait = backOff(this.tries);
      this.tries++;
      this.on.down?.(ev.code, wait);
      this.timer = setTimeout(() => this.connect(), wait);
    };
  }

  private text(data: string) {
    let message: unknown;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    this.on.text?.(message);
  }
}

/** Connects to the loopback stream with its token, or to the page's own origin if `url` is empty. */
export function dialer(url: string, token: string): Dial {
  const origin = url || location.origin.replace(/^http/, "ws");
  const protocols = token ? ["goalpost.v1", `token.${token}`] : ["goalpost.v1"];
  return (path) => new WebSocket(origin + path, protocols);
}
