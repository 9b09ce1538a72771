import { useState } from "react";
import type { Todo } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { Caption } from "@/ui/caption";

/** The agent's plan in three lines: how many items are done, the current one, and the next. Expandable. */
export function PlanShort({ items }: { items: readonly Todo[] }) {
  const [open, setOpen] = useState(false);
  if (items.length === 0) return null;
  const done = items.filter((t) => t.done);
  const left = items.filter((t) => !t.done);
  const shown = open ? items : [...done.slice(-1), ...left.slice(0, 2)];
  return (
    <div data-testid="drawer-plan" data-open={open}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="mt-3 mb-1 flex w-full items-baseline justify-between rounded-sm hover:text-text"
      >
        <Caption>Plan</Caption>
        <span className="text-2xs text-text-faint tabular-nums">
          {done.length} of {items.length}
        </span>
      </button>
      <ol>
        {shown.map((t, i) => (
          <li key={i} className="flex items-baseline gap-2.5 py-[3px] text-xs">
            <span aria-hidden className={t.done ? "text-ok" : t === left[0] ? "text-accent" : "text-text-faint"}>
              {t.done ? "✓" : t === left[0] ? "→" : "○"}
            </span>
            <span className="sr-only">{t.done ? "done: " : t === left[0] ? "now: " : "to do: "}</span>
            <span
              className={t.done ? "text-text-faint" : t === left[0] ? "font-semibold text-text" : "text-text-muted"}
            >
              {stripControl(t.text)}
            </span>
            {!open && t.done && done.length > 1 ? (
              <span className="ml-auto shrink-0 text-2xs text-text-faint">+{done.length - 1} done</span>
            ) : null}
          </li>
        ))}
      </ol>
    </div>
  );
}
