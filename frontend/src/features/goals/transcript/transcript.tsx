import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState, type ReactNode } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { asProblem } from "@/bridge/problem";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { CopyIcon, SearchIcon } from "@/ui/icons";
import { VirtualRows } from "@/ui/virtualrows";
import { EntryRow } from "./entry";
import { entryText } from "./entrytext";
import { TranscriptPages, pageSize } from "./pages";

const searchDelayMs = 200;
/** A longer transcript is not copied to the clipboard; the command line can write it to a file. */
const maxCopied = 8_000_000;

interface TranscriptProps {
  goal: string;
  /** Elements before the search field. */
  before: ReactNode;
  /** Shows a step in the activity. */
  onStep: (n: number) => void;
}

/** The complete conversation and all calls of a goal, with the cost of each turn. */
export default function Transcript({ goal, before, onStep }: TranscriptProps) {
  const [text, setText] = useState("");
  const [search, setSearch] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), text ? searchDelayMs : 0);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:h-[480px] max-[900px]:flex-none">
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-border px-4 py-1 text-xs">
        {before}
        <label className="flex min-w-32 flex-1 items-center gap-2">
          <SearchIcon size={13} className="shrink-0 text-text-faint" />
          <input
            data-testid="transcript-search"
            aria-label="Search the transcript"
            placeholder="Search the transcript"
            className="h-6 min-w-0 flex-1 bg-transparent"
            value={text}
            onChange={(e) => setText(e.target.value)}
            onKeyDown={(e) => {
              if (e.code !== "Escape") return;
              e.stopPropagation();
              setText("");
            }}
          />
        </label>
        <CopyAll goal={goal} search={search} />
      </div>
      <Entries key={`${goal} ${search}`} goal={goal} search={search} onStep={onStep} />
    </div>
  );
}

/** The pages of one search, which load new entries while the goal runs. */
function useEntries(goal: string, search: string): { pages: TranscriptPages; problem: string; version: number } {
  const app = useApp();
  const seq = useAppState((s) => s.detail.journal.seq);
  const [problem, setProblem] = useState("");
  const [version, changed] = useReducer((n: number) => n + 1, 0);
  const pages = useMemo(
    () =>
      new TranscriptPages(
        (offset) => app.bridge.call("GoalAPI.Transcript", goal, { search, offset, limit: pageSize }),
        changed,
        (reason) => setProblem(asProblem(reason).message),
      ),
    [app, goal, search],
  );
  useEffect(() => pages.refresh(), [pages, seq]);
  return { pages, problem, version };
}

function Entries({ goal, search, onStep }: Omit<TranscriptProps, "before"> & { search: string }) {
  const { pages, problem } = useEntries(goal, search);
  const running = useAppState((s) => s.detail.view?.status === "running");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const count = Math.max(0, pages.total);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    getItemKey: (i) => pages.entry(i)?.seq ?? -i,
    overscan: 6,
  });
  const drawn = virtual.getVirtualItems();
  const first = drawn[0]?.index ?? 0;
  const last = drawn[drawn.length - 1]?.index ?? 0;
  useEffect(() => {
    if (count > 0) pages.need(first, last);
  }, [pages, count, first, last]);

  const toggle = useCallback((seq: number) => {
    setOpen((was) => {
      const next = new Set(was);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  }, []);
  return (
    <>
      <div
        ref={scroller}
        data-testid="transcript"
        data-total={pages.total}
        tabIndex={0}
        role="feed"
        aria-label="Transcript"
        aria-busy={pages.total < 0}
        className="relative min-h-0 flex-1 overflow-y-auto"
      >
        <VirtualRows virtual={virtual}>
          {(index) => {
            const entry = pages.entry(index);
            if (!entry) return <div className="h-[84px] animate-pulse border-b border-border" aria-hidden />;
            return (
              <EntryRow
                goal={goal}
                entry={entry}
                position={index + 1}
                total={count}
                first={entry.turn !== (pages.entry(index - 1)?.turn ?? 0)}
                search={search}
                open={open.has(entry.seq)}
                onToggle={toggle}
                onStep={onStep}
              />
            );
          }}
        </VirtualRows>
      </div>
      <div
        className="flex h-8 shrink-0 items-center gap-3 border-t border-border px-4 text-2xs text-text-faint tabular-nums"
        role="status"
      >
        {problem ? <span className="text-bad">{problem}</span> : null}
        <span data-testid="transcript-total">{summary(pages.total, search)}</span>
        {running ? <span className="breathe text-ok">live</span> : null}
        <span className="flex-1" />
        {count > 10 ? (
          <>
            <Button look="quiet" data-testid="transcript-first" onClick={() => virtual.scrollToIndex(0)}>
              First
            </Button>
            <Button look="quiet" data-testid="transcript-newest" onClick={() => virtual.scrollToIndex(count - 1)}>
              Newest
            </Button>
          </>
        ) : null}
      </div>
    </>
  );
}

function summary(total: number, search: string): string {
  if (total < 0) return "Reading…";
  if (search) return total === 0 ? `Nothing contains “${search}”.` : plural(total, "match", "matches");
  return total === 0 ? "Nothing happened yet." : plural(total, "entry", "entries");
}

/** Copies the transcript, or the results of the search, as text. */
function CopyAll({ goal, search }: { goal: string; search: string }) {
  const app = useApp();
  const [copying, setCopying] = useState(false);
  const copy = async () => {
    setCopying(true);
    try {
      const parts: string[] = [];
      let size = 0;
      for (let offset = 0, total = 1; offset < total; offset += 500) {
        const page = await app.bridge.call("GoalAPI.Transcript", goal, { search, offset, limit: 500 });
        total = page.total;
        for (const entry of page.entries ?? []) {
          const text = entryText(entry);
          size += text.length;
          parts.push(text);
        }
        if (size <= maxCopied) continue;
        const hint = `Write it to a file: goalctl show ${goal.slice(-8)} --transcript > transcript.txt`;
        app.notices.problem({ code: "invalid", message: "The transcript is too long to copy", hint, field: "" });
        return;
      }
      if (await writeClipboard(parts.join("\n"))) app.notices.done(search ? "Matches copied" : "Transcript copied");
    } catch (reason) {
      app.notices.problem(asProblem(reason));
    } finally {
      setCopying(false);
    }
  };
  return (
    <Button look="quiet" data-testid="transcript-copy" disabled={copying} onClick={() => void copy()}>
      <CopyIcon size={13} /> {search ? "Copy matches" : "Copy all"}
    </Button>
  );
}
