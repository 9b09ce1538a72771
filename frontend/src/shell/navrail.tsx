import { summary } from "@/store/goals";
import { isPhone } from "@/lib/viewer";
import { placeHelp } from "./helpplaces";
import { useApp, useAppState, useKeyLabel } from "@/store/context";
import type { Route } from "@/store/state";
import { IconButton } from "@/ui/button";
import { ClockIcon, GoalIcon, HelpIcon, Mark, SlidersIcon, WorkspaceIcon } from "@/ui/icons";

/** The pages of the window: on the left, or at the bottom on a phone. */
export function NavRail() {
  const app = useApp();
  const route = useAppState((s) => s.route);
  const needs = useAppState((s) => summary(s.goals.byId).by.needs_you.length);
  const goalsKey = useKeyLabel("goals", "Ctrl+Shift+G");
  const helpKey = useKeyLabel("help", "F1");
  const places: { id: Route; label: string; icon: typeof GoalIcon; hint?: string }[] = [
    { id: "workspace", label: "Workspace", icon: WorkspaceIcon },
    { id: "goals", label: "Goals", icon: GoalIcon, hint: goalsKey },
    { id: "schedules", label: "Schedules", icon: ClockIcon },
    { id: "settings", label: "Settings", icon: SlidersIcon },
  ];
  /** Goals comes back to the goal that was open; pressed again, or on a phone, it shows all. */
  const show = (place: Route) => {
    if (place === "goals" && (route === "goals" || isPhone())) app.showGoals();
    else app.go(place);
  };
  return (
    <nav
      aria-label="Places"
      className={
        "flex w-12 shrink-0 flex-col items-center gap-1.5 border-r border-border bg-surface pt-3 " +
        "max-[640px]:h-14 max-[640px]:w-full max-[640px]:flex-row max-[640px]:justify-around " +
        "max-[640px]:border-t max-[640px]:border-r-0 max-[640px]:pt-0"
      }
    >
      <div className="mb-2.5 max-[640px]:hidden" title="Goalpost">
        <Mark />
      </div>
      {places.map((p) => (
        <div key={p.id} className="relative max-[640px]:flex-1">
          <IconButton
            label={p.label}
            {...(p.hint ? { hint: p.hint } : {})}
            side="right"
            data-testid={`rail-${p.id}`}
            aria-current={route === p.id ? "page" : undefined}
            on={route === p.id}
            className="size-9 max-[640px]:h-12 max-[640px]:w-full max-[640px]:flex-col max-[640px]:gap-0.5"
            onClick={() => show(p.id)}
          >
            <p.icon size={17} />
            <span aria-hidden className="text-2xs min-[641px]:hidden">
              {p.label}
            </span>
          </IconButton>
          {p.id === "goals" && needs > 0 ? (
            <span
              data-testid="rail-badge"
              aria-label={needs === 1 ? "1 goal needs you" : `${needs} goals need you`}
              className={
                "pointer-events-none absolute -top-0.5 -right-0.5 flex max-[640px]:right-4 h-4 min-w-4 items-center " +
                "justify-center rounded-full bg-warn px-1 text-[10px] font-semibold text-bg"
              }
            >
              {needs}
            </span>
          ) : null}
        </div>
      ))}
      <span className="flex-1 max-[640px]:hidden" />
      <IconButton
        label="Help"
        hint={helpKey}
        side="right"
        data-testid="help-button"
        className="mb-2 size-9 max-[640px]:mb-0 max-[640px]:h-12 max-[640px]:w-auto max-[640px]:flex-1 max-[640px]:flex-col max-[640px]:gap-0.5"
        onClick={() => app.openHelp(placeHelp[route])}
      >
        <HelpIcon size={17} />
        <span aria-hidden className="text-2xs min-[641px]:hidden">
          Help
        </span>
      </IconButton>
    </nav>
  );
}
