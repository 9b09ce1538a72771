import type { GoalView, StepRow } from "@/bridge/types";
import { argumentsLine, oneLine, plural } from "@/lib/text";
import { clock, formatElapsed } from "@/lib/time";
import { canPause, canResume, isLive } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { CloseIcon } from "@/ui/icons";
import { NeedsYou } from "./approvals/needsyou";
import { ResumePanel, needsAnswer } from "./resume/panel";
import { useElapsed } from "./card";
import { CheckLine, useEvidence } from "./criterion";
import { claimSummary } from "./stepfilter";
import { goalStatusLabel, stepLabel } from "./labels";

const lastSteps = 14;

/** The selected goal beside the workspace. */
export function GoalDrawer() {
  const app = useApp();
  const view = useAppState((s) => s.detail.view);
  const steps = useAppState((s) => s.detail.steps);
  const live = useAppState((s) => s.detail.live);
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
        "flex w-[336px] shrink-0 flex-col max-[900px]:w-[248px] overflow-hidden border-l",
        "border-border bg-surface",
        "max-[640px]:absolute max-[640px]:inset-0 max-[640px]:z-20 max-[640px]:w-auto max-[640px]:border-l-0",
      )}
    >
      <div className="shrink-0 px-4 pt-3">
        <Head view={view} onClose={() => app.set({ drawer: false })} />
      </div>
      <div className="max-h-[60%] shrink-0 overflow-y-auto px-4 empty:hidden">
        {inFront ? <NeedsYou goal={view.id} className="mt-2.5" /> : null}
        {inFront && needsAnswer(view) ? <ResumePanel view={view} /> : null}
      </div>
      <div tabIndex={0} role="group" aria-label="Progress" className="min-h-0 flex-1 overflow-y-auto px-4 pb-4">
        <Checks view={view} />
        {view.reason && view.status !== "running" && !needsAnswer(view) ? <Reason view={view} /> : null}
        {live ? (
          <p className="mt-3 line-clamp-3 text-xs text-text-faint italic" aria-live="off">
            {oneLine(live).slice(-260)}
          </p>
        ) : null}
        <Caption className="mt-4 mb-1.5">Steps</Caption>
        <ol>
          {steps
            .slice(-lastSteps)
            .reverse()
            .map((s) => (
              <StepShort key={s.n} step={s} />
            ))}
        </ol>
      </div>
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

function StepShort({ step }: { step: StepRow }) {
  const said = stepLabel(step.outcome);
  const claim = useAppState((s) => s.detail.journal.claims.find((c) => c.afterStep === step.n));
  const score = claim ? claimSummary(claim) : null;
  const lost = score !== null && score.of > 0 && score.passed < score.of;
  return (
    <li className="flex items-baseline gap-2.5 py-[3px] text-xs" data-testid="drawer-step" data-outcome={step.outcome}>
      <span className="w-5 shrink-0 text-text-faint tabular-nums">{step.n}</span>
      <span className="min-w-0 flex-1 truncate">
        {score && score.of > 0 ? (
          <span className={lost ? "text-bad" : "text-ok"}>
            Claimed done: {score.passed} of {score.of} checks passed
          </span>
        ) : (
          <>
            {step.tool} <span className="text-text-muted">{argumentsLine(step.arguments, 80)}</span>
          </>
        )}
      </span>
      <span className={`shrink-0 tabular-nums ${step.outcome === "ok" ? "text-text-faint" : toneText[said.tone]}`}>
        {step.outcome === "ok" ? formatElapsed(step.ms) : step.outcome === "" ? "…" : said.words}
      </span>
    </li>
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
