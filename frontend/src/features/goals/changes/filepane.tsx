import type { ReactNode } from "react";
import type { ChangedFile, FileDiff, FileSide } from "@/bridge/types";
import { bytes } from "@/lib/bytes";
import { stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { DiffLines } from "./difflines";
import { canEdit } from "./edit";
import { Count } from "./filetree";
import { UndoIcon } from "./icons";

interface FilePaneProps {
  goal: string;
  file: ChangedFile;
  split: boolean;
  whitespace: boolean;
  /** How the difference is shown. */
  controls: ReactNode;
  canUndo: boolean;
  onUndo: () => void;
  /** Changes whenever the file has to be loaded again. */
  version: number;
}

/** One changed file, before and after. */
export function FilePane({ goal, file, split, whitespace, controls, canUndo, onUndo, version }: FilePaneProps) {
  const app = useApp();
  return (
    <section
      aria-label={file.path}
      data-testid="changes-pane"
      data-path={file.path}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-border bg-surface px-3 py-1">
        <span className="selectable min-w-0 truncate font-mono text-xs" title={file.path}>
          {stripControl(file.path)}
        </span>
        <span className="text-xs">
          <Count added={file.added} removed={file.removed} />
        </span>
        <Marks file={file} />
        <span className="flex-1" />
        {controls}
        <Button look="quiet" data-testid="undo-file" disabled={!canUndo} onClick={onUndo}>
          <UndoIcon size={13} /> Undo this file
        </Button>
        {canEdit(file) ? (
          <Button look="quiet" data-testid="show-file" onClick={() => void app.panes.openGoalFile(goal, file.path)}>
            Open file
          </Button>
        ) : null}
        {canEdit(file) ? (
          <Button
            data-testid="edit-file"
            title="Opens $VISUAL or $EDITOR in a terminal (E)"
            onClick={() => void app.panes.openEditor(goal, file.path)}
          >
            Open in editor
          </Button>
        ) : null}
      </div>
      <FileContent key={`${file.path} ${version}`} goal={goal} path={file.path} split={split} whitespace={whitespace} />
    </section>
  );
}

function Marks({ file }: { file: ChangedFile }) {
  const readBy = file.read_by ?? [];
  return (
    <>
      {file.runs_check ? (
        <Badge tone="warn">The check runs this file</Badge>
      ) : readBy.length > 0 ? (
        <Badge tone="accent">Read by the check {readBy[0]}</Badge>
      ) : null}
      {file.protected ? <Badge tone="warn">Protected: {file.protected}</Badge> : null}
      {file.edited_since ? <Badge tone="warn">Edited later, not by this goal</Badge> : null}
      {file.ignored ? <Badge tone="calm">Ignored by git</Badge> : null}
    </>
  );
}

interface FileContentProps {
  goal: string;
  path: string;
  split: boolean;
  whitespace: boolean;
}

/** The changes of one file. */
export function FileContent({ goal, path, split, whitespace }: FileContentProps) {
  const { answer, problem } = useCall("ChangesAPI.File", goal, path);
  if (problem) {
    return (
      <p role="alert" className="p-4 text-xs text-text-muted">
        {problem.message}
      </p>
    );
  }
  if (!answer) return <div aria-busy className="flex-1" />;
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} data-diff-scroller>
      <ModeLine diff={answer} />
      {answer.is_text ? <DiffLines diff={answer} split={split} whitespace={whitespace} /> : <Sides diff={answer} />}
    </div>
  );
}

/** Changes other than those of the content. */
function ModeLine({ diff: { before, after, hunks, is_text } }: { diff: FileDiff }) {
  const lines: string[] = [];
  if (before.type && after.type) {
    if (before.type !== after.type) lines.push(`It was a ${before.type}, and is a ${after.type} now.`);
    if (before.mode !== after.mode) lines.push(`Permissions: ${before.mode} → ${after.mode}`);
  }
  const type = after.type || before.type;
  if (type === "link") lines.push(`A link to ${after.target || before.target || "nothing"}.`);
  if (type === "folder") lines.push(after.type ? "A new, empty folder." : "An empty folder that was deleted.");
  if (lines.length === 0 && is_text && hunks === "") lines.push("An empty file.");
  if (lines.length === 0) return null;
  return <p className="border-b border-border px-3 py-1.5 text-xs text-text-muted">{stripControl(lines.join(" "))}</p>;
}

/** A file that is not text: pictures side by side, or size and hash. */
function Sides({ diff }: { diff: FileDiff }) {
  return (
    <div data-testid="diff-binary" className="grid grid-cols-2 gap-4 p-4">
      <Side title="Before" side={diff.before} image={diff.was_image} />
      <Side title="Now" side={diff.after} image={diff.is_image} />
    </div>
  );
}

function Side({ title, side, image }: { title: string; side: FileSide; image: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-2 rounded-md border border-border p-3 text-xs">
      <figcaption className="font-medium">{title}</figcaption>
      {image ? <img src={image} alt={title} className="max-h-80 max-w-full self-center object-contain" /> : null}
      {side.type ? (
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-text-muted">
          <dt>Size</dt>
          <dd>{bytes(side.size)}</dd>
          <dt>SHA-256</dt>
          <dd className="selectable truncate font-mono text-2xs leading-[18px]" title={side.sha256}>
            {side.sha256}
          </dd>
        </dl>
      ) : (
        <p className="text-text-faint">No file.</p>
      )}
    </figure>
  );
}
