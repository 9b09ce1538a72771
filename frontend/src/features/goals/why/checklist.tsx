import { useEffect, useRef, useState } from "react";
import type { CheckState, GoalView } from "@/bridge/types";
import { formatElapsed } from "@/lib/time";
import { Badge } from "@/ui/badge";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { ChevronIcon, WarnIcon } from "@/ui/icons";
import { checkTone } from "@/features/goals/assurancelabel";
import { CheckLine, LastLine, useEvidence } from "@/features/goals/criterion";
import { OutcomeIcon } from "@/features/goals/outcomeicon";
import { Reasons } from "./reasons";

interface CheckListProps {
  view: GoalView;
  /** One column where there is little space. */
  short?: boolean;
  /** Whether J, K and W belong to the list. */
  keys?: boolean;
}

/** The checks of a goal; each that passed says why it counts. The first doubted check is open. */
export function CheckList({ view, short = false, keys = false }: CheckListProps) {
  const evidence = useEvidence();
  const checks = view.check_states ?? [];
  const doubted = checks.findIndex((c) => c.why && checkTone(c) === "warn");
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(short || doubted < 0 ? [] : [doubted]));
  const [at, setAt] = useState(Math.max(0, doubted));
  const rows = useRef<(HTMLElement | null)[]>([]);
  const toggle = (i: number) => setOpen((old) => new Set(old.has(i) ? [...old].filter((n) => n !== i) : [...old, i]));
  useCheckKeys(keys, {
    KeyJ: () => move(1),
    KeyK: () => move(-1),
    KeyW: () => toggle(at),
  });
  function move(by: number) {
    const next = Math.min(checks.length - 1, Math.max(0, at + by));
    setAt(next);
    rows.current[next]?.focus();
  }
  return (
    <>
      {checks.map((c, i) =>
        c.why ? (
          <section
            key={i}
            data-testid="check"
            data-outcome={c.outcome}
            className={short ? "" : "border-b border-border"}
          >
            <Row
              check={c}
              hasBadge={!short || checkTone(c) === "warn"}
              open={open.has(i)}
              short={short}
              onToggle={() => {
                setAt(i);
                toggle(i);
              }}
              button={(el) => void (rows.current[i] = el)}
            />
            {open.has(i) ? <Reasons goal={view.id} check={c} short={short} /> : null}
          </section>
        ) : (
          <CheckLine key={i} check={c} evidence={view.aftermath ? "" : evidence(i)} short={short} />
        ),
      )}
    </>
  );
}

/** The heading of the checks, with how many pass. */
export function CheckCaption({ view }: { view: GoalView }) {
  const checks = view.check_states ?? [];
  const passed = checks.filter((c) => c.outcome === "pass").length;
  return (
    <Caption className="mt-3.5 mb-1">
      Checks {passed} / {checks.length}
    </Caption>
  );
}

interface RowProps {
  check: CheckState;
  /** Whether it says what the pass proves. */
  hasBadge: boolean;
  open: boolean;
  short: boolean;
  onToggle: () => void;
  button: (el: HTMLElement | null) => void;
}

function Row({ check, hasBadge, open, short, onToggle, button }: RowProps) {
  const tone = checkTone(check);
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 py-1.5">
      <button
        type="button"
        data-testid="check-tick"
        aria-label={`What decided ${check.name}`}
        title="What decided"
        className="inline-flex shrink-0 rounded-sm hover:bg-surface-hover"
        onClick={onToggle}
      >
        {tone === "warn" ? <WarnIcon size={14} className="text-warn" /> : <OutcomeIcon outcome={check.outcome} />}
      </button>
      <span className={cx("min-w-[40%] flex-1", !short && "max-[640px]:basis-[80%]")}>
        <code className="selectable line-clamp-2 font-mono text-xs wrap-anywhere" title={check.words}>
          {check.name}
          <span className={cx("ml-2.5 text-text-faint", short && "hidden")}>{check.detail}</span>
        </code>
        {short ? <LastLine check={check} /> : null}
      </span>
      {hasBadge ? (
        <Badge tone={tone} testid="check-assurance" className={cx("max-[640px]:ml-6", short && "ml-6")}>
          {check.assurance_words}
        </Badge>
      ) : null}
      {check.ms > 0 ? (
        <span className="shrink-0 text-xs text-text-faint tabular-nums">{formatElapsed(check.ms)}</span>
      ) : null}
      <button
        ref={button}
        type="button"
        data-testid="check-why"
        aria-expanded={open}
        title="Why? (W)"
        className={cx(
          "inline-flex shrink-0 items-center gap-1 text-xs text-accent hover:underline max-[640px]:ml-auto max-[640px]:h-9",
          short && "max-[640px]:h-11",
        )}
        onClick={onToggle}
      >
        Why?
        <ChevronIcon size={11} className={open ? "rotate-90" : ""} />
      </button>
    </div>
  );
}

/** The keys of the list take precedence over those of the goal list. */
function useCheckKeys(on: boolean, actions: Record<string, () => void>) {
  const newest = useRef(actions);
  useEffect(() => {
    newest.current = actions;
  });
  useEffect(() => {
    if (!on) return;
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
      const action = newest.current[e.code];
      if (!action) return;
      action();
      e.preventDefault();
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, [on]);
}
