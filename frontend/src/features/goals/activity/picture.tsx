import type { StepView } from "@/bridge/types";
import { callWords } from "@/agent/callwords";

/** The screenshot of a step, or the page that it acted on, with a mark at the place. */
export function StepPicture({ step }: { step: StepView }) {
  if (!step.image.startsWith("data:image/")) return null;
  const { click } = step;
  const words = callWords(step);
  return (
    <figure className="flex flex-col gap-1">
      <div
        className="relative w-fit max-w-full overflow-hidden rounded-sm border border-border"
        data-testid="step-picture"
      >
        <img
          src={step.image}
          alt={click ? `The page when step ${step.n} acted on it` : `What step ${step.n} saw`}
          className="block max-h-[420px] max-w-full"
        />
        {click ? (
          <span
            data-testid="step-click"
            className="pointer-events-none absolute size-7 -translate-x-1/2 -translate-y-1/2 rounded-full border-[3px] border-agent bg-agent/20 shadow-[0_0_0_2px_#fff,inset_0_0_0_2px_#fff]"
            style={{ left: `${(100 * click.x) / click.width}%`, top: `${(100 * click.y) / click.height}%` }}
          />
        ) : null}
      </div>
      {click ? (
        <figcaption className="text-2xs text-text-faint">
          The page at that moment; the mark shows where the agent {words.verb.toLowerCase()}.
        </figcaption>
      ) : null}
    </figure>
  );
}
