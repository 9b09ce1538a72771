import type { Mode, ScheduleRunView, ScheduleView } from "@/bridge/types";
import type { StatusTone } from "@/ui/badge";

/** The word for a mode, and its tone. */
export const modeWords: Record<Mode, { label: string; tone: StatusTone }> = {
  dry_run: { label: "Dry run", tone: "warn" },
  active: { label: "Active", tone: "ok" },
  off: { label: "Off", tone: "calm" },
};

/** A time in the time zone of the schedule, such as "Fri 13 Mar, 07:00". */
export function dueWords(stamp: string): string {
  const [, year, month, day, hour, minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(stamp) ?? [];
  if (!year) return stamp;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const words = date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
  return `${words}, ${hour}:${minute}`;
}

/** Schedules by their next time; those that are off are last. */
export function byNextTime(list: readonly ScheduleView[]): ScheduleView[] {
  const next = (s: ScheduleView) => (s.upcoming?.[0] ? Date.parse(s.upcoming[0]) : Infinity);
  return [...list].sort((a, b) => next(a) - next(b) || a.created_at.localeCompare(b.created_at));
}

const exits: Partial<Record<NonNullable<ScheduleRunView["exit"]>, string>> = {
  done: "Done",
  limit_reached: "Failed: limit reached",
  error: "Failed",
  gave_up: "Failed: gave up",
  stuck: "Failed: stuck",
  user_aborted: "Aborted",
  needs_user: "Needs you",
};

/** What became of a run. */
export function runWords(run: ScheduleRunView): { label: string; tone: StatusTone } {
  if (run.state === "waiting") return { label: "Waiting", tone: "accent" };
  if (run.state === "skipped") return { label: "Skipped", tone: "calm" };
  if (run.state === "refused") return { label: "Not started", tone: "bad" };
  if (!run.status) return { label: "Deleted", tone: "calm" };
  if (run.status === "running" || run.status === "pending") return { label: "Running", tone: "accent" };
  const label = (run.exit && exits[run.exit]) ?? (run.status === "paused" ? "Paused" : "Failed");
  if (run.exit === "done") return { label, tone: "ok" };
  return { label, tone: run.status === "paused" ? "warn" : "bad" };
}
