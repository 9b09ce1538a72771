import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { ChecksTab } from "./checkstab";
import { StepLog } from "./steplog";

const Replay = lazy(() => import("./replay/replay"));
const Changes = lazy(() => import("./changes/changes"));
const Transcript = lazy(() => import("./transcript/transcript"));

const tabLabels = {
  log: "Activity",
  changes: "Changes",
  checks: "Checks",
  replay: "Replay",
  transcript: "Transcript",
} as const;
const tabNames = Object.keys(tabLabels) as (keyof typeof tabLabels)[];

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
  const tabs = <Tabs view={view} what={place.what} onShow={(what) => show({ what })} />;
  useTabKeys((what) => show({ what }));
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
  if (place.what === "checks") return <ChecksTab view={view} before={tabs} />;
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

/** 1 to 5 show the tabs. */
function useTabKeys(onShow: (what: Place["what"]) => void) {
  const newest = useRef(onShow);
  useEffect(() => {
    newest.current = onShow;
  });
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
      const what = tabNames[Number(/^Digit([1-5])$/.exec(e.code)?.[1] ?? 0) - 1];
      if (!what) return;
      newest.current(what);
      e.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

interface TabsProps {
  view: GoalView;
  what: Place["what"];
  onShow: (what: Place["what"]) => void;
}

function Tabs({ view, what, onShow }: TabsProps) {
  const checks = view.check_states ?? [];
  const counts: Partial<Record<Place["what"], string>> = {
    log: view.steps > 0 ? String(view.steps) : "",
    checks: `${checks.filter((c) => c.outcome === "pass").length}/${checks.length}`,
  };
  return (
    <div role="group" aria-label="Goal activity" className="mr-1 flex rounded-md border border-border">
      {tabNames.map((w, i) => (
        <button
          key={w}
          type="button"
          aria-pressed={what === w}
          data-testid={`story-${w}`}
          title={`${tabLabels[w]} (${i + 1})`}
          onClick={() => onShow(w)}
          className={
            "h-6 px-2.5 first:rounded-l-md last:rounded-r-md " +
            (what === w ? "bg-surface-hover font-medium text-text" : "text-text-faint hover:text-text")
          }
        >
          {tabLabels[w]}
          {counts[w] ? (
            <span className="ml-1 text-2xs text-text-faint tabular-nums max-[640px]:hidden">{counts[w]}</span>
          ) : null}
        </button>
      ))}
    </div>
  );
}
