import type { Plan } from "@/bridge/types";

/** The times of a goal while the user chooses them. */
export interface Scheduling {
  /** The schedule that is changed; "" for a new one. */
  id: string;
  plan: Plan;
  /** Called after it was saved. */
  onSaved?: () => void;
}

/** The usual times of a goal: every morning of a working day. */
export const usualTimes: Omit<Plan, "request"> = {
  cron: "0 7 * * 1-5",
  zone: "",
  missed: "once",
  overlap: "skip",
  month_usd: 0,
};

/** Only what a plan has: a schedule has more. */
export function planOf({ request, cron, zone, missed, overlap, month_usd }: Plan): Plan {
  return { request, cron, zone, missed, overlap, month_usd };
}
