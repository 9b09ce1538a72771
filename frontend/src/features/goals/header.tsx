import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { capitalize, shortPath } from "@/lib/text";
import { clock } from "@/lib/time";
import { canPause, isLive, isStopped } from "@/store/goalcards";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { DotsIcon } from "@/ui/icons";
import { Menu, type MenuItem } from "@/ui/menu";
import { AgentText } from "@/agent/text";
import { ChangedFiles } from "./done/changedfiles";
import { NextSteps } from "./done/nextsteps";
import { startNote } from "./composer";
import { CheckCaption, CheckList } from "./why/checklist";
import { NeedsYou } from "./approvals/needsyou";
import { ReopenPanel } from "./resume/reopen";
import { ResumePanel, isAcceptedDone, needsAnswer } from "./resume/panel";
import { useElapsed } from "./card";
import { assuranceOf } from "./assurancelabel";
import { draftOf } from "./newgoal/input";
import { ResultCard } from "./resultcard";
import { Notes } from "./notes";
import { Todos } from "./todos";
import { riskLabel } from "@/lib/risk";
import { questionOf, goalStatusLabel } from "./labels";

function moreActions(app: App, view: GoalView, showPanes: ((goal: string) => void) | null): MenuItem[] {
  const closePanes = showPanes && !isLive(view) ? () => app.panes.closeAllOf(view.id) : null;
  return [
    ...(showPanes ? [{ id: "panes", label: "Show its panes", run: () => showPanes(view.id) }] : []),
    ...(closePanes ? [{ id: "close-panes", label: "Close panes of this goal", run: closePanes }] : []),
    { id: "ask", label: "Ask about this goal", run: () => app.chat.askAboutGoal(view.id, view.objective) },
    { id: "watch", label: "Open in side panel", run: () => app.watchGoal(view.id) },
    { id: "export", label: "Export as HTML", run: () => void app.goals.export(view.id) },
    ...(view.race ? [{ id: "race", label: "Compare in its race", run: () => app.set({ race: view.id }) }] : []),
    { id: "duplicate", label: "Duplicate…", takesFocus: true, run: () => app.newGoal(draftOf(view)) },
    null,
    {
      id: "delete",
      label: "Delete…",
      danger: true,
      disabled: view.status === "running",
      takesFocus: true,
      run: () => app.goals.delete(view.id),
    },
  ];
}

function RunButtons({ view }: { view: GoalView }) {
  const app = useApp();
  const resumable = !isLive(view) || (view.status === "paused" && view.queued === "");
  return (
    <>
      {canPause(view) ? (
        <Button data-testid="goal-pause" onClick={() => void app.goals.pause(view.id)}>
          Pause
        </Button>
      ) : null}
      {resumable && view.status !== "completed" && !needsAnswer(view) ? (
        <Button data-testid="goal-resume" onClick={() => void app.goals.resumeOrAnswer(view)}>
          {view.status === "paused" ? "Resume" : "Continue"}
        </Button>
      ) : null}
      {isLive(view) ? (
        <>
          <Button data-testid="goal-steer" onClick={() => startNote(app)}>
            Steer
          </Button>
          <Button look="quiet" data-testid="goal-abort" onClick={() => app.goals.abort(view.id)}>
            Abort
          </Button>
        </>
      ) : null}
    </>
  );
}

/** What a stopped goal reached, below its head: its checks and changes where no rail shows them, and what to do next. */
function Ending({ view }: { view: GoalView }) {
  return (
    <div data-testid="goal-ending">
      <div className="min-[901px]:hidden">
        <CheckCaption view={view} />
        <CheckList key={`${view.id} ${view.seq}`} view={view} short />
        <ChangedFiles goal={view.id} />
      </div>
      <NextSteps view={view}>{isAcceptedDone(view) ? <ReopenPanel view={view} /> : null}</NextSteps>
    </div>
  );
}

interface GoalHeaderProps {
  view: GoalView;
  onShowPanes: (goal: string) => void;
}

