import { oneLine } from "@/lib/text";
import type { GoalCard } from "@/bridge/types";
import { goalStatusLabel } from "@/features/goals/labels";
import { groupOf, type Group } from "@/store/goalcards";
import { useAppState } from "@/store/context";
import type { AdvancedProps } from "./advancedprops";
import { CheckboxList } from "./checkboxlist";

/** The groups of goals that still can reach their end, in the order in which they are offered. */
const waitable: readonly Group[] = ["running", "queued", "needs_you", "paused"];

/** The goals that one can wait for, with their state. A finished one holds up nothing, a failed one would do so for ever. */
export function DependencyPicker({ draft, set, errors }: AdvancedProps) {
  const byId = useAppState((s) => s.goals.byId);
  const rank = (c: GoalCard) => waitable.indexOf(groupOf(c));
  const goals = Object.values(byId)
    .map((k) => k.card)
    .filter((c) => rank(c) >= 0 || draft.after.includes(c.id))
    .sort((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at))
    .slice(0, 50);
  if (goals.length === 0 && draft.after.length === 0) return null;
  return (
    <CheckboxList
      title="Run after"
      testid="after-goal"
      error={errors.after?.message}
      items={goals.map((g) => ({ id: g.id, label: `${oneLine(g.objective)} · ${goalStatusLabel(g).words}` }))}
      on={draft.after}
      onChange={(after) => set({ after })}
    />
  );
}
