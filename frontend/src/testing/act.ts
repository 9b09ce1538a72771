import { act as reactAct } from "react";

const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };

/**
 * React's `act`. Only while it runs, React expects that every update happens inside it. Otherwise it would warn about
 * each event that arrives while a test waits.
 */
export function act<T>(run: () => Promise<T>): Promise<T>;
export function act(run: () => void): void;
export function act<T>(run: () => unknown): Promise<T> | undefined {
  environment.IS_REACT_ACT_ENVIRONMENT = true;
  const end = () => {
    environment.IS_REACT_ACT_ENVIRONMENT = false;
  };
  let later: Promise<T> | undefined;
  const done = reactAct(() => {
    const result = run();
    if (result instanceof Promise) later = result as Promise<T>;
    return later as Promise<T>;
  });
  if (later) return Promise.resolve(done).finally(end);
  end();
  return undefined;
}