/** The selected goal: its objective, its status and its actions. */
export function GoalHeader({ view, onShowPanes }: GoalHeaderProps) {
  const app = useApp();
  const said = goalStatusLabel(view);
  const proof = assuranceOf(view);
  const spent = useElapsed(view);
  const hasPanes = useAppState((s) => s.panes.panes.some((p) => p.goal_id === view.id));
  // On a phone, the header of an ended goal begins with its status and result; the rest is behind "Details".
  const [whole, setWhole] = useState(false);
  const ended = !isLive(view);
  const folded = ended && !whole;
  const rest = folded ? "max-[640px]:hidden" : "";
  const facts = [
    questionOf(view.model || view.provider, view.options.effort),
    riskLabel(view.policy.risk),
    shortPath(view.policy.dir),
    view.options.engine ? `by ${view.options.engine}` : "",
    view.options.worktree ? `on branch ${view.options.worktree.branch}` : "",
    view.policy.work?.length ? `may change only ${view.policy.work.join(", ")}` : "",
    spent >= 1_000 ? clock(spent) : "",
    view.usd > 0 ? money(view.usd) : "",
  ].filter(Boolean);

  return (
    <header
      className="max-h-[65%] shrink-0 overflow-y-auto border-b border-border px-5 pt-3 pb-3 max-[900px]:max-h-none"
      data-testid="goal-header"
      data-status={view.status}
    >
      <div className="flex items-center gap-2 max-[640px]:flex-wrap">
        {proof && view.aftermath ? null : (
          <Badge tone={said.tone} live={said.live} className="shrink-0">
            {said.words}
          </Badge>
        )}
        {!proof && view.aftermath ? <Badge tone="calm">{capitalize(view.aftermath)}</Badge> : null}
        {proof ? (
          <Badge
            tone={proof.tone}
            testid="goal-assurance"
            className="shrink-0 max-[640px]:shrink max-[640px]:rounded-md max-[640px]:whitespace-normal max-[640px]:[&>span]:whitespace-normal"
          >
            {proof.words}
          </Badge>
        ) : null}
        {view.scripted ? <Badge tone="calm">Scripted, no AI</Badge> : null}
        <span
          className={cx(
            "flex-1 truncate text-xs text-text-faint max-[640px]:order-1 max-[640px]:basis-full",
            proof ? "min-w-[35%]" : "min-w-0",
            rest,
          )}
          title={view.policy.dir}
        >
          {facts.join(" · ")}
        </span>
        <div className="contents max-[640px]:ml-auto max-[640px]:flex max-[640px]:items-center max-[640px]:gap-2">
          <RunButtons view={view} />
          <Menu items={moreActions(app, view, hasPanes ? onShowPanes : null)}>
            <IconButton label="More actions" data-testid="goal-more">
              <DotsIcon />
            </IconButton>
          </Menu>
        </div>
      </div>
      {proof?.reason ? (
        <p
          data-testid="goal-assurance-reason"
          className={`selectable mt-1 text-xs wrap-anywhere ${toneText[proof.tone]}`}
        >
          {proof.reason}
        </p>
      ) : null}
      <h2
        className={cx(
          "selectable mt-2 line-clamp-4 text-base font-semibold break-words whitespace-pre-wrap",
          folded && "max-[640px]:line-clamp-2",
        )}
        data-testid="goal-title"
      >
        {view.objective}
      </h2>
      <ResultCard view={view} className="mt-2" />
      <div className={rest}>
        <Todos items={view.todos ?? []} />
        <Notes items={view.notes ?? []} />
      </div>
      {view.merge_command && view.status === "completed" ? (
        <p className={cx("mt-1 text-xs text-text-muted", rest)} data-testid="goal-merge">
          Merge its branch with{" "}
          <code className="selectable font-mono wrap-anywhere text-text">{view.merge_command}</code>{" "}
          <Button look="quiet" data-testid="goal-worktrees" onClick={() => app.set({ worktreesOpen: true })}>
            Worktrees…
          </Button>
        </p>
      ) : null}
      {view.queued ? (
        <p className="selectable mt-1 text-xs text-text-muted" data-testid="goal-queued">
          Queued: {view.queued}
        </p>
      ) : null}
      {/* The badge shows briefly what a done goal proves; the report beside it shows all of it. */}
      {view.reason && view.status !== "running" && !proof && !needsAnswer(view) ? (
        <div
          className={cx(
            "selectable mt-1 text-xs text-text-muted",
            folded && (view.result ? "max-[640px]:hidden" : "max-[640px]:line-clamp-3"),
          )}
          data-testid="goal-reason"
        >
          <AgentText text={capitalize(view.reason)} />
        </div>
      ) : null}
      <NeedsYou goal={view.id} className="mt-2.5" />
      {isAcceptedDone(view) ? null : <ResumePanel view={view} />}
      {isStopped(view) ? <Ending view={view} /> : null}
      {ended ? (
        <Button
          look="quiet"
          data-testid="goal-details"
          aria-expanded={whole}
          className="mt-2 min-[641px]:hidden max-[640px]:h-11"
          onClick={() => setWhole(!whole)}
        >
          {whole ? "Fewer details" : "Details"}
        </Button>
      ) : null}
    </header>
  );
}
