import { useCallback, useEffect, useState } from "react";
import { EntryRow } from "@/features/goals/transcript/entry";
import { Button } from "@/ui/button";
import type { ExportData } from "./data";

/** More entries are drawn on demand. */
const maxFirst = 300;

const anchor = (step: number) => `step-${step}`;

/** Scrolls to a step, and tells the list to draw all entries if it has to. */
export function showStep(step: number): void {
  window.dispatchEvent(new CustomEvent("show-all-entries"));
  // The list draws in between.
  setTimeout(() => {
    const row = document.getElementById(anchor(step));
    row?.scrollIntoView();
    row?.focus({ preventScroll: true });
  });
}

/** The whole conversation and all calls. */
export function Activity({ data: { view, entries } }: { data: ExportData }) {
  const [all, setAll] = useState(entries.length <= maxFirst);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((seq: number) => {
    setOpen((was) => {
      const next = new Set(was);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  }, []);
  useEffect(() => {
    const show = () => setAll(true);
    window.addEventListener("show-all-entries", show);
    return () => window.removeEventListener("show-all-entries", show);
  }, []);
  if (entries.length === 0) return <p className="text-xs text-text-faint">Nothing happened yet.</p>;
  const shown = all ? entries : entries.slice(0, maxFirst);
  return (
    <div className="overflow-hidden rounded-lg border border-border" role="feed" aria-label="Activity">
      {shown.map((entry, i) => (
        <div
          key={entry.seq}
          id={entry.step ? anchor(entry.step) : undefined}
          tabIndex={entry.step ? -1 : undefined}
          className={shown.length > maxFirst ? "entry-slot" : undefined}
        >
          <EntryRow
            goal={view.id}
            entry={entry}
            position={i + 1}
            total={entries.length}
            first={entry.turn !== (entries[i - 1]?.turn ?? 0)}
            search=""
            open={open.has(entry.seq)}
            onToggle={toggle}
          />
        </div>
      ))}
      {shown.length < entries.length ? (
        <div className="p-3 no-print">
          <Button data-testid="export-all-entries" onClick={() => setAll(true)}>
            Show all {entries.length} entries
          </Button>
        </div>
      ) : null}
    </div>
  );
}
