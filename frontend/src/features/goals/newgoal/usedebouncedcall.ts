import { useEffect, useState } from "react";

const waitMs = 350;

/** Asks Go shortly after the user has stopped typing; an answer to an older question is dropped. */
export function useDebouncedCall<T>(key: string, none: T, ask: () => Promise<T>): T {
  const [answer, setAnswer] = useState(none);
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => {
      ask()
        .then((a) => !stale && setAnswer(a))
        .catch(() => !stale && setAnswer(none));
    }, waitMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
    // The key contains everything that the question depends on.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key]);
  return answer;
}
