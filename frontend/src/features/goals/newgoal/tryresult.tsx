import { useState } from "react";
import type { TracedFiles, TraceView, TryOutput } from "@/bridge/types";
import { plural } from "@/lib/text";
import { formatElapsed } from "@/lib/time";
import { Dot, toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { ChevronIcon } from "@/ui/icons";
import { checkLabel } from "@/features/goals/labels";

/** The state of trying a check. */
export type TryResult =
  { state: "running" } | { state: "done"; out: TryOutput } | { state: "failed"; text: string } | null;

interface TryResultProps {
  tried: TryResult;
  shell: boolean;
  /** What the agent may change. */
  work: readonly string[];
  onWork: (work: string[]) => void;
}

/** The result of a tried check, with its output and the files that it used. */
export function TryResultLine({ tried, shell, work, onWork }: TryResultProps) {
  if (!tried) return null;
  if (tried.state === "running") {
    return (
      <p className="breathe mt-1 font-mono text-xs text-text-faint" role="status">
        Running…
      </p>
    );
  }
  if (tried.state === "failed") {
    return (
      <p className="mt-1 text-xs text-bad" role="status" data-testid="try-result" data-outcome="failed">
        {tried.text}
      </p>
    );
  }
  const { out } = tried;
  const said =
    out.outcome === "error" ? { words: "Gives different results", tone: "bad" as const } : checkLabel(out.outcome);
  const aside = out.outcome === "fails_now" && shell ? "as expected" : out.detail;
  return (
    <div className="mt-1.5 text-xs" role="status" data-testid="try-result" data-outcome={out.outcome}>
      <p className="flex items-start gap-2 font-mono">
        <span className="mt-1.5 flex">
          <Dot tone={said.tone} />
        </span>
        <span className={`shrink-0 ${toneText[said.tone]}`}>
          {said.words}
          {/* A command that could not be started has no exit code. */}
          {out.outcome === "cannot_run" && out.exit_code === 0
            ? ""
            : ` (${shell ? `exit ${out.exit_code}, ` : ""}${formatElapsed(out.ms)})`}
        </span>
        <span className="min-w-16 break-words text-text-faint">{aside}</span>
      </p>
      {out.output.trim() ? (
        <pre
          data-testid="try-output"
          className={cx(
            "selectable mt-1 max-h-28 overflow-auto rounded-md border border-border bg-bg px-2.5 py-1.5",
            "font-mono text-2xs break-words whitespace-pre-wrap text-text-muted",
          )}
        >
          {out.output.trimEnd()}
        </pre>
      ) : null}
      {out.trace ? <Trace trace={out.trace} work={work} onWork={onWork} /> : null}
    </div>
  );
}

interface TraceProps extends Pick<TryResultProps, "work" | "onWork"> {
  trace: TraceView;
}

/** The files that the check used: those that decide, those it did not find, and the rest. */
function Trace({ trace, work, onWork }: TraceProps) {
  const proposed = trace.work ?? [];
  const taken = proposed.every((p) => work.includes(p));
  const label = work.length > 0 ? "Let the agent change this, too" : "Let the agent change only this";
  return (
    <div className="mt-1.5 flex flex-col gap-1" data-testid="try-trace">
      {trace.stopped ? (
        <p className="break-words text-warn" data-testid="trace-stopped">
          It ended early: <code className="font-mono">{trace.stopped}</code> is missing. What it would use later was not
          observed.
        </p>
      ) : null}
      {trace.incomplete ? (
        <p className="break-words text-warn" data-testid="trace-incomplete">
          The lists are not complete: {trace.incomplete}.
        </p>
      ) : null}
      <FileList id="decides" title="Decides, and is protected" list={trace.decides} open />
      <FileList id="missing" title="Looked for but not found" list={trace.missing} />
      <FileList id="read" title="Also read" list={trace.read} />
      {proposed.length > 0 ? (
        <p className="flex items-center gap-2" data-testid="trace-work">
          <span className="min-w-0 flex-1 break-words text-text-muted">
            {taken ? "The agent may change" : "Files that it reads, but that do not decide, are in"}{" "}
            <code className="font-mono">{proposed.join(", ")}</code>.
          </span>
          <Button
            data-testid="trace-work-take"
            onClick={() =>
              onWork(taken ? work.filter((p) => !proposed.includes(p)) : [...new Set([...work, ...proposed])])
            }
          >
            {taken ? "Undo" : label}
          </Button>
        </p>
      ) : null}
    </div>
  );
}

const firstFiles = 8;

interface FileListProps {
  id: string;
  title: string;
  list: TracedFiles;
  open?: boolean;
}

/** One of the lists; a click expands it. */
function FileList({ id, title, list, open: opens = false }: FileListProps) {
  const [open, setOpen] = useState(opens);
  const [all, setAll] = useState(false);
  if (list.total === 0) return null;
  const files = list.files ?? [];
  const shown = all ? files : files.slice(0, firstFiles);
  return (
    <div data-testid={`trace-${id}`}>
      <button
        type="button"
        aria-expanded={open}
        data-testid={`trace-${id}-open`}
        className="flex items-center gap-1.5 text-text-muted hover:text-text"
        onClick={() => setOpen(!open)}
      >
        <ChevronIcon size={11} className={open ? "rotate-90" : ""} />
        {title}: {plural(list.total, "file")}
      </button>
      {open ? (
        <ul className="mt-0.5 ml-4 flex flex-col">
          {shown.map((f) => (
            <li key={f.path} className="flex items-baseline gap-2 py-px" data-testid={`trace-${id}-file`}>
              <code className="min-w-0 truncate font-mono" title={f.path}>
                {f.path}
              </code>
              <span className="min-w-0 flex-1 truncate text-text-faint">
                {[f.why, f.by].filter(Boolean).join(" · ")}
              </span>
            </li>
          ))}
          {shown.length < list.total ? (
            <li>
              {shown.length < files.length ? (
                <button type="button" className="text-text-faint hover:text-text" onClick={() => setAll(true)}>
                  and {list.total - shown.length} more
                </button>
              ) : (
                <span className="text-text-faint">and {list.total - shown.length} more</span>
              )}
            </li>
          ) : null}
        </ul>
      ) : null}
    </div>
  );
}
