import type { Methods } from "./types";

export type { Methods } from "./types";

export type Method = keyof Methods;

/** Calls Go. Rejects only with a `CallError`. */
export type Call = <M extends Method>(method: M, ...args: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
