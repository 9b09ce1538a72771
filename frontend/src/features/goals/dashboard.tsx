import { useCallback, useEffect, useRef } from "react";
import type { PruneInput } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { canPause, canResume, isLive } from "@/store/goalcards";
import { firstGoal, summary } from "@/store/goals";
import { Badge } from "@/ui/badge";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { GoalIcon, WarnIcon } from "@/ui/icons";
import { Menu } from "@/ui/menu";
import { GoalHeader } from "./header";
import { GoalList } from "./list";
import { GoalSidebar } from "./sidebar";
import { ActivityTabs } from "./activitytabs";

interface DashboardProps {
  onShowPanes: (goal: string) => void;
}

interface ListKeys {
  move: (by: number) => void;
  focusSearch: () => void;
}

/** Writing takes the letters; then they are no commands. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** All goals, the steps of one, and what decides about it. */
export function Dashboard({ onShowPanes }: DashboardProps) {
  const app = useApp();
  const keys = useRef<ListKeys | null>(null);
  const onReady = useCallback((k: ListKeys) => {
    keys.current = k;
  }, []);
  const selected = useAppState((s) => s.detail.id);
  const newest = useAppState((s) => firstGoal(s.goals.byId));

  useEffect(() => {
    if (!selected && newest) app.sync.select(newest);
  }, [app, selected, newest]);

  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const s = app.state;
      if (s.newGoal.open || s.paletteOpen || s.steerOpen || s.question || e.defaultPrevented) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
      const view = s.detail.view;
      // In the steps and beside them the arrows move what has the focus.
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
            if (e.target instanceof HTMLButtonElement || !view) return false;
            app.watchGoal(view.id);
            return true;
          case "KeyP":
            if (!view) return false;
            if (canPause(view)) void app.goals.pause(view.id);
            else if (canResume(view)) void app.goals.resumeOrAnswer(view);
            return true;
          case "KeyS":
            if (!view || !isLive(view)) return false;
            app.set({ steerOpen: true });
            return true;
          case "KeyX":
            if (!view) return false;
            app.goals.toggleMark(view.id);
            return true;
          case "Escape":
            if (s.marked.length > 0) app.set({ marked: [] });
            else app.go("workspace");
            return true;
          default:
            return false;
        }
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [app]);

  return (
    <div className="flex h-full flex-col bg-bg" data-testid="dashboard">
      <Head />
      <div
        className={cx(
          "grid min-h-0 flex-1 grid-cols-[290px_minmax(360px,1fr)_360px]",
          "max-[1100px]:grid-cols-[240px_1fr_280px] max-[900px]:grid-cols-[200px_1fr]",
          "max-[640px]:grid-cols-1 max-[640px]:grid-rows-[minmax(0,32%)_minmax(0,1fr)]",
        )}
      >
        <GoalList onReady={onReady} />
        {/* With little space the steps and what decides lie under one another and scroll together. */}
        <div className="contents max-[900px]:block max-[900px]:overflow-y-auto">
          <Middle onShowPanes={onShowPanes} />
        </div>
      </div>
    </div>
  );
}

const day = 24 * 60 * 60 * 1_000;

/** What the menu offers to delete. */
const pruneOptions: { id: string; label: string; input: PruneInput }[] = [
  { id: "prune-all", label: "All ended goals", input: { status: "", older_than_ms: 0 } },
  { id: "prune-month", label: "Ended more than 30 days ago", input: { status: "", older_than_ms: 30 * day } },
  { id: "prune-failed", label: "Failed", input: { status: "failed", older_than_ms: 0 } },
  { id: "prune-aborted", label: "Aborted", input: { status: "aborted", older_than_ms: 0 } },
];

function Head() {
  const app = useApp();
  const running = useAppState((s) => summary(s.goals.byId).by.running.length);
  const needs = useAppState((s) => summary(s.goals.byId).by.needs_you.length);
  const total = useAppState((s) => s.goals.total);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-border bg-surface px-4">
      <h1 className="mr-1 text-base font-semibold">Goals</h1>
      {running > 0 ? <Badge tone="accent">{running} running</Badge> : null}
      {needs > 0 ? <Badge tone="warn">{needs === 1 ? "1 needs you" : `${needs} need you`}</Badge> : null}
      <span className="text-xs whitespace-nowrap text-text-faint max-[640px]:hidden">{total} total</span>
      <span className="flex-1" />
      <Button
        look="quiet"
        data-testid="worktrees-open"
        className="max-[900px]:hidden"
        onClick={() => app.set({ worktreesOpen: true })}
      >
        Worktrees…
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
      <Button look="quiet" data-testid="dashboard-close" onClick={() => app.go("workspace")}>
        Esc
      </Button>
    </header>
  );
}

function Middle({ onShowPanes }: DashboardProps) {
  const app = useApp();
  const view = useAppState((s) => s.detail.view);
  const problem = useAppState((s) => s.detail.problem);
  const id = useAppState((s) => s.detail.id);
  const shownStep = useAppState((s) => s.shownStep);
  const empty = useAppState((s) => s.goals.loaded && Object.keys(s.goals.byId).length === 0);
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
        <ActivityTabs key={`${view.id} ${shownStep}`} view={view} step={shownStep} />
      </main>
      <div className="contents min-[901px]:peer-has-[[data-wide]]:hidden">
        <GoalSidebar view={view} />
      </div>
    </>
  );
}
