import type { PaneInfo } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Select } from "@/ui/input";
import { useControl } from "./context";

/** Chooses the pane that a phone shows. */
export function PanePicker() {
  const app = useApp();
  const control = useControl();
  const panes = useAppState((s) => s.panes.panes);
  const active = useAppState((s) => s.activePane);
  if (panes.length === 0) return null;
  return (
    <Select
      aria-label="Shown pane"
      data-testid="pane-picker"
      className="min-w-0"
      value={panes.some((p) => p.id === active) ? active : panes[0]?.id}
      onChange={(e) => {
        app.set({ drawer: false, ownDrawer: false });
        control.show(e.target.value);
      }}
    >
      {panes.map((p) => (
        <option key={p.id} value={p.id}>
          {paneLabel(p)}
        </option>
      ))}
    </Select>
  );
}

function paneLabel(p: PaneInfo): string {
  const place = p.kind === "terminal" ? p.server || shortPath(p.cwd || p.dir) : "";
  const name = p.title || (p.kind === "terminal" ? "terminal" : "new page");
  return [name, place, p.goal_id ? "goal" : ""].filter(Boolean).join(" · ");
}
