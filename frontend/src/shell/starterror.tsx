import type { Problem } from "@/bridge/types";
import { Button } from "@/ui/button";
import { Mark } from "@/ui/icons";

/** Shown when the page could not reach its program. */
export function StartError({ problem }: { problem: Problem }) {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-3 p-6" role="alert" data-testid="failed">
      <Mark size={32} />
      <h1 className="text-base font-semibold">Goalpost could not start</h1>
      <p className="selectable max-w-md text-center text-text-muted">{problem.message}</p>
      {problem.hint ? <p className="selectable text-xs text-text-faint">{problem.hint}</p> : null}
      <Button onClick={() => location.reload()}>Try again</Button>
    </div>
  );
}
