import type { ChangedFile } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { Caption } from "@/ui/caption";
import { Count } from "@/features/goals/changes/filetree";
import { MinusIcon, PencilIcon, PlusIcon } from "@/features/goals/changes/icons";
import { useFolder } from "./usefolder";

const changeIcons: Record<string, { Icon: typeof PlusIcon; tone: string }> = {
  new: { Icon: PlusIcon, tone: "text-ok" },
  changed: { Icon: PencilIcon, tone: "text-warn" },
  deleted: { Icon: MinusIcon, tone: "text-bad" },
};

interface ChangedFilesProps {
  goal: string;
  /** How many files are listed. */
  most?: number;
}

/** The files that a stopped goal changed, each with a link to its diff. */
export function ChangedFiles({ goal, most = 3 }: ChangedFilesProps) {
  const app = useApp();
  const folder = useFolder(goal);
  if (!folder) return null;
  const files = folder.changes.files ?? [];
  const sum = (count: (f: ChangedFile) => number) => files.reduce((all, f) => all + Math.max(0, count(f)), 0);
  return (
    <section aria-label="Changes" data-testid="changed-files">
      <div className="mt-3.5 mb-1 flex items-baseline justify-between gap-3">
        <Caption>Changes</Caption>
        <span className="flex gap-1.5 text-xs text-text-muted">
          {files.length > 0
            ? `${plural(files.length, "file")} changed`
            : folder.changes.unavailable || "No file changed"}
          <Count added={sum((f) => f.added)} removed={sum((f) => f.removed)} />
        </span>
      </div>
      {files.slice(0, most).map((f) => (
        <FileRow key={f.path} file={f} onOpen={() => app.openChanges(goal, f.path)} />
      ))}
      {files.length > most ? (
        <button
          type="button"
          className="py-1 pl-[22px] text-xs text-text-faint hover:text-text hover:underline max-[640px]:h-11"
          onClick={() => app.openGoal(goal, "changes")}
        >
          {files.length - most} more
        </button>
      ) : null}
    </section>
  );
}

function FileRow({ file, onOpen }: { file: ChangedFile; onOpen: () => void }) {
  const { Icon, tone } = changeIcons[file.change] ?? { Icon: PencilIcon, tone: "text-warn" };
  const path = stripControl(file.path);
  const name = path.lastIndexOf("/") + 1;
  return (
    <button
      type="button"
      data-testid="changed-file"
      data-path={file.path}
      title={`${path}: ${file.change}`}
      className="flex w-full items-center gap-2 rounded-sm py-1 text-left text-xs hover:bg-surface-hover max-[640px]:h-11"
      onClick={onOpen}
    >
      <Icon size={14} className={`shrink-0 ${tone}`} />
      <span className="min-w-0 flex-1 truncate">
        <span className="text-text-faint">{path.slice(0, name)}</span>
        {path.slice(name)}
      </span>
      <Count added={file.added} removed={file.removed} />
    </button>
  );
}
