import { useEffect, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { StepRow, StepView } from "@/bridge/types";
import { writeClipboard } from "@/bridge/clipboard";
import { pretty } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PlayIcon } from "@/ui/icons";
import type { CallFile } from "@/agent/callfiles";
import { CallDetails, Part } from "@/agent/calldetails";
import { StepPicture } from "./activity/picture";
import { riskLabel } from "@/lib/risk";

interface StepMoreProps {
  goal: string;
  step: StepRow;
  onReplay: ((ms: number) => void) | undefined;
}

/** All details of one step in readable form; raw arguments and result are behind "Show raw". */
export function StepMore({ goal, step, onReplay }: StepMoreProps) {
  const app = useApp();
  const [view, setView] = useState<StepView | null>(null);
  const [error, setError] = useState("");
  const [raw, setRaw] = useState(false);

  useEffect(() => {
    let stale = false;
    app.bridge
      .call("GoalAPI.Step", goal, step.n)
      .then((v) => !stale && setView(v))
      .catch((reason: unknown) => !stale && setError(asProblem(reason).message));
    return () => {
      stale = true;
    };
    // The result is loaded again once the step has ended.
  }, [app, goal, step.n, step.outcome]);

  const showFile = (file: CallFile) => void app.panes.openGoalFile(goal, file.path, file.line);
  const shown = view ?? { ...step, result: "", image: "" };
  const copy = async () => {
    if (await writeClipboard(`${pretty(shown.arguments)}\n\n${shown.result}`)) app.notices.done("Step copied");
  };
  return (
    <div
      className="mr-5 mb-2 ml-[156px] flex flex-col gap-3 rounded-md border border-border bg-surface-raised p-3 max-[640px]:mx-4"
      data-testid="step-more"
    >
      {error ? <p className="text-xs text-bad">{error}</p> : null}
      {raw ? <RawCall step={shown} /> : <CallDetails step={shown} onFile={showFile} />}
      {view ? <StepPicture step={view} /> : null}
      <div className="flex flex-wrap items-center gap-1">
        {step.effect ? <p className="flex-1 text-2xs text-text-faint">effect: {riskLabel(step.effect)}</p> : null}
        {onReplay ? (
          <Button look="quiet" data-testid="step-replay" onClick={() => onReplay(step.at_ms)}>
            <PlayIcon size={12} /> Replay this moment
          </Button>
        ) : null}
        <Button look="quiet" data-testid="step-copy" disabled={!view} onClick={() => void copy()}>
          Copy
        </Button>
        <Button look="quiet" data-testid="step-show-raw" aria-pressed={raw} onClick={() => setRaw(!raw)}>
          {raw ? "Hide raw" : "Show raw"}
        </Button>
      </div>
    </div>
  );
}

/** The call as the model wrote it, and its result. */
function RawCall({ step }: { step: StepView }) {
  return (
    <div className="flex flex-col gap-2" data-testid="step-raw">
      <Part title={step.tool}>
        <pre
          tabIndex={0}
          aria-label="Arguments"
          className="max-h-72 overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
        >
          {pretty(step.arguments)}
        </pre>
      </Part>
      <Part title="Result">
        <pre
          tabIndex={0}
          aria-label="Result"
          className="max-h-96 overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
        >
          {step.result}
        </pre>
      </Part>
    </div>
  );
}
