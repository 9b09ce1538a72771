import { useEffect } from "react";
import type { SpendToday } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { summary } from "@/store/goals";
import { useCall } from "@/store/usecall";
import { useNow } from "@/ui/usenow";

/** Today's spending, read again when goals spend more and on the next day, and the limit of the settings. */
export function useSpendToday(): SpendToday | undefined {
  const spent = useAppState((s) => summary(s.goals.byId).spent);
  const limit = useAppState((s) => s.settings?.daily_limit_usd);
  const { answer: today, reload } = useCall("SpendAPI.Today");
  const now = useNow(true);
  const isOver = today !== undefined && now >= Date.parse(today.resets_at);
  useEffect(() => {
    void reload();
  }, [reload, spent, isOver]);
  // A new limit is in the settings before Go has saved it.
  return today && { ...today, limit_usd: limit ?? today.limit_usd };
}

/** The part of today's limit that is used, 0 without a limit, and what that means. */
export function limitUse(today: SpendToday): { part: number; state: "ok" | "near" | "reached" } {
  const part = today.limit_usd > 0 ? today.usd / today.limit_usd : 0;
  return { part, state: part >= 1 ? "reached" : part >= 0.8 ? "near" : "ok" };
}
