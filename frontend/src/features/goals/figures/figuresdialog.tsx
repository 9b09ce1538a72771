import type { FigureRow } from "@/bridge/types";
import { writeClipboard } from "@/bridge/clipboard";
import { modelName } from "@/features/goals/filters";
import { downloadText } from "@/lib/download";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { figuresCSV, figuresOf } from "./figures";

/** How well goals have worked for this user: figures over all that ended, and by model. */
export default function FiguresDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const { answer, problem, reload } = useCall("FiguresAPI.Get");
  const models = answer?.models ?? [];
  const copy = async () => {
    if (await writeClipboard(figuresCSV(models))) app.notices.done("Copied as CSV");
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="How well does it work"
      description="Figures over all goals that ended"
      className="w-[860px]"
      testid="figures-dialog"
      help="how-to/goals"
      footer={
        <>
          {models.length > 0 ? (
            <>
              <Button look="quiet" data-testid="figures-copy" onClick={() => void copy()}>
                Copy CSV
              </Button>
              <Button
                look="quiet"
                data-testid="figures-download"
                onClick={() => downloadText("how-well.csv", "text/csv", figuresCSV(models))}
              >
                Download CSV
              </Button>
            </>
          ) : null}
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {problem ? (
        <div role="alert" className="mb-3 flex items-center gap-3 text-xs">
          <span>
            <span className="text-bad">{problem.message}</span> {problem.hint}
          </span>
          <Button onClick={() => void reload()}>Try again</Button>
        </div>
      ) : null}
      {answer && models.length === 0 ? (
        <p data-testid="figures-empty" className="py-6 text-center text-text-faint">
          No goal has ended yet. The figures come with the first one.
        </p>
      ) : null}
      {answer && models.length > 0 ? (
        <>
          <p className="mb-3 text-xs text-text-muted">
            Counted from your own goals, also deleted ones. Nothing of it leaves this computer.
          </p>
          <Cards row={answer.all} />
          {models.length > 1 ? <ByModel rows={models} /> : null}
        </>
      ) : null}
    </Dialog>
  );
}

function Cards({ row }: { row: FigureRow }) {
  return (
    <dl className="grid grid-cols-3 gap-3 max-[640px]:grid-cols-1">
      {figuresOf(row).map((f) => (
        <div key={f.id} data-testid={`figure-${f.id}`} className="rounded-lg border border-border bg-surface px-4 py-3">
          <dt className="text-xs text-text-muted">{f.title}</dt>
          <dd className="mt-1">
            <span className="block text-xl font-semibold tabular-nums">{f.value}</span>
            <span className="mt-1 block text-xs text-text-faint">{f.from}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ByModel({ rows }: { rows: readonly FigureRow[] }) {
  const titles = figuresOf(rows[0] as FigureRow).map((f) => f.title);
  const cell = "px-3 py-1.5 text-right whitespace-nowrap tabular-nums";
  return (
    <div
      className="mt-4 overflow-x-auto rounded-md border border-border"
      tabIndex={0}
      role="region"
      aria-label="By model"
    >
      <table className="selectable w-full text-xs" data-testid="figures-models">
        <thead className="text-text-faint">
          <tr>
            <th scope="col" className="px-3 py-1.5 text-left font-medium">
              Model
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              Goals
            </th>
            {titles.map((title) => (
              <th key={title} scope="col" className="px-3 py-1.5 text-right font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.model} className="border-t border-border">
              <th scope="row" className="max-w-48 truncate px-3 py-1.5 text-left font-normal" title={row.model}>
                {row.model ? modelName(row.model) : "Unknown model"}
              </th>
              <td className={cell}>{row.goals}</td>
              {figuresOf(row).map((f) => (
                <td key={f.id} className={cell}>
                  {f.value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
