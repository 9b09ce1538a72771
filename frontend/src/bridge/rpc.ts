import { ReconnectingSocket, type Dial } from "./socket";
import { asProblem, CallError } from "./problem";
import type { Call } from "./methods";
import type { Problem } from "./types";

interface Waiting {
  line: { id: number; method: string; args: unknown[] };
  sent: boolean;
  resolve: (value: never) => void;
  reject: (reason: CallError) => void;
}

const lost: Problem = {
  code: "unavailable",
  message: "the connection to Goalpost was lost",
  hint: "reconnecting; try again in a moment",
  field: "",
};

/**
 * Calls over one WebSocket, matched by id and answered in any order. A call that
 * was in progress when the socket closed is rejected, not repeated: it may have
 * been executed. A call made while the socket is down waits for it.
 */
export class Rpc {
  private next = 1;
  private readonly waiting = new Map<number, Waiting>();
  private readonly link: ReconnectingSocket;

  constructor(
    dial: Dial,
    private readonly on: { open?: () => void; down?: (code: number) => void } = {},
  ) {
    this.link = new ReconnectingSocket(dial, () => "/v1/rpc", {
      open: () => {
        for (const w of this.waiting.values()) this.push(w);
        this.on.open?.();
      },
      text: (message) => this.answer(message),
      down: (code) => {
        for (const [id, w] of this.waiting) {
          if (!w.sent) continue;
          this.waiting.delete(id);
          w.reject(new CallError(lost));
        }
        this.on.down?.(code);
      },
    });
  }

  readonly call: Call = (method, ...args) =>
    new Promise((resolve, reject) => {
      const w: Waiting = { line: { id: this.next++, method, args }, sent: false, resolve, reject };
      this.waiting.set(w.line.id, w);
      this.push(w);
    });

  /** Rejects waiting calls with the given problem; used when only logging in helps. */
  refuse(problem: Problem): void {
    for (const w of this.waiting.values()) w.reject(new CallError(problem));
    this.waiting.clear();
  }

  close(): void {
    this.link.close();
    this.refuse(lost);
  }

  private push(w: Waiting) {
    w.sent ||= this.link.send(w.line);
  }

  private answer(message: unknown) {
    const { id, result, problem } = message as { id?: unknown; result?: unknown; problem?: unknown };
    if (typeof id !== "number") return;
    const w = this.waiting.get(id);
    if (!w) return;
    this.waiting.delete(id);
    if (problem) w.reject(new CallError(asProblem(problem)));
    else w.resolve(result as never);
  }
}
