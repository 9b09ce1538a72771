import { useState } from "react";
import type { ChangedFile } from "@/bridge/types";
import { FileContent } from "@/features/goals/changes/filepane";
import { Count } from "@/features/goals/changes/filetree";
import "@/features/goals/changes/changes.css";
import { plural, stripControl } from "@/lib/text";
import type { ExportData } from "./data";

/** Longer differences are folded first, and so are all if there are many. */
const maxOpenLines = 200;
const maxOpenFiles = 20;

/** The changed files with their differences. */
export function Changes({ data: { view, changes } }: { data: ExportData }) {
  const files = changes.files ?? [];
  if (files.length === 0) {
    return (
      <p className="text-xs text-text-faint" data-testid="export-no-changes">
        {stripControl(changes.unavailable) || "Nothing has changed since the goal started."}
      </p>
    );
  }
  const sum = (n: (f: ChangedFile) => number) => files.reduce((all, f) => all + Math.max(0, n(f)), 0);
  return (
    <>
      <p className="mb-2 flex gap-2 text-xs">
        <span className="font-medium">{plural(files.length, "file")} changed</span>
        <Count added={sum((f) => f.added)} removed={sum((f) => f.removed)} />
      </p>
      <div className="flex flex-col gap-2">
        {files.map((file) => (
          <File key={file.path} goal={view.id} file={file} open={files.length <= maxOpenFiles} />
        ))}
      </div>
    </>
  );
}

const changeWord: Record<string, string> = { new: "New", changed: "Changed", deleted: "Deleted" };

function File({ goal, file, open }: { goal: string; file: ChangedFile; open: boolean }) {
  // The lines of a file are drawn when it is opened for the first time.
  const [shown, setShown] = useState(open && file.added + file.removed <= maxOpenLines);
  return (
    <details
      open={shown}
      data-testid="export-file"
      data-path={file.path}
      className="overflow-hidden rounded-lg border border-border"
      onToggle={(e) => e.currentTarget.open && setShown(true)}
    >
      <summary className="bg-surface px-3 py-2 text-xs wrap-anywhere">
        <span className="text-text-faint">{changeWord[file.change] ?? stripControl(file.change)} </span>
        <span className="font-mono">{stripControl(file.path)}</span> <Count added={file.added} removed={file.removed} />
      </summary>
      {shown ? (
        <div className="max-h-[70vh] overflow-auto print:max-h-none">
          <FileContent goal={goal} path={file.path} split={false} whitespace />
        </div>
      ) : null}
    </details>
  );
}
