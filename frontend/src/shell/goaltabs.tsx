import { useEffect, useState } from "react";
import { useShallow } from "zustand/shallow";
import type { GoalCard } from "@/bridge/types";
import { clip, shortPath } from "@/lib/text";
import { groupOf, isLive } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { goalTabsOf, openWorkspace, ownPanes, ownTab, panesOfGoal, shownTab } from "@/store/workspaces";
import { Dot } from "@/ui/badge";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CheckIcon, ClockIcon, CrossIcon, SplitIcon, WarnIcon, WorkspaceIcon } from "@/ui/icons";

/**
 * The tabs of a workspace: the user's panes, and one for each goal. The row is always there, so that no pane moves when a
 * goal starts; a phone has it only if there is a goal.
 */
export function GoalTabs() {
  const app = useApp();
  const goals = useAppState(useShallow((s) => goalTabsOf(s, openWorkspace(s))));
  const shown = useAppState(shownTab);
  const own = useAppState((s) => ownPanes(s, openWorkspace(s)).length);
  const folder = useAppState((s) => openWorkspace(s)?.folder ?? "");
  return (
    <div
      data-testid="goal-tabs"
      className={cx(
        "flex h-[34px] shrink-0 items-center gap-2 border-b border-border bg-surface px-2 max-[640px]:h-11",
        goals.length === 0 && "max-[640px]:hidden",
      )}
    >
      <div role="tablist" aria-label="Panes and goals" className="sideways flex min-w-0 flex-1 gap-1">
        <TabButton id={ownTab} isShown={shown === ownTab} onShow={() => app.workspaces.showTab(ownTab)}>
          <WorkspaceIcon size={13} /> Panes <span className="text-text-faint">{own}</span>
        </TabButton>
        {goals.map((id) => (
          <GoalTab key={id} id={id} isShown={shown === id} />
        ))}
      </div>
      {shown === ownTab ? (
        <span className="shrink-0 truncate font-mono text-2xs text-text-faint max-[640px]:hidden" title={folder}>
          {folder ? shortPath(folder) : ""}
        </span>
      ) : (
        <GoalTabActions id={shown} />
      )}
    </div>
  );
}

function GoalTab({ id, isShown }: { id: string; isShown: boolean }) {
  const app = useApp();
  const goal = useAppState((s) => s.goals.byId[id]?.card);
  return (
    <TabButton id={id} isShown={isShown} onShow={() => app.workspaces.showTab(id)} title={goal?.objective}>
      <Dot tone="agent" live={goal?.status === "running"} />
      <span className="truncate">{clip(goal?.objective ?? "A goal", 34)}</span>
      {goal ? <State goal={goal} /> : null}
    </TabButton>
  );
}

/** The step that runs, or how the goal stands. */
function State({ goal }: { goal: GoalCard }) {
  switch (groupOf(goal)) {
    case "running":
      return <span className="shrink-0 whitespace-nowrap text-text-faint">step {goal.steps}</span>;
    case "needs_you":
      return (
        <span className="flex text-warn">
          <WarnIcon size={13} />
          <span className="sr-only">needs you</span>
        </span>
      );
    case "done":
      return (
        <span className="flex text-ok">
          <CheckIcon size={13} />
          <span className="sr-only">done</span>
        </span>
      );
    case "failed":
      return (
        <span className="flex text-bad">
          <CrossIcon size={13} />
          <span className="sr-only">failed</span>
        </span>
      );
    default:
      return null;
  }
}

interface TabButtonProps {
  id: string;
  isShown: boolean;
  onShow: () => void;
  title?: string | undefined;
  children: React.ReactNode;
}

function TabButton({ id, isShown, onShow, title, children }: TabButtonProps) {
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isShown}
      data-testid={id === ownTab ? "own-tab" : "goal-tab"}
      data-goal={id === ownTab ? undefined : id}
      title={title}
      onClick={onShow}
      className={cx(
        "flex h-[33px] max-w-72 shrink-0 items-center gap-2 border-b-2 px-2.5 text-xs max-[640px]:h-11",
        isShown ? "border-agent font-medium text-text" : "border-transparent text-text-muted hover:text-text",
      )}
    >
      {children}
    </button>
  );
}

/** On the right: when the panes of a goal that has ended close, and the way to have them beside one's own. */
function GoalTabActions({ id }: { id: string }) {
  const app = useApp();
  const panes = useAppState(useShallow((s) => panesOfGoal(s, id).map((p) => p.id)));
  const active = useAppState((s) => s.activePane);
  const closes = useAppState((s) => s.panes.workspaces.closing?.[id]);
  const pane = panes.includes(active) ? active : panes[0];
  return (
    <div className="flex shrink-0 items-center gap-2 text-xs text-text-muted">
      {closes !== undefined ? (
        <span className="flex items-center gap-1.5" data-testid="panes-close" role="status">
          <ClockIcon size={13} />
          {closes > 0 ? (
            <>
              <span className="max-[900px]:sr-only">Panes of this goal close in</span> <Seconds until={closes} />
            </>
          ) : (
            <span className="max-[900px]:sr-only">Panes of this goal close a minute after you leave</span>
          )}
          <button type="button" className="text-accent hover:underline" onClick={() => app.workspaces.keep(id)}>
            Keep
          </button>
        </span>
      ) : null}
      {pane ? (
        <Button data-testid="show-beside" onClick={() => void app.workspaces.showBeside(pane, true)}>
          <SplitIcon size={13} /> <span className="max-[900px]:sr-only">Show beside my panes</span>
        </Button>
      ) : null}
    </div>
  );
}

function Seconds({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span className="tabular-nums">{Math.max(0, Math.ceil((until - now) / 1_000))} s</span>;
}

/** How often the program is told that the user still looks; it forgets that after a minute. */
const lookEveryMs = 30_000;

/** Keeps the panes of a goal that has ended while its tab is shown. */
export function useLooking(): void {
  const app = useApp();
  const goal = useAppState((s) => {
    const tab = s.route === "workspace" ? shownTab(s) : ownTab;
    return s.panes.workspaces.closing?.[tab] === undefined ? "" : tab;
  });
  useEffect(() => {
    if (!goal) return undefined;
    const look = () => document.visibilityState === "visible" && app.workspaces.look(goal, true);
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => {
      clearInterval(timer);
      app.workspaces.look(goal, false);
    };
  }, [app, goal]);
}

/** Has the panes of goals that end while this window is open closed a minute later. */
export function useClosingPanes(): void {
  const app = useApp();
  const ended = useAppState(
    useShallow((s) => {
      const ids = new Set(s.panes.panes.map((p) => p.goal_id));
      return [...ids].filter((id) => {
        const card = s.goals.byId[id]?.card;
        return card && !isLive(card) && panesOfGoal(s, id).length > 0;
      });
    }),
  );
  useEffect(() => {
    for (const id of ended) app.workspaces.closeSoon(id);
  }, [app, ended]);
}
