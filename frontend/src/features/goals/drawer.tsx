import type { GoalView } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { capitalize, plural } from "@/lib/text";
import { clock } from "@/lib/time";
import { canPause, canResume, isLive, isStopped } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CloseIcon, PauseIcon, PlayIcon, ZoomIcon } from "@/ui/icons";
import { AgentText } from "@/agent/text";
import { ChangedFiles } from "./done/changedfiles";
import { NextSteps } from "./done/nextsteps";
import { Composer } from "./composer";
import { Notes } from "./notes";
import { PlanShort } from "./activity/planshort";
import { ActivityShort } from "./activity/shortlist";
import { NeedsYou } from "./approvals/needsyou";
import { ReopenPanel } from "./resume/reopen";
import { ResumePanel, isAcceptedDone, needsAnswer } from "./resume/panel";
import { assuranceOf, isDoubted } from "./assurancelabel";
import { useElapsed } from "./card";
import { CheckCaption, CheckList } from "./why/checklist";
import { goalStatusLabel } from "./labels";
import { ResultCard } from "./resultcard";

/** The selected goal beside the workspace. */
export function GoalDrawer() {
  const app = useApp();
  const view = useAppState((s) => s.detail.view);
  // It stays rendered below the dashboard, which has the same requests and fields.
  const inFront = useAppState((s) => s.route === "workspace");
  if (!view) return null;
  const stopped = isStopped(view);
  return (
    <aside
      aria-label="Selected goal"
      data-testid="goal-drawer"
      data-goal={view.id}
      data-status={view.status}
      className={cx(
        "flex w-[336px] shrink-0 flex-col max-[900px]:w-[248px] min-[1200px]:w-[404px] overflow-hidden border-l",
        "border-border bg-surface",
        // In a low window the whole drawer scrolls: otherwise no part would have a usable height.
        "[@media(max-height:760px)]:overflow-y-auto",
        "max-[640px]:overflow-y-auto max-[640px]:absolute max-[640px]:inset-0 max-[640px]:z-20 max-[640px]:w-auto max-[640px]:border-l-0",
      )}
    >
      <div className="shrink-0 px-4 pt-3">
        <Head view={view} onClose={() => app.workspaces.toggleDrawer()} />
      </div>
      <div
        className={
          "max-h-[60%] shrink-0 overflow-y-auto bg-surface px-4 empty:hidden " +
          "[@media(max-height:760px)]:sticky [@media(max-height:760px)]:top-0 [@media(max-height:760px)]:z-10"
        }
      >
        {inFront ? <NeedsYou goal={view.id} className="mt-2.5" /> : null}
        {isDoubted(view) ? <Reason view={view} /> : null}
        {inFront && (needsAnswer(view) || isDoubted(view)) ? <ResumePanel view={view} /> : null}
      </div>
      <div
        tabIndex={0}
        role="group"
        aria-label="Progress"
        className={cx(
          "shrink-0 overflow-y-auto px-4 pb-3 [@media(max-height:760px)]:max-h-none max-[640px]:max-h-none",
          stopped ? "max-h-[65%]" : "max-h-[45%]",
        )}
      >
        {view.reason && stopped && view.exit !== "done" && !needsAnswer(view) ? <Reason view={view} /> : null}
        {inFront ? <ResultCard view={view} className="mt-3 text-xs" /> : null}
        <CheckCaption view={view} />
        <CheckList key={view.id} view={view} short />
        {inFront && stopped ? <ChangedFiles goal={view.id} /> : null}
        {inFront && stopped ? (
          <NextSteps view={view}>{isAcceptedDone(view) ? <ReopenPanel view={view} /> : null}</NextSteps>
        ) : null}
        {view.status === "completed" ? null : <PlanShort items={view.todos ?? []} />}
        <Notes items={view.notes ?? []} />
      </div>
      <ActivityShort running={view.status === "running"} onStep={(n) => app.openStep(view.id, n)} />
      {isLive(view) && !needsAnswer(view) ? (
        <Composer key={view.id} view={view} place="drawer" className="px-3" />
      ) : null}
    </aside>
  );
}

