import { lazy, Suspense, useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { StepLog } from "./steplog";

const Replay = lazy(() => import("./replay/replay"));
const Changes = lazy(() => import("./changes/changes"));
const Transcript = lazy(() => import("./transcript/transcript"));

const tabLabels = { log: "Activity", changes: "Changes", replay: "Replay", transcript: "Transcript" } as const;

/** Which of them is shown, and where it begins. */
interface Place {
  what: keyof typeof tabLabels;
  step: number;
  ms: number;
}

/** What a goal has done: in words, in its folder, as its panes showed it, and everything that was said. */
export function ActivityTabs({ view, step = 0 }: { view: GoalView; step?: number }) {
  const [place, setPlace] = useState<Place>({ what: "log", step, ms: 0 });
  const hasPanes = useAppState((s) => s.detail.steps.some(({ tool }) => /^(terminal|browser)_/.test(tool)));
  const show = (part: Partial<Place>) => setPlace((p) => ({ ...p, step: 0, ...part }));
  const tabs = <Tabs what={place.what} onShow={(what) => show({ what })} />;
  if (place.what === "log") {
    return (
      <StepLog at={place.step} before={tabs} onReplay={hasPanes ? (ms) => show({ what: "replay", ms }) : undefined} />
    );
  }
  if (place.what === "changes") {
    return (
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Changes view={view} before={tabs} />
      </Suspense>
    );
  }
  if (place.what === "transcript") {
    return (
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Transcript goal={view.id} before={tabs} onStep={(step) => show({ what: "log", step })} />
      </Suspense>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:h-[360px] max-[900px]:flex-none">
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Replay view={view} at={place.ms} before={tabs} onStep={(step) => show({ what: "log", step })} />
      </Suspense>
    </div>
  );
}

function Tabs({ what, onShow }: { what: Place["what"]; onShow: (what: Place["what"]) => void }) {
  return (
    <div role="group" aria-label="Goal activity" className="mr-1 flex rounded-md border border-border">
      {(Object.keys(tabLabels) as Place["what"][]).map((w) => (
        <button
          key={w}
          type="button"
          aria-pressed={what === w}
          data-testid={`story-${w}`}
          onClick={() => onShow(w)}
          className={
            "h-6 px-2.5 first:rounded-l-md last:rounded-r-md " +
            (what === w ? "bg-surface-hover font-medium text-text" : "text-text-faint hover:text-text")
          }
        >
          {tabLabels[w]}
        </button>
      ))}
    </div>
  );
}
