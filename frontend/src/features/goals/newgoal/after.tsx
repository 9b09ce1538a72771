import { oneLine } from "@/lib/text";
import { isLive } from "@/store/goalcards";
import { useAppState } from "@/store/context";
import type { AdvancedProps } from "./advancedprops";
import { CheckboxList } from "./checkboxlist";

/** Active goals that can be prerequisites. */
export function DependencyPicker({ draft, set, errors }: AdvancedProps) {
  const byId = useAppState((s) => s.goals.byId);
  const goals = Object.values(byId)
    .map((k) => k.card)
    .filter((c) => isLive(c) || draft.after.includes(c.id))
    .slice(0, 50);
  if (goals.length === 0 && draft.after.length === 0) return null;
  return (
    <CheckboxList
      title="Run after"
      testid="after-goal"
      error={errors.after?.message}
      items={goals.map((g) => ({ id: g.id, label: oneLine(g.objective) }))}
      on={draft.after}
      onChange={(after) => set({ after })}
    />
  );
}
