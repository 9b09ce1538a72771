import { boundLabel } from "@/lib/bindings";
import { useApp, useAppState } from "@/store/context";
import { Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { GlobeIcon, GoalIcon, TerminalIcon } from "@/ui/icons";

/** The workspace without panes. */
export function Empty() {
  const app = useApp();
  const keys = useAppState((s) => s.settings?.keys);
  const choices = [
    {
      id: "terminal",
      icon: TerminalIcon,
      title: "Open a terminal",
      key: boundLabel(keys, "terminal.new", "Ctrl+Shift+T"),
      run: () => void app.panes.openTerminal(),
    },
    {
      id: "browser",
      icon: GlobeIcon,
      title: "Open a browser",
      key: boundLabel(keys, "browser.new", "Ctrl+Shift+B"),
      run: () => void app.panes.openBrowser(),
    },
    {
      id: "goal",
      icon: GoalIcon,
      title: "Start a goal",
      key: boundLabel(keys, "goals", "Ctrl+Shift+G"),
      run: () => app.toggleGoals(),
    },
  ];
  return (
    <div className="flex h-full flex-col items-center justify-center gap-5" data-testid="workspace-empty">
      <p className="max-w-sm text-center text-text-faint">
        Open a terminal, a browser or a goal to begin. A goal’s panes have their own tab.
      </p>
      <div className="flex w-72 flex-col gap-1.5">
        {choices.map((c) => (
          <button
            key={c.id}
            type="button"
            data-testid={`empty-${c.id}`}
            onClick={c.run}
            className={cx(
              "flex h-10 items-center gap-3 rounded-md border border-border bg-surface px-3 text-left",
              "hover:border-border-strong hover:bg-surface-raised",
            )}
          >
            <c.icon className="text-text-muted" />
            <span className="flex-1">{c.title}</span>
            <Kbd>{c.key}</Kbd>
          </button>
        ))}
      </div>
    </div>
  );
}
