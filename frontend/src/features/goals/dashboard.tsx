import { useCallback, useEffect, useRef } from "react";
import type { PruneInput } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { canPause, canResume, isLive } from "@/store/goalcards";
import { firstGoal } from "@/store/goals";
import type { AppState, StartingGoal } from "@/store/state";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { BackIcon, GoalIcon, WarnIcon } from "@/ui/icons";
import { Menu } from "@/ui/menu";
import { useMedia, usePhone } from "@/ui/usephone";
import { GoalHeader } from "./header";
import { GoalList } from "./list";
import { useGoalSearch, type GoalSearch } from "./search";
import { GoalSidebar } from "./sidebar";
import { StatusFilter } from "./statusfilter";
import { GoalTable, tableQuery } from "./table";
import { useGoalFilter, type FilteredGoals } from "./usegoalfilter";
import type { ListKeys } from "./uselines";
import { ActivityTabs } from "./activitytabs";
import { Composer, startNote } from "./composer";
import { needsAnswer } from "./resume/panel";
import { CheckCaption, CheckList } from "./why/checklist";

interface DashboardProps {
  onShowPanes: (goal: string) => void;
}

/** While the user types in a field, letters are text and not commands. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Whether the list has loaded and is empty. */
function isEmpty({ goals }: AppState): boolean {
  return goals.loaded && Object.keys(goals.byId).length === 0;
}

