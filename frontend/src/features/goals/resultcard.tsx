import { useLayoutEffect, useRef, useState } from "react";
import type { GoalView } from "@/bridge/types";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { SparkIcon } from "@/ui/icons";
import { isStopped } from "@/store/goalcards";
import { AgentText } from "@/agent/text";

/** What the agent said last of a stopped goal: its result, or its account of what it did. */
export function agentResult(view: GoalView): string {
  return view.result || (isStopped(view) && view.exit !== "done" ? view.account : "");
}

/** The agent's result: its beginning, expandable to the full text. */
export function ResultCard({ view, className }: { view: GoalView; className?: string }) {
  const text = agentResult(view);
  const [open, setOpen] = useState(false);
  const [cut, setCut] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const el = box.current;
    if (!el) return;
    const measure = () => setCut(open || el.scrollHeight > el.clientHeight + 2);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(el);
    return () => watch.disconnect();
  }, [open, text]);
  if (text.trim() === "") return null;
  return (
    <section
      aria-label={view.result ? "Result, in the agent's words" : "What the agent said, not verified"}
      data-testid="goal-result"
      data-open={open}
      className={cx("flex gap-2.5 rounded-lg border border-border bg-surface-raised px-3 py-2.5", className)}
    >
      <SparkIcon size={15} className="mt-0.5 shrink-0 text-agent" />
      {/* Beside the text where there is space, else below it: a narrow text is hard to read. */}
      <div className="flex min-w-0 flex-1 flex-wrap gap-x-2.5 gap-y-2">
        <div
          ref={box}
          className={cx(
            "min-w-[min(100%,28rem)] flex-1 text-text-muted",
            open ? "max-h-[45vh] overflow-y-auto" : "max-h-[9.6em] overflow-hidden",
          )}
          {...(open ? { tabIndex: 0, role: "group", "aria-label": "Whole result" } : {})}
        >
          <AgentText text={text} className="max-w-[100ch]" />
        </div>
        {cut ? (
          <Button
            look="quiet"
            className="-my-1 -ml-2 self-start"
            data-testid="result-more"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? "Show less" : "Show all"}
          </Button>
        ) : null}
      </div>
    </section>
  );
}
