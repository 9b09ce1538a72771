import { money } from "@/lib/bytes";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { useReload } from "./page";
import { dueWords, runWords } from "./words";

/** The newest runs of a schedule: each is a goal, or says why none started. */
export function Runs({ schedule, revision }: { schedule: string; revision: number }) {
  const app = useApp();
  const { answer, reload } = useAnswer("ScheduleAPI.Runs", schedule);
  useReload(revision, reload);
  if (answer?.length === 0) return <p className="text-text-faint">None yet. Run now tries it.</p>;
  return (
    <ul className="rounded-lg border border-border bg-surface">
      {(answer ?? []).map((run) => {
        const words = runWords(run);
        return (
          <li
            key={run.due}
            data-testid="schedule-run-row"
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-border px-3 py-2 text-xs last:border-b-0"
          >
            <span className="w-36 shrink-0 tabular-nums">{dueWords(run.due)}</span>
            <Badge tone={words.tone}>{words.label}</Badge>
            {run.dry_run ? <span className="text-text-faint">dry run</span> : null}
            <span className="min-w-0 flex-1 truncate text-text-muted" title={run.why}>
              {run.why}
            </span>
            {run.usd > 0 ? <span className="tabular-nums">{money(run.usd)}</span> : null}
            {run.goal && run.status ? (
              <Button look="quiet" data-testid="schedule-run-open" onClick={() => app.openGoal(run.goal)}>
                Open
              </Button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
