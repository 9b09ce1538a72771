import { useMemo, useState } from "react";
import type { SpendLineBy } from "@/bridge/types";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { daySeries } from "./dayseries";
import { Plot } from "./plot";

const choices: Record<SpendLineBy, string> = {
  day: "By day",
  model: "By model",
  persona: "By persona",
  folder: "By folder",
};

/** What all goals together spent in the last days, by day, model, persona or folder. */
export default function SpendDialog({ onClose }: { onClose: () => void }) {
  const [by, setBy] = useState<SpendLineBy>("model");
  const { answer, problem, reload } = useCall("SpendAPI.Plot", by);
  const series = useMemo(() => (answer ? daySeries(answer) : null), [answer]);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Spend of all goals"
      className="w-[860px]"
      testid="spend-dialog"
      help="how-to/goals"
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div role="group" aria-label="Lines" className="mb-3 flex flex-wrap gap-1">
        {(["day", "model", "persona", "folder"] as const).map((b) => (
          <Button
            key={b}
            look={b === by ? "plain" : "quiet"}
            aria-pressed={b === by}
            data-testid={`spend-by-${b}`}
            onClick={() => setBy(b)}
          >
            {choices[b]}
          </Button>
        ))}
      </div>
      {problem ? (
        <div role="alert" className="mb-3 flex items-center gap-3 text-xs">
          <span>
            <span className="text-bad">{problem.message}</span> {problem.hint}
          </span>
          <Button onClick={() => void reload()}>Try again</Button>
        </div>
      ) : null}
      {answer && series ? <Plot file={`spend-by-${answer.by}`} series={series} /> : null}
    </Dialog>
  );
}
