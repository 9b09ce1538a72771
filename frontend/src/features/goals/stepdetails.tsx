import { useEffect, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { StepRow, StepView } from "@/bridge/types";
import { pretty } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { PlayIcon } from "@/ui/icons";
import { riskLabel } from "./labels";

interface StepMoreProps {
  goal: string;
  step: StepRow;
  onReplay: ((ms: number) => void) | undefined;
}

/** Everything of one step: its arguments, its whole result and its picture. All of it is text to the page. */
export function StepMore({ goal, step, onReplay }: StepMoreProps) {
  const app = useApp();
  const [view, setView] = useState<StepView | null>(null);
  const [error, setError] = useState("");

  useEffect(() => {
    let stale = false;
    app.bridge
      .call("GoalAPI.Step", goal, step.n)
      .then((v) => !stale && setView(v))
      .catch((reason: unknown) => !stale && setError(asProblem(reason).message));
    return () => {
      stale = true;
    };
    // The result is asked for again once the step has ended.
  }, [app, goal, step.n, step.outcome]);

  const image = view?.image.startsWith("data:image/") ? view.image : "";
  return (
    <div
      className="mr-5 mb-2 ml-[110px] flex flex-col gap-2 rounded-md border border-border bg-surface-raised p-3"
      data-testid="step-more"
    >
      <Part title="Arguments">
        <pre className="max-h-72 overflow-auto font-mono text-xs break-words whitespace-pre-wrap">
          {pretty(view?.arguments ?? step.arguments)}
        </pre>
      </Part>
      {error ? <p className="text-xs text-bad">{error}</p> : null}
      {view?.result ? (
        <Part title="Result">
          <pre
            className="max-h-96 overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
            data-testid="step-result"
          >
            {view.result}
          </pre>
        </Part>
      ) : null}
      {image ? (
        <Part title="Picture">
          <img src={image} alt={`What step ${step.n} saw`} className="max-h-[420px] rounded-sm border border-border" />
        </Part>
      ) : null}
      <div className="flex items-center gap-3">
        {step.effect ? <p className="flex-1 text-2xs text-text-faint">effect: {riskLabel(step.effect)}</p> : null}
        {onReplay ? (
          <Button look="quiet" data-testid="step-replay" onClick={() => onReplay(step.at_ms)}>
            <PlayIcon size={12} /> Replay this moment
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <Caption as="h4" className="mb-1">
        {title}
      </Caption>
      {children}
    </section>
  );
}
