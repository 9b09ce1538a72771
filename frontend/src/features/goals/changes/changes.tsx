import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { ChangedFile, ChangesView, GoalView, UndoInput } from "@/bridge/types";
import { capitalize, plural, stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { undoInput } from "@/store/folderactions";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { canEdit } from "./edit";
import { scrollToHunk, useChangesKeys } from "./keys";
import { useRecheck } from "./recheck";
import { CommitDialog } from "./commitdialog";
import { Count, FileTree } from "./filetree";
import { FilePane } from "./filepane";
import { RedoIcon, UndoIcon } from "./icons";
import { UndoDialog } from "./undodialog";
import "./changes.css";

interface ChangesProps {
  view: GoalView;
  /** The tabs, on the left of the bar. */
  before: ReactNode;
}

/** The changes of a goal in its folder, with undo. */
export default function Changes({ view, before }: ChangesProps) {
  const { answer, problem, reload } = useCall("ChangesAPI.List", view.id, []);
  const version = useFollowing(reload);
  const [path, setPath] = useState(useApp().state.shownFile);
  const [split, setSplit] = useState(() => window.innerWidth > 1400);
  const [whitespace, setWhitespace] = useState(true);
  const [asked, setAsked] = useState<UndoInput | null>(null);
  const [committing, setCommitting] = useState(false);
  const { answer: offer } = useCall("ChangesAPI.CommitOffer", view.id);
  const app = useApp();
  const files = answer?.files ?? [];
  const at = Math.max(
    0,
    files.findIndex((f) => f.path === path),
  );
  const file = files[at];
  const canUndo = answer !== undefined && !answer.running;
  const recheck = useRecheck(view.id);
  const onDone = () => {
    setAsked(null);
    void reload();
  };
  const undo = async (input: UndoInput) => {
    if (await app.folder.undo(view, input)) onDone();
  };
  // The file is undone immediately. The user is asked only about files that the user or another program changed since.
  const undoFile = (f: ChangedFile) => {
    const input = undoInput({ paths: [f.path] });
    if (f.edited_since) setAsked(input);
    else void undo(input);
  };
  const close = useCallback(() => setAsked(null), []);
  useChangesKeys({
    nextFile: () => setPath(files[Math.min(at + 1, files.length - 1)]?.path ?? ""),
    previousFile: () => setPath(files[Math.max(at - 1, 0)]?.path ?? ""),
    nextHunk: () => scrollToHunk(1),
    previousHunk: () => scrollToHunk(-1),
    undoFile: () => {
      if (file && canUndo) undoFile(file);
    },
    edit: () => {
      if (file && canEdit(file)) void app.panes.openEditor(view.id, file.path);
    },
  });
  return (
    <div
      className="flex min-h-0 flex-1 flex-col max-[900px]:h-[420px] max-[900px]:flex-none"
      data-testid="changes"
      data-wide
    >
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-border px-4 py-1 text-xs">
        {before}
        <Total files={files} />
        <span className="flex-1" />
        <Button
          look="quiet"
          data-testid="undo-all"
          disabled={!canUndo || files.length === 0}
          title={answer?.running ? "Pause the goal first" : undefined}
          onClick={() => setAsked(undoInput({}))}
        >
          <UndoIcon size={13} /> Undo all changes…
        </Button>
        {offer && !offer.unavailable ? (
          <Button
            data-testid="commit"
            disabled={!canUndo || files.length === 0}
            title={answer?.running ? "Pause the goal first" : undefined}
            onClick={() => setCommitting(true)}
          >
            Commit…
          </Button>
        ) : null}
      </div>
      {answer?.undone || answer?.can_redo || recheck.busy || view.aftermath ? (
        <Undone
          words={view.aftermath ?? ""}
          busy={recheck.busy}
          onCheck={recheck.run}
          onRedo={answer?.can_redo ? () => setAsked(undoInput({ redo: true })) : null}
          canRedo={canUndo}
        />
      ) : null}
      {problem ? (
        <p role="alert" className="p-5 text-xs text-text-muted">
          {problem.message} {problem.hint}
        </p>
      ) : null}
      {answer && file ? (
        <div className="flex min-h-0 flex-1 max-[640px]:flex-col">
          <div
            className={
              "flex w-60 shrink-0 flex-col border-r border-border max-[1100px]:w-44 " +
              "max-[640px]:max-h-[40%] max-[640px]:w-full max-[640px]:border-r-0 max-[640px]:border-b"
            }
          >
            <FileTree files={files} unchanged={answer.protected ?? []} selected={file.path} onSelect={setPath} />
          </div>
          <FilePane
            goal={view.id}
            file={file}
            split={split}
            whitespace={whitespace}
            controls={
              <DiffControls split={split} onSplit={setSplit} whitespace={whitespace} onWhitespace={setWhitespace} />
            }
            canUndo={canUndo}
            version={version}
            onUndo={() => undoFile(file)}
          />
        </div>
      ) : null}
      {answer && !file ? <Empty answer={answer} /> : null}
      {answer ? <LeftOut answer={answer} /> : null}
      {committing && offer ? (
        <CommitDialog goal={view.id} offer={offer} files={files} onClose={() => setCommitting(false)} />
      ) : null}
      {asked ? <UndoDialog view={view} input={asked} onClose={close} onDone={onDone} /> : null}
    </div>
  );
}

/** Delay after an event before the folder is compared again, at most once in that time. */
const pauseMs = 1_500;

/** Compares shortly after the goal did something. Returns a number that grows with each comparison. */
function useFollowing(reload: () => Promise<void>): number {
  const seq = useAppState((s) => s.detail.view?.seq ?? 0);
  const [version, setVersion] = useState(0);
  const timer = useRef(0);
  const first = useRef(seq);
  useEffect(() => {
    if (seq === first.current || timer.current) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      first.current = 0;
      void reload().then(() => setVersion((v) => v + 1));
    }, pauseMs);
  }, [seq, reload]);
  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
      timer.current = 0;
    },
    [],
  );
  return version;
}

