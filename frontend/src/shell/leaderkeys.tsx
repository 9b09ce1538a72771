import { useEffect, useState } from "react";
import type { Action } from "@/lib/actions";
import { useApp, useAppState } from "@/store/context";
import { Kbd } from "@/ui/button";

/** Who knows the second key does not see the list. */
const delayMs = 350;

/** What each second key does, while the window waits for one. */
export function LeaderKeys({ actions }: { actions: readonly Action[] }) {
  const isWaiting = useAppState((s) => s.leader);
  return isWaiting ? <Delayed actions={actions} /> : null;
}

function Delayed({ actions }: { actions: readonly Action[] }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? <List actions={actions} /> : null;
}

function List({ actions }: { actions: readonly Action[] }) {
  const app = useApp();
  const offered = actions.filter((a) => a.leader !== "" && a.enabled());
  const run = (action: Action) => {
    app.set({ leader: false });
    void action.run();
  };
  return (
    <section
      role="status"
      aria-label="Second keys"
      data-testid="leader-keys"
      className={
        "appear fixed bottom-9 left-1/2 z-[1100] max-h-[70vh] w-[760px] max-w-[calc(100vw-32px)] -translate-x-1/2 " +
        "overflow-y-auto rounded-lg border border-border-strong bg-surface-raised p-3 shadow-pop"
      }
    >
      <ul className="columns-3 gap-4 max-[800px]:columns-2">
        {offered.map((a) => (
          <li key={a.id} className="break-inside-avoid">
            {/* The focus stays where it is: a key still goes to the window. */}
            <button
              type="button"
              tabIndex={-1}
              data-testid="leader-key"
              className="flex w-full items-center gap-2 rounded-sm px-1.5 py-1 text-left text-xs hover:bg-surface-hover"
              onPointerDown={(e) => e.preventDefault()}
              onClick={() => run(a)}
            >
              <Kbd>{a.leader.toUpperCase()}</Kbd>
              <span className="min-w-0 flex-1 truncate text-text-muted">{a.title}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="mt-2 border-t border-border px-1.5 pt-2 text-2xs text-text-faint">
        Press one of these keys, or Esc to cancel.
      </p>
    </section>
  );
}
