import type { GoalView } from "@/bridge/types";
import { plural } from "@/lib/text";
import { clock } from "@/lib/time";
import { canPause, canResume, isLive } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { CloseIcon } from "@/ui/icons";
import { PlanShort } from "./activity/planshort";
import { ActivityShort } from "./activity/shortlist";
import { NeedsYou } from "./approvals/needsyou";
import { ResumePanel, needsAnswer } from "./resume/panel";
import { useElapsed } from "./card";
import { CheckLine, useEvidence } from "./criterion";
import { goalStatusLabel } from "./labels";
import { ResultCard } from "./resultcard";

/** The selected goal beside the workspace. */
export function GoalDrawer() {
  const app = useApp();
  const view = useAppState((s) => s.detail.view);
  // Under the dashboard it stays drawn; there the dashboard has the same requests and fields.
  const inFront = useAppState((s) => s.route === "workspace");
  if (!view) return null;
  return (
    <aside
      aria-label="Selected goal"
      data-testid="goal-drawer"
      data-goal={view.id}
      data-status={view.status}
      className={cx(
        "flex w-[336px] shrink-0 flex-col max-[900px]:w-[248px] min-[1200px]:w-[404px] overflow-hidden border-l",
        "border-border bg-surface",
        // In a low window it scrolls as a whole: none of its parts would have a readable height.
        "[@media(max-height:600px)]:overflow-y-auto",
        "max-[640px]:absolute max-[640px]:inset-0 max-[640px]:z-20 max-[640px]:w-auto max-[640px]:border-l-0",
      )}
    >
      <div className="shrink-0 px-4 pt-3">
        <Head view={view} onClose={() => app.set({ drawer: false })} />
      </div>
      <div className="max-h-[60%] shrink-0 overflow-y-auto px-4 empty:hidden [@media(max-height:600px)]:max-h-none">
        {inFront ? <NeedsYou goal={view.id} className="mt-2.5" /> : null}
        {inFront && needsAnswer(view) ? <ResumePanel view={view} /> : null}
      </div>
      <div
        tabIndex={0}
        role="group"
        aria-label="Progress"
        className="max-h-[45%] shrink-0 overflow-y-auto px-4 pb-3 [@media(max-height:600px)]:max-h-none"
      >
        {inFront && view.result ? <ResultCard view={view} className="mt-3 text-xs" /> : null}
        <Checks view={view} />
        <PlanShort items={view.todos ?? []} />
        {view.reason && view.status !== "running" && !needsAnswer(view) ? <Reason view={view} /> : null}
      </div>
      <ActivityShort running={view.status === "running"} onStep={(n) => app.openStep(view.id, n)} />
      <Foot view={view} />
    </aside>
  );
}

function Head({ view, onClose }: { view: GoalView; onClose: () => void }) {
  const said = goalStatusLabel(view);
  const spent = useElapsed(view);
  return (
    <>
      <div className="flex items-center gap-2">
        <Badge tone={said.tone} live={said.live}>
          {said.words}
        </Badge>
        <span className="min-w-0 flex-1 truncate text-xs text-text-faint tabular-nums">
          {plural(view.steps, "step")}
          {spent >= 1_000 ? ` · ${clock(spent)}` : ""}
        </span>
        <IconButton label="Close" data-testid="drawer-close" onClick={onClose} className="-mr-1.5">
          <CloseIcon size={14} />
        </IconButton>
      </div>
      <h2 className="selectable mt-1.5 line-clamp-3 text-sm font-semibold break-words">{view.objective}</h2>
      {view.scripted ? <p className="mt-1 text-xs text-text-faint">scripted, no AI</p> : null}
    </>
  );
}

function Checks({ view }: { view: GoalView }) {
  const evidence = useEvidence();
  const checks = view.check_states ?? [];
  const passed = checks.filter((c) => c.outcome === "pass").length;
  return (
    <>
      <Caption className="mt-3.5 mb-1">
        Checks {passed} / {checks.length}
      </Caption>
      {checks.map((c, i) => (
        <CheckLine key={i} check={c} evidence={evidence(i)} short />
      ))}
    </>
  );
}

function Reason({ view }: { view: GoalView }) {
  const said = goalStatusLabel(view);
  const box =
    said.tone === "warn"
      ? "border-warn bg-warn-bg"
      : said.tone === "ok"
        ? "border-ok bg-ok-bg"
        : "border-border-strong bg-surface-raised";
  return (
    <div
      className={`selectable mt-3 rounded-md border px-3 py-2 text-xs ${box}`}
      role="status"
      data-testid="drawer-reason"
    >
      <p className={`font-medium ${toneText[said.tone]}`}>{said.words}</p>
      <p className="mt-0.5 text-text">{view.reason}</p>
    </div>
  );
}

function Foot({ view }: { view: GoalView }) {
  const app = useApp();
  return (
    <footer className="flex shrink-0 items-center gap-2 border-t border-border px-4 py-2.5">
      {canPause(view) ? <Button onClick={() => void app.goals.pause(view.id)}>Pause</Button> : null}
      {canResume(view) && !needsAnswer(view) ? (
        <Button data-testid="drawer-resume" onClick={() => void app.goals.resumeOrAnswer(view)}>
          Resume
        </Button>
      ) : null}
      {isLive(view) ? <Button onClick={() => app.set({ steerOpen: true })}>Steer</Button> : null}
      <span className="flex-1" />
      <Button look="quiet" data-testid="drawer-open" onClick={() => app.openGoal(view.id)}>
        Open full view
      </Button>
    </footer>
  );
}
