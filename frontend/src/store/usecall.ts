import { useCallback, useEffect, useRef, useState } from "react";
import type { Method, Methods } from "@/bridge/methods";
import { asProblem } from "@/bridge/problem";
import type { Problem } from "@/bridge/types";
import { useApp } from "./context";

type Answer<M extends Method> = ReturnType<Methods[M]>;

interface CallState<T> {
  /** The newest answer; `undefined` before the first one. */
  answer: T | undefined;
  /** Why the newest call failed. */
  problem: Problem | null;
}

/**
 * Calls Go when the component mounts, when an argument changes, and on `reload`. Only the newest call counts: an answer
 * that comes after a newer call, or after the component is gone, is dropped.
 */
export function useCall<M extends Method>(method: M, ...args: Parameters<Methods[M]>) {
  const app = useApp();
  const [state, setState] = useState<CallState<Answer<M>>>({ answer: undefined, problem: null });
  const newest = useRef(0);
  const key = JSON.stringify(args);

  const reload = useCallback(async () => {
    newest.current += 1;
    const call = newest.current;
    try {
      const answer = await app.bridge.call(method, ...(JSON.parse(key) as Parameters<Methods[M]>));
      if (call === newest.current) setState({ answer, problem: null });
    } catch (reason) {
      if (call === newest.current) setState((s) => ({ ...s, problem: asProblem(reason) }));
    }
  }, [app, method, key]);

  useEffect(() => {
    void reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);

  return { ...state, reload };
}

/** The same as `useCall`, for components that do not show the problem: a toast does. */
export function useAnswer<M extends Method>(method: M, ...args: Parameters<Methods[M]>) {
  const app = useApp();
  const { answer, problem, reload } = useCall(method, ...args);
  useEffect(() => {
    if (problem) app.notices.problem(problem);
  }, [app, problem]);
  return { answer, reload };
}
