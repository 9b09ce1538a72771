import { Button } from "@/ui/button";
import type { NewGoalForm } from "./usenewgoal";

/** Why the checks do not let the goal start, in words, with the way out as a button. */
export function StartProblem({ form: { errors, startAnyway } }: { form: NewGoalForm }) {
  const error = errors.criterion;
  if (!error) return null;
  const confirmation = confirmationFor(error.code);
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2 text-xs" data-testid="error-criterion">
      <p role="alert" className="min-w-0 flex-1 break-words text-bad">
        {error.message}
        {error.hint ? <span className="text-text-muted"> · {error.hint}</span> : null}
      </p>
      {confirmation ? (
        <Button data-testid="start-anyway" onClick={() => void startAnyway(confirmation)}>
          Start anyway
        </Button>
      ) : null}
    </div>
  );
}

/** The confirmation with which the start would be accepted, by the code of its refusal. */
function confirmationFor(code: string | undefined) {
  if (code === "check_passes") return "allow_passing";
  return code === "check_missing" ? "allow_missing" : null;
}
