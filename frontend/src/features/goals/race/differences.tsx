import { useState } from "react";
import type { RunnerFile, RunnerView } from "@/bridge/types";
import { FileContent } from "@/features/goals/changes/filepane";
import { Count } from "@/features/goals/changes/filetree";
import { stripControl } from "@/lib/text";
import { Caption } from "@/ui/caption";

/** A path that at least one runner changed, with the runners in their order; undefined for those that did not. */
interface Row {
  path: string;
  files: (RunnerFile | undefined)[];
}

function rowsOf(runners: readonly RunnerView[]): Row[] {
  const paths = new Set(runners.flatMap((r) => (r.files ?? []).map((f) => f.path)));
  return [...paths]
    .toSorted()
    .map((path) => ({ path, files: runners.map((r) => r.files?.find((f) => f.path === path)) }));
}

/** What each runner changed in each file. An open file shows the changes of all runners beside one another. */
export function Differences({ runners }: { runners: readonly RunnerView[] }) {
  const [open, setOpen] = useState("");
  const known = runners.filter((r) => !r.unavailable);
  const rows = rowsOf(known);
  if (rows.length === 0) return null;
  const columns = { gridTemplateColumns: `minmax(0, 2fr) repeat(${known.length}, minmax(0, 1fr))` };
  return (
    <section className="mt-5" data-testid="race-differences" aria-label="Differences">
      <div className="grid items-baseline gap-x-3 px-2 pb-1 text-xs text-text-muted" style={columns}>
        <Caption as="h3">Files</Caption>
        {known.map((r) => (
          <span key={r.runner} className="truncate">
            {r.runner} {stripControl(r.engine_name)}
          </span>
        ))}
      </div>
      <ul className="rounded-lg border border-border bg-surface text-xs">
        {rows.map((row) => (
          <li key={row.path} className="border-b border-border last:border-b-0">
            <button
              type="button"
              data-testid="race-file"
              aria-expanded={open === row.path}
              className="grid w-full cursor-default items-baseline gap-x-3 px-2 py-1.5 text-left hover:bg-surface-hover"
              style={columns}
              onClick={() => setOpen(open === row.path ? "" : row.path)}
            >
              <span className="truncate font-mono" title={stripControl(row.path)}>
                {stripControl(row.path)}
              </span>
              {row.files.map((file, i) => (
                <span key={known[i]?.runner} className="truncate">
                  <Change file={file} />
                </span>
              ))}
            </button>
            {open === row.path ? <Sides runners={known} row={row} /> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Change({ file }: { file: RunnerFile | undefined }) {
  if (!file) return <span className="text-text-faint">unchanged</span>;
  if (file.added < 0) return <span className="text-text-muted">{file.change}</span>;
  return (
    <>
      <Count added={file.added} removed={file.removed} />
      {file.change === "changed" ? null : <span className="text-text-muted"> {file.change}</span>}
    </>
  );
}

/** The changes of one file, a column for each runner. A narrow window has one below the other. */
function Sides({ runners, row }: { runners: readonly RunnerView[]; row: Row }) {
  return (
    <div className="grid auto-cols-fr grid-flow-col gap-px border-t border-border bg-border max-[900px]:grid-flow-row">
      {runners.map((r, i) => (
        <figure
          key={r.runner}
          data-testid="race-side"
          data-runner={r.runner}
          className="flex max-h-96 min-w-0 flex-col bg-surface"
        >
          <figcaption className="border-b border-border px-2 py-1 text-text-muted">
            {r.runner} {stripControl(r.engine_name)}
          </figcaption>
          {row.files[i] ? (
            <FileContent goal={r.goal.id} path={row.path} split={false} whitespace />
          ) : (
            <p className="px-2 py-2 text-text-faint">This runner did not change the file.</p>
          )}
        </figure>
      ))}
    </div>
  );
}
