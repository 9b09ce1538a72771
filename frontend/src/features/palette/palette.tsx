import { Command } from "cmdk";
import { leaderKey, type Action } from "@/lib/actions";
import { keyLabel } from "@/lib/keys";
import { useApp, useAppState } from "@/store/context";
import { standingWords } from "./labels";
import { Kbd } from "@/ui/button";
import { ReturnFocus } from "@/ui/focus";
import "./palette.css";

const goalsShown = 8;

/** All current actions and the newest goals, found by typing. */
export function Palette({ actions }: { actions: readonly Action[] }) {
  const open = useAppState((s) => s.paletteOpen);
  return open ? <Open actions={actions} /> : null;
}

function Open({ actions }: { actions: readonly Action[] }) {
  const app = useApp();
  const byId = useAppState((s) => s.goals.byId);
  const close = () => app.set({ paletteOpen: false });
  const groups = [...new Set(actions.map((a) => a.group))];
  const can = actions.filter((a) => a.id !== "palette" && a.enabled());
  const goals = Object.values(byId)
    .map((k) => k.card)
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .slice(0, goalsShown);

  const run = (what: () => unknown) => {
    close();
    // The palette restores the focus when it closes; an action that moves the focus must run after that.
    setTimeout(() => void what(), 0);
  };

  return (
    <Command.Dialog
      open
      onOpenChange={(o) => !o && close()}
      label="Commands"
      loop
      className="palette"
      overlayClassName="fixed inset-0 z-[1000] bg-scrim"
      contentClassName={
        "appear fixed top-[12vh] left-1/2 z-[1001] w-[600px] max-w-[calc(100vw-32px)] " +
        "-translate-x-1/2 overflow-hidden rounded-lg border border-border-strong " +
        "bg-surface-raised shadow-pop"
      }
    >
      <ReturnFocus />
      <div data-testid="palette">
        <Command.Input data-testid="palette-input" placeholder="What do you want to do?" />
        <Command.List>
          <Command.Empty>No matching commands.</Command.Empty>
          {groups.map((group) => (
            <Command.Group key={group} heading={group}>
              {can
                .filter((a) => a.group === group)
                .map((a) => (
                  <Command.Item
                    key={a.id}
                    value={`${a.title} ${a.id}`}
                    data-testid={`action-${a.id}`}
                    onSelect={() => run(a.run)}
                  >
                    <span className="flex-1">{a.title}</span>
                    {/* An ordinary browser keeps some keys for itself; the leader always works. */}
                    {a.leader && !app.bridge.window ? (
                      <Kbd>{`${leaderKey.replace("Space", "Space,")} ${a.leader.toUpperCase()}`}</Kbd>
                    ) : null}
                    {a.keys[0] ? <Kbd>{keyLabel(a.keys[0])}</Kbd> : null}
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
          {goals.length > 0 ? (
            <Command.Group heading="Go to goal">
              {goals.map((g) => (
                <Command.Item
                  key={g.id}
                  value={`goal ${g.objective} ${g.id}`}
                  onSelect={() => run(() => app.openGoal(g.id))}
                >
                  <span className="min-w-0 flex-1 truncate">{g.objective}</span>
                  <span className="text-xs text-text-faint">{standingWords(g.status, g.exit)}</span>
                </Command.Item>
              ))}
            </Command.Group>
          ) : null}
        </Command.List>
      </div>
    </Command.Dialog>
  );
}
