import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { usesPane } from "@/agent/callwords";
import type { GoalView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { goalTabLabels, goalTabs, type GoalTab } from "@/store/state";
import { ChecksTab } from "./checkstab";
import { StepLog } from "./steplog";

const Replay = lazy(() => import("./replay/replay"));
const Changes = lazy(() => import("./changes/changes"));
const Transcript = lazy(() => import("./transcript/transcript"));
const Plots = lazy(() => import("./plots/plots"));

/** Where the log and the replay begin. */
interface Start {
  step: number;
  ms: number;
}

/** The tabs of a goal: activity, changes, checks, replay, transcript, plots. */
export function ActivityTabs({ view, step = 0 }: { view: GoalView; step?: number }) {
  const app = useApp();
  const what = useAppState((s) => s.goalTab);
  const [start, setStart] = useState<Start>({ step, ms: 0 });
  const hasPanes = useAppState((s) => s.detail.steps.some(usesPane));
  const show = (goalTab: GoalTab, from: Partial<Start> = {}) => {
    setStart((old) => ({ ...old, step: 0, ...from }));
    app.set({ goalTab });
  };
  const tabs = <Tabs view={view} what={what} onShow={show} />;
  useTabKeys(show);
  if (what === "log") {
    return <StepLog at={start.step} before={tabs} onReplay={hasPanes ? (ms) => show("replay", { ms }) : undefined} />;
  }
  if (what === "changes") {
    return (
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Changes view={view} before={tabs} />
      </Suspense>
    );
  }
  if (what === "checks") return <ChecksTab view={view} before={tabs} />;
  if (what === "plots") {
    return (
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Plots view={view} before={tabs} />
      </Suspense>
    );
  }
  if (what === "transcript") {
    return (
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Transcript goal={view.id} before={tabs} onStep={(step) => show("log", { step })} />
      </Suspense>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:min-h-[360px] max-[900px]:flex-none">
      <Suspense fallback={<div className="flex-1" aria-busy />}>
        <Replay view={view} at={start.ms} before={tabs} onStep={(step) => show("log", { step })} />
      </Suspense>
    </div>
  );
}

/** The keys 1 to 6 show the tabs. */
function useTabKeys(onShow: (what: GoalTab) => void) {
  const newest = useRef(onShow);
  useEffect(() => {
    newest.current = onShow;
  });
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
      const what = goalTabs[Number(/^Digit([1-6])$/.exec(e.code)?.[1] ?? 0) - 1];
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
  what: GoalTab;
  onShow: (what: GoalTab) => void;
}

function Tabs({ view, what, onShow }: TabsProps) {
  const checks = view.check_states ?? [];
  const counts: Partial<Record<GoalTab, string>> = {
    log: view.steps > 0 ? String(view.steps) : "",
    checks: `${checks.filter((c) => c.outcome === "pass").length}/${checks.length}`,
  };
  return (
    <div
      role="group"
      aria-label="Goal activity"
      className="mr-1 flex rounded-md border border-border max-[640px]:flex-wrap"
    >
      {goalTabs.map((w, i) => (
        <button
          key={w}
          type="button"
          aria-pressed={what === w}
          data-testid={`story-${w}`}
          title={`${goalTabLabels[w]} (${i + 1})`}
          onClick={() => onShow(w)}
          className={
            "h-6 px-2.5 first:rounded-l-md last:rounded-r-md " +
            (what === w ? "bg-surface-hover font-medium text-text" : "text-text-faint hover:text-text")
          }
        >
          {goalTabLabels[w]}
          {counts[w] ? (
            <span className="ml-1 text-2xs text-text-faint tabular-nums max-[640px]:hidden">{counts[w]}</span>
          ) : null}
        </button>
      ))}
    </div>
  );
}