/** All goals, the activity of the selected one, and what decides it. */
export function Dashboard({ onShowPanes }: DashboardProps) {
  const app = useApp();
  const keys = useRef<ListKeys | null>(null);
  const onReady = useCallback((k: ListKeys) => {
    keys.current = k;
  }, []);
  const selected = useAppState((s) => s.detail.id);
  const newest = useAppState((s) => firstGoal(s.goals.byId));
  const search = useGoalSearch();
  const goals = useGoalFilter(search);
  // A phone shows either the list or the opened goal.
  const hasNone = useAppState(isEmpty);
  const isPage = useAppState((s) => s.openedGoal !== "" || s.starting !== null) || hasNone;
  const isWide = useMedia(tableQuery);
  const isTable = isWide && !isPage;

  useEffect(() => {
    if (!selected && newest) app.sync.select(newest);
  }, [app, selected, newest]);

  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const s = app.state;
      if (s.newGoal.open || s.paletteOpen || s.steerOpen || s.question || e.defaultPrevented) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (isTable && (e.ctrlKey || e.metaKey) && !e.altKey && e.code === "KeyA" && !isTyping(e.target)) {
        e.preventDefault();
        keys.current?.markAll();
        return;
      }
      if (e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
      const view = s.detail.view;
      // In the activity and beside it, the arrow keys belong to the focused element.
      if (e.code.startsWith("Arrow") && e.target !== document.body) return;
      const done = run(e.code);
      if (done) e.preventDefault();

      function run(code: string): boolean {
        switch (code) {
          case "KeyJ":
          case "ArrowDown":
            keys.current?.move(1);
            return true;
          case "KeyK":
          case "ArrowUp":
            keys.current?.move(-1);
            return true;
          case "Slash":
            keys.current?.focusSearch();
            return true;
          case "KeyN":
            app.newGoal();
            return true;
          case "Enter":
            if (e.target instanceof HTMLButtonElement || !s.detail.id) return false;
            if (isTable) app.openGoal(s.detail.id);
            else app.watchGoal(s.detail.id);
            return true;
          case "KeyP":
            if (!view) return false;
            if (canPause(view)) void app.goals.pause(view.id);
            else if (canResume(view)) void app.goals.resumeOrAnswer(view);
            return true;
          case "KeyS":
            if (!view || !isLive(view)) return false;
            startNote(app);
            return true;
          case "KeyF":
            if (!isTable) return false;
            keys.current?.toggleStrip();
            return true;
          case "KeyX":
            if (!view) return false;
            app.goals.toggleMark(view.id);
            return true;
          case "Escape":
            if (s.marked.length > 0) app.set({ marked: [] });
            else if (isWide && s.openedGoal !== "") app.showGoals();
            else app.go("workspace");
            return true;
          default:
            return false;
        }
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [app, isTable, isWide]);

  const list = { onReady, search, goals };
  return (
    <div className="flex h-full flex-col bg-bg" data-testid="dashboard">
      <Head search={search} goals={goals} isWide={isWide} />
      {isTable ? (
        <GoalTable {...list} />
      ) : (
        <div
          className={cx(
            "grid min-h-0 flex-1 grid-cols-[290px_minmax(360px,1fr)_360px]",
            "max-[1100px]:grid-cols-[240px_1fr_280px] max-[900px]:grid-cols-[200px_1fr]",
            "max-[640px]:grid-cols-1 max-[640px]:grid-rows-1",
          )}
        >
          <GoalList {...list} className={isPage ? "max-[640px]:hidden" : undefined} />
          {/* With little space the steps and what decides lie under one another and scroll together. */}
          <div
            className={cx("contents max-[900px]:block max-[900px]:overflow-y-auto", !isPage && "max-[640px]:hidden")}
          >
            <Middle onShowPanes={onShowPanes} />
          </div>
        </div>
      )}
    </div>
  );
}

const day = 24 * 60 * 60 * 1_000;

/** The entries of the menu that delete goals. */
const pruneOptions: { id: string; label: string; input: PruneInput }[] = [
  { id: "prune-all", label: "All ended goals", input: { status: "", older_than_ms: 0 } },
  { id: "prune-month", label: "Ended more than 30 days ago", input: { status: "", older_than_ms: 30 * day } },
  { id: "prune-failed", label: "Failed", input: { status: "failed", older_than_ms: 0 } },
  { id: "prune-aborted", label: "Aborted", input: { status: "aborted", older_than_ms: 0 } },
];

interface HeadProps {
  search: GoalSearch;
  goals: FilteredGoals;
  isWide: boolean;
}

function Head({ search, goals, isWide }: HeadProps) {
  const app = useApp();
  const opened = useAppState((s) => s.openedGoal !== "");
  const hasNone = useAppState(isEmpty);
  return (
    <header
      className={
        "flex min-h-12 shrink-0 flex-wrap items-center gap-x-2.5 border-b border-border bg-surface px-4 py-1.5"
      }
    >
      {opened ? (
        <Button
          look="quiet"
          data-testid="goal-back"
          className="-ml-2 min-[641px]:max-[999px]:hidden max-[640px]:h-9"
          onClick={() => app.showGoals()}
        >
          <BackIcon /> All goals {isWide ? <Kbd>Esc</Kbd> : null}
        </Button>
      ) : null}
      <h1 className={cx("mr-1 text-base font-semibold", opened && "max-[640px]:sr-only")}>Goals</h1>
      {hasNone ? null : (
        <StatusFilter
          search={search.text}
          goals={goals}
          className={cx(
            "max-[1200px]:order-last max-[1200px]:mt-1.5 max-[1200px]:basis-full",
            opened && "max-[640px]:hidden",
          )}
        />
      )}
      <span className="flex-1" />
      <Button
        look="quiet"
        data-testid="worktrees-open"
        className="max-[900px]:hidden"
        onClick={() => app.set({ worktreesOpen: true })}
      >
        Worktrees…
      </Button>
      <Button
        look="quiet"
        data-testid="launch-open"
        className="max-[1200px]:hidden"
        onClick={() => app.set({ launchOpen: true })}
      >
        Launch several…
      </Button>
      <Menu items={pruneOptions.map((p) => ({ ...p, takesFocus: true, run: () => void app.goals.prune(p.input) }))}>
        <Button look="quiet" data-testid="prune" className="max-[640px]:hidden">
          Delete old goals…
        </Button>
      </Menu>
      <Button look="primary" data-testid="dashboard-new-goal" onClick={() => app.newGoal()}>
        New goal{" "}
        <Kbd onAccent className="max-[640px]:hidden">
          N
        </Kbd>
      </Button>
      <Button
        look="quiet"
        data-testid="dashboard-close"
        className="max-[640px]:hidden"
        onClick={() => app.go("workspace")}
      >
        Close {isWide && opened ? null : <Kbd>Esc</Kbd>}
      </Button>
    </header>
  );
}

/** A goal that is about to start: its checks are tried first, because one that passes already decides nothing. */
function Starting({ goal }: { goal: StartingGoal }) {
  return (
    <main className="col-span-2 flex min-w-0 flex-col gap-3 p-5" data-testid="starting" aria-busy>
      <p role="status" className="breathe text-xs text-text-muted">
        Starting: Goalpost tries the checks before the agent begins…
      </p>
      <h1 className="text-base font-semibold break-words">{goal.objective}</h1>
      <ul className="flex flex-col gap-1.5">
        {goal.checks.map((c) => (
          <li key={c.words} className="flex items-baseline gap-2.5 text-xs" data-testid="starting-check">
            <code className="min-w-0 font-mono break-words">{c.words}</code>
            <span className="shrink-0 text-text-faint">{c.isTried ? "tried just now" : "trying it…"}</span>
          </li>
        ))}
      </ul>
    </main>
  );
}

function Middle({ onShowPanes }: DashboardProps) {
  const app = useApp();
  const view = useAppState((s) => s.detail.view);
  const problem = useAppState((s) => s.detail.problem);
  const id = useAppState((s) => s.detail.id);
  const shownStep = useAppState((s) => s.shownStep);
  const tab = useAppState((s) => s.goalTab);
  const empty = useAppState(isEmpty);
  const isPhone = usePhone();
  const starting = useAppState((s) => s.starting);
  if (starting) return <Starting goal={starting} />;
  if (problem && !view) {
    return (
      <div className="col-span-2 flex flex-col items-center justify-center gap-3 text-text-muted" role="alert">
        <WarnIcon size={24} className="text-warn" />
        <p>{problem.message}</p>
        {problem.hint ? <p className="text-xs text-text-faint">{problem.hint}</p> : null}
        <Button onClick={() => app.sync.refresh()}>Try again</Button>
      </div>
    );
  }
  if (empty) {
    return (
      <main
        className="col-span-2 flex h-full flex-col items-center justify-center gap-4 p-4 text-text-faint"
        data-testid="dashboard-empty"
      >
        <GoalIcon size={30} />
        <p className="max-w-sm text-center">
          A goal is an objective with a check. The agent works until the check passes and cannot change the check.
        </p>
        <div className="flex gap-2">
          <Button look="primary" onClick={() => app.newGoal()}>
            New goal
          </Button>
          <Button onClick={() => void app.goals.runDemo()}>Run the demo goal</Button>
        </div>
      </main>
    );
  }
  if (!view) return <div className="col-span-2" aria-busy={id !== ""} />;
  return (
    <>
      {/* A diff needs the width of both columns. */}
      <main className="peer flex min-h-0 min-w-0 flex-col min-[901px]:has-[[data-wide]]:col-span-2">
        <GoalHeader view={view} onShowPanes={onShowPanes} />
        {isPhone && isLive(view) ? (
          <div className="border-t border-border px-4 pb-3">
            <CheckCaption view={view} />
            <CheckList key={view.id} view={view} short />
          </div>
        ) : null}
        <ActivityTabs key={`${view.id} ${shownStep}`} view={view} step={shownStep} />
        {isLive(view) && !needsAnswer(view) && tab === "log" ? (
          <Composer key={view.id} view={view} place="page" className="px-4" />
        ) : null}
      </main>
      <div className="contents min-[901px]:peer-has-[[data-wide]]:hidden">
        <GoalSidebar view={view} />
      </div>
    </>
  );
}
