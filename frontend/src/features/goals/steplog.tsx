import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { SearchIcon } from "@/ui/icons";
import { kindLabels, type CallKind } from "@/agent/callwords";
import { kindsOf, logLines, noFilter, type LogFilter } from "./stepfilter";
import { useRoving } from "@/ui/rovingfocus";
import { VirtualRows } from "@/ui/virtualrows";
import { useFollowedEnd } from "./activity/followedend";
import { LiveWords } from "./activity/livewords";
import { NoteLine } from "./activity/noteline";
import { StepLine } from "./steprow";

const nearEnd = 40;

interface StepLogProps {
  /** The step to show first, expanded; 0 shows the newest. */
  at: number;
  /** Elements before the filters. */
  before: ReactNode;
  /** Shows what the panes showed at a moment; absent if no step has a pane. */
  onReplay: ((ms: number) => void) | undefined;
}

/** The live steps of a goal. It follows the newest one until the user scrolls away. */
export function StepLog({ at, before, onReplay }: StepLogProps) {
  const goal = useAppState((s) => s.detail.id);
  const steps = useAppState((s) => s.detail.steps);
  const journal = useAppState((s) => s.detail.journal);
  const streamed = useAppState((s) => s.streamed[s.detail.id]);
  const [filter, setFilter] = useState<LogFilter>(noFilter);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set(at > 0 ? [at] : []));
  const [follow, setFollow] = useState(at === 0);
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => logLines(steps, journal, filter), [steps, journal, filter]);

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => {
      const line = lines[i];
      return line?.kind === "step" && line.claim ? 100 : 28;
    },
    getItemKey: (i) => lines[i]?.key ?? i,
    overscan: 12,
  });

  const roving = useRoving({
    scroller,
    count: lines.length,
    stops: (i) => lines[i]?.kind === "step",
    show: (i) => virtual.scrollToIndex(i),
  });
  const drawn = virtual.getVirtualItems().map((item) => item.index);
  const stop = roving.stop(drawn, drawn.findLast((i) => lines[i]?.kind === "step") ?? -1);

  useBeginAt(virtual, at > 0 ? lines.findIndex((l) => l.kind === "step" && l.step.n === at) : -1);

  const size = virtual.getTotalSize();
  useEffect(() => {
    const el = scroller.current;
    if (follow && el) el.scrollTop = el.scrollHeight;
  }, [follow, size, streamed]);

  useFollowedEnd(scroller, follow);

  const toggle = (n: number) => {
    // An expanded step must not be scrolled away while the user reads it.
    setFollow(false);
    setOpen((was) => {
      const next = new Set(was);
      if (!next.delete(n)) next.add(n);
      return next;
    });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:h-[360px] max-[900px]:flex-none">
      <Filters before={before} filter={filter} onChange={setFilter} />
      <div
        ref={scroller}
        data-testid="step-log"
        data-follow={follow}
        role="log"
        aria-label="Activity"
        className="relative min-h-0 flex-1 overflow-y-auto py-1.5"
        onWheel={(e) => e.deltaY < 0 && setFollow(false)}
        onScroll={(e) => {
          const el = e.currentTarget;
          if (el.scrollHeight - el.scrollTop - el.clientHeight < nearEnd) setFollow(true);
        }}
        tabIndex={0}
        onFocus={roving.onFocus}
        onKeyDown={(e) => {
          if (roving.onKeyDown(e) !== null || e.code === "PageUp") setFollow(false);
        }}
        onPointerDown={(e) => e.target === e.currentTarget && setFollow(false)}
      >
        <VirtualRows virtual={virtual}>
          {(index) => {
            const line = lines[index];
            if (!line) return null;
            if (line.kind === "note") return <NoteLine note={line.note} />;
            return (
              <StepLine
                goal={goal}
                step={line.step}
                claim={line.claim}
                plan={line.plan}
                open={open.has(line.step.n)}
                tab={index === stop}
                onToggle={() => toggle(line.step.n)}
                onReplay={onReplay}
              />
            );
          }}
        </VirtualRows>
        <LogEnd empty={lines.length === 0} />
      </div>
      {follow ? null : <JumpButton onClick={() => setFollow(true)} />}
    </div>
  );
}

/** Scrolls to a row once, as soon as it exists; -1 is none. */
function useBeginAt(virtual: Virtualizer<HTMLDivElement, Element>, row: number) {
  const began = useRef(false);
  useEffect(() => {
    if (row < 0 || began.current) return;
    began.current = true;
    virtual.scrollToIndex(row, { align: "center" });
  }, [virtual, row]);
}

/** The end of the list: what the model is writing, or that there is nothing. */
function LogEnd({ empty }: { empty: boolean }) {
  const loaded = useAppState((s) => s.detail.stepsLoaded);
  const none = useAppState((s) => s.detail.steps.length === 0 && s.detail.journal.notes.length === 0);
  return (
    <>
      {loaded && empty ? (
        <p className="px-5 py-3 text-text-faint" role="status">
          {none ? "Nothing happened yet." : "Nothing matches the filter."}
        </p>
      ) : null}
      <LiveWords
        className="grid grid-cols-[14px_1fr] gap-x-3 py-1.5 pr-5 pl-[128px] max-[640px]:px-4"
        testid="live-text"
      />
    </>
  );
}

/** It has its own row: over the log it would cover the buttons of an expanded step. */
function JumpButton({ onClick }: { onClick: () => void }) {
  return (
    <div className="flex shrink-0 justify-end border-t border-border px-4 py-1">
      <Button look="quiet" data-testid="jump-newest" onClick={onClick}>
        Jump to newest ↓
      </Button>
    </div>
  );
}

interface FiltersProps {
  before: ReactNode;
  filter: LogFilter;
  onChange: (f: LogFilter) => void;
}

function Filters({ before, filter, onChange }: FiltersProps) {
  const steps = useAppState((s) => s.detail.steps);
  const kinds = useMemo(() => kindsOf(steps), [steps]);
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 border-b border-border px-4 py-1 text-xs">
      {before}
      {steps.length < 2 ? null : <FilterFields kinds={kinds} filter={filter} onChange={onChange} />}
    </div>
  );
}

function FilterFields({ kinds, filter, onChange }: Omit<FiltersProps, "before"> & { kinds: readonly CallKind[] }) {
  return (
    <>
      <SearchIcon size={13} className="text-text-faint" />
      <input
        data-testid="log-text"
        aria-label="Filter activity by text"
        placeholder="Filter activity"
        className="h-6 min-w-20 flex-1 bg-transparent"
        value={filter.text}
        onChange={(e) => onChange({ ...filter, text: e.target.value })}
        onKeyDown={(e) => {
          if (e.code !== "Escape") return;
          e.stopPropagation();
          onChange({ ...filter, text: "" });
          e.currentTarget.blur();
        }}
      />
      <select
        data-testid="log-kind"
        aria-label="Filter steps by kind"
        className="h-6 max-w-28 rounded-sm bg-transparent text-text-muted"
        value={filter.kind}
        onChange={(e) => onChange({ ...filter, kind: e.target.value as LogFilter["kind"] })}
      >
        <option value="">All steps</option>
        {kinds.map((k) => (
          <option key={k} value={k}>
            {kindLabels[k]}
          </option>
        ))}
      </select>
      <label className="flex cursor-pointer items-center gap-1.5 text-text-muted">
        <input
          type="checkbox"
          data-testid="log-failed"
          className="accent-(--accent)"
          checked={filter.failedOnly}
          onChange={(e) => onChange({ ...filter, failedOnly: e.target.checked })}
        />
        Failed only
      </label>
    </>
  );
}
