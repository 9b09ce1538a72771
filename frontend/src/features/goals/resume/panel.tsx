import type { GoalView } from "@/bridge/types";
import { asksUser } from "@/store/goalcards";
import { useAppState } from "@/store/context";
import { DailyLimitPanel } from "./dailylimit";
import { QuestionPanel } from "./question";
import { ChangedFilesCard } from "./changedfiles";
import { ManualCheckPanel } from "./manual";
import { isDoubted } from "@/features/goals/assurancelabel";
import { DecidePanel } from "./decide";
import { ReopenPanel } from "./reopen";
import { ProviderWaitPanel } from "./parked";
import { RaiseLimitPanel } from "./limits";
import { ConditionWaitPanel } from "./waiting";

/** Reports whether the panel shows why the goal stopped, with the button to continue. */
export function needsAnswer(view: GoalView): boolean {
  const exits: GoalView["exit"][] = ["stuck", "needs_user", "parked", "daily_limit", "waiting", "limit_reached"];
  return view.queued === "" && exits.includes(view.exit);
}

/** Reports whether the goal is done, and the user has nothing to decide about it. */
export function isAcceptedDone(view: GoalView): boolean {
  return view.status === "completed" && view.queued === "" && !isDoubted(view) && !view.tampered;
}

/** The user's options for a stopped goal: raise a limit, reopen, answer, accept, resume. */
export function ResumePanel({ view }: { view: GoalView }) {
  const changed = useAppState((s) => s.protectedChanged);
  if (view.queued) return null;
  const stopped = view.status !== "running";
  if (stopped && (changed?.id === view.id || view.tampered)) return <ChangedFilesCard key={view.seq} view={view} />;
  if (isDoubted(view)) return <DecidePanel key={view.seq} view={view} />;
  if (view.status === "completed") return <ReopenPanel view={view} />;
  if (view.exit === "limit_reached") return <RaiseLimitPanel key={view.seq} view={view} />;
  if (view.exit === "parked") return <ProviderWaitPanel view={view} />;
  if (view.exit === "waiting") return <ConditionWaitPanel view={view} />;
  if (view.exit === "daily_limit") return <DailyLimitPanel view={view} />;
  if (view.waits) return <ManualCheckPanel view={view} />;
  if (asksUser(view)) return null; // the requests are answered in their own card
  if (view.exit === "stuck" || view.exit === "needs_user") return <QuestionPanel view={view} />;
  return null;
}