function Head({ view, onClose }: { view: GoalView; onClose: () => void }) {
  const app = useApp();
  const said = goalStatusLabel(view);
  const proof = assuranceOf(view);
  const now = proof ? (isDoubted(view) ? "" : proof.words) : capitalize(view.aftermath ?? "");
  const spent = useElapsed(view);
  const hasPanes = useAppState((s) => s.panes.panes.some((p) => p.goal_id === view.id));
  return (
    <>
      <div className="flex items-center gap-2">
        {proof && view.aftermath ? null : (
          <Badge tone={said.tone} live={said.live}>
            {said.words}
          </Badge>
        )}
        {now ? (
          <Badge tone={proof?.tone ?? "calm"} testid="drawer-assurance" className="min-w-0">
            {now}
          </Badge>
        ) : null}
        <span className="min-w-0 flex-1 truncate text-xs text-text-faint tabular-nums">
          {plural(view.steps, "step")}
          {spent >= 1_000 ? ` · ${clock(spent)}` : ""}
        </span>
        <Money view={view} />
        {canPause(view) ? (
          <IconButton label="Pause" data-testid="drawer-pause" onClick={() => void app.goals.pause(view.id)}>
            <PauseIcon size={14} />
          </IconButton>
        ) : null}
        {canResume(view) && !needsAnswer(view) ? (
          <IconButton
            label={view.status === "paused" ? "Resume" : "Continue"}
            data-testid="drawer-resume"
            onClick={() => void app.goals.resumeOrAnswer(view)}
          >
            <PlayIcon size={14} />
          </IconButton>
        ) : null}
        <IconButton label="Open full view" data-testid="drawer-open" onClick={() => app.openGoal(view.id)}>
          <ZoomIcon size={14} />
        </IconButton>
        <IconButton label="Close" data-testid="drawer-close" onClick={onClose} className="-mr-1.5">
          <CloseIcon size={14} />
        </IconButton>
      </div>
      <h2 className="selectable mt-1.5 line-clamp-3 text-sm font-semibold break-words">{view.objective}</h2>
      {view.scripted ? <p className="mt-1 text-xs text-text-faint">Scripted, no AI</p> : null}
      {hasPanes && !isLive(view) ? (
        <Button className="mt-1.5" data-testid="drawer-close-panes" onClick={() => app.panes.closeAllOf(view.id)}>
          Close panes of this goal
        </Button>
      ) : null}
    </>
  );
}

/** The goal's cost so far, and its limit. */
function Money({ view }: { view: GoalView }) {
  if (view.usd <= 0) return null;
  return (
    <span className="shrink-0 text-xs text-text-faint tabular-nums" data-testid="drawer-money">
      <span className="text-text">{money(view.usd)}</span>
      {view.max_usd > 0 ? ` of ${money(view.max_usd)}` : ""}
    </span>
  );
}

function Reason({ view }: { view: GoalView }) {
  const said = goalStatusLabel(view);
  const proof = assuranceOf(view); // of a done goal
  const tone = proof?.tone ?? said.tone;
  const box =
    tone === "warn"
      ? "border-warn bg-warn-bg"
      : tone === "ok"
        ? "border-ok bg-ok-bg"
        : "border-border-strong bg-surface-raised";
  return (
    <div
      className={`selectable mt-3 rounded-md border px-3 py-2 text-xs ${box}`}
      role="status"
      data-testid="drawer-reason"
    >
      <p className={`font-medium ${toneText[tone]}`}>{proof?.words ?? said.words}</p>
      <div className="mt-0.5 wrap-anywhere text-text">
        {proof?.reason || <AgentText text={capitalize(view.reason)} />}
      </div>
    </div>
  );
}
