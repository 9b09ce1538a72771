import { clip } from "@/lib/text";
import { groupOf, type Group } from "@/store/goalcards";
import { summary } from "@/store/goals";
import { useApp, useAppState } from "@/store/context";
import { useZoomed, useControl } from "@/panes/context";
import { PanePicker } from "@/panes/picker";
import { Dot, type StatusTone } from "@/ui/badge";
import { Button, IconButton, Kbd } from "@/ui/button";
import { usePhone } from "@/ui/usephone";
import { GlobeIcon, PanelIcon, TerminalIcon } from "@/ui/icons";

const most = 5;

const dotTone: Record<Group, StatusTone> = {
  needs_you: "warn",
  running: "accent",
  queued: "calm",
  paused: "calm",
  done: "calm",
  failed: "calm",
  aborted: "calm",
};

/** The bar above the workspace: active goals, and buttons for new panes and goals. */
export function TopBar() {
  const app = useApp();
  const control = useControl();
  const isPhone = usePhone();
  const zoomed = useZoomed() && !isPhone;
  const byId = useAppState((s) => s.goals.byId);
  const selected = useAppState((s) => s.detail.id);
  const drawer = useAppState((s) => s.drawer);
  const hasGoal = useAppState((s) => s.detail.view !== null);
  const { by } = summary(byId);
  const live = [...by.needs_you, ...by.running, ...by.queued].slice(0, most);
  return (
    <header className="flex h-[38px] shrink-0 items-center gap-1 border-b border-border bg-surface px-2 max-[640px]:h-14">
      <h1 className="px-2 text-sm font-semibold max-[640px]:sr-only">Workspace</h1>
      {isPhone ? (
        <div className="min-w-0 flex-1">
          <PanePicker />
        </div>
      ) : null}
      <div
        role="group"
        aria-label="Active goals"
        className="flex min-w-0 flex-1 items-center gap-1 overflow-hidden max-[640px]:hidden"
      >
        {live.map((g) => (
          <button
            key={g.id}
            type="button"
            aria-pressed={drawer && selected === g.id}
            data-testid="live-goal"
            data-goal={g.id}
            title={g.objective}
            onClick={() => app.watchGoal(g.id)}
            className={`flex h-7 min-w-0 shrink items-center gap-2 rounded-md px-2.5 max-[900px]:shrink-0 text-xs ${
              drawer && selected === g.id
                ? "bg-surface-hover text-text"
                : "text-text-muted hover:bg-surface-hover hover:text-text"
            }`}
          >
            <Dot tone={dotTone[groupOf(g)]} live={groupOf(g) === "running"} />
            <span className="truncate max-[900px]:sr-only">{clip(g.objective, 40)}</span>
            {groupOf(g) === "needs_you" ? <span className="sr-only">needs you</span> : null}
          </button>
        ))}
      </div>
      {zoomed ? (
        <Button look="quiet" onClick={() => control.zoom()}>
          Zoomed · show all panes
        </Button>
      ) : null}
      <Button
        look="quiet"
        data-testid="new-terminal"
        title="Ctrl+Shift+T"
        onClick={() => void app.panes.openTerminal()}
      >
        <TerminalIcon size={14} /> <span className="max-[640px]:sr-only">Terminal</span>
      </Button>
      <Button look="quiet" data-testid="new-browser" title="Ctrl+Shift+B" onClick={() => void app.panes.openBrowser()}>
        <GlobeIcon size={14} /> <span className="max-[640px]:sr-only">Browser</span>
      </Button>
      <Button look="primary" data-testid="new-goal-button" onClick={() => app.toggleGoals()}>
        New goal{" "}
        <Kbd onAccent className="max-[800px]:hidden">
          Ctrl⇧G
        </Kbd>
      </Button>
      {hasGoal ? (
        <IconButton
          label={drawer ? "Hide the goal" : "Show the goal"}
          data-testid="drawer-toggle"
          on={drawer}
          onClick={() => app.set({ drawer: !drawer })}
        >
          <PanelIcon />
        </IconButton>
      ) : null}
    </header>
  );
}