function Total({ files }: { files: readonly ChangedFile[] }) {
  if (files.length === 0) return null;
  const sum = (n: (f: ChangedFile) => number) => files.reduce((all, f) => all + Math.max(0, n(f)), 0);
  return (
    <span data-testid="changes-total" className="flex gap-2 max-[1200px]:hidden">
      <span className="font-medium">{plural(files.length, "file")} changed</span>
      <Count added={sum((f) => f.added)} removed={sum((f) => f.removed)} />
    </span>
  );
}

interface DiffControlsProps {
  split: boolean;
  onSplit: (on: boolean) => void;
  whitespace: boolean;
  onWhitespace: (on: boolean) => void;
}

/** How a difference is shown. In narrow windows it is unified. */
function DiffControls({ split, onSplit, whitespace, onWhitespace }: DiffControlsProps) {
  return (
    <>
      <SplitSwitch split={split} onSplit={onSplit} />
      <Button
        look="quiet"
        data-testid="diff-whitespace"
        aria-pressed={!whitespace}
        className={whitespace ? "" : "bg-surface-hover text-text"}
        onClick={() => onWhitespace(!whitespace)}
      >
        Ignore whitespace
      </Button>
    </>
  );
}

function SplitSwitch({ split, onSplit }: { split: boolean; onSplit: (on: boolean) => void }) {
  return (
    <div role="group" aria-label="Layout of differences" className="flex rounded-md border border-border">
      {[true, false].map((on) => (
        <button
          key={String(on)}
          type="button"
          aria-pressed={split === on}
          data-testid={on ? "diff-split" : "diff-unified"}
          onClick={() => onSplit(on)}
          className={
            "h-6 px-2.5 first:rounded-l-md last:rounded-r-md " +
            (split === on ? "bg-surface-hover font-medium text-text" : "text-text-faint hover:text-text")
          }
        >
          {on ? "Split" : "Unified"}
        </button>
      ))}
    </div>
  );
}

interface UndoneProps {
  /** What became of the goal, "" if nothing is undone. */
  words: string;
  busy: boolean;
  onCheck: () => void;
  /** Absent if nothing that was undone can be restored. */
  onRedo: (() => void) | null;
  canRedo: boolean;
}

/** What the folder is after an undo or a redo, for which the checks run again. */
function Undone({ words, busy, onCheck, onRedo, canRedo }: UndoneProps) {
  return (
    <div
      role="status"
      data-testid="changes-undone"
      className="flex flex-wrap items-center gap-x-3 bg-warn-bg px-4 py-1.5 text-xs text-warn"
    >
      <span data-testid="undone-result">
        {[capitalize(words), busy ? "running the checks again…" : ""].filter(Boolean).join(" · ")}
      </span>
      {busy ? null : (
        <Button look="quiet" data-testid="undone-check" onClick={onCheck}>
          Run checks again
        </Button>
      )}
      {onRedo ? (
        <Button look="quiet" data-testid="redo" disabled={!canRedo} onClick={onRedo}>
          <RedoIcon size={13} /> Redo undone changes…
        </Button>
      ) : null}
    </div>
  );
}

function Empty({ answer }: { answer: ChangesView }) {
  return (
    <div
      className="flex flex-1 items-center justify-center p-8 text-center text-xs text-text-faint"
      data-testid="changes-empty"
    >
      {answer.unavailable ||
        (answer.running ? "Nothing has changed yet." : "Nothing has changed since the goal started.")}
    </div>
  );
}

function LeftOut({ answer }: { answer: ChangesView }) {
  const list = answer.left_out ?? [];
  if (list.length === 0) return null;
  return (
    <details
      className="shrink-0 border-t border-border px-4 py-1.5 text-2xs text-text-faint"
      data-testid="changes-left-out"
    >
      <summary>{plural(list.length, "path")} not compared</summary>
      <ul className="max-h-32 overflow-y-auto pt-1">
        {list.map((l) => (
          <li key={l.path}>
            <span className="font-mono">{stripControl(l.path)}</span>: {l.why}
          </li>
        ))}
      </ul>
    </details>
  );
}
