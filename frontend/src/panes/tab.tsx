import type { IDockviewHeaderActionsProps, IDockviewPanelHeaderProps } from "dockview-react";
import { useLayoutEffect, useRef } from "react";
import type { GoalCard, PaneInfo } from "@/bridge/types";
import { clip, shortPath } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { paneTitle } from "@/store/panes";
import { Badge, Dot, type StatusTone } from "@/ui/badge";
import { CloseIcon, DotsIcon, FileIcon, PlusIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { Menu } from "@/ui/menu";
import { cx } from "@/ui/cx";
import { PageIcon } from "@/ui/pageicon";
import { isDrawerOpen, shownTab } from "@/store/workspaces";
import { useBroadcast, useControl, useMenuFacts, useRenaming } from "./context";
import { paneMenu } from "./panemenu";

function tone(pane: PaneInfo): { tone: StatusTone; words: string } {
  if (pane.problem) return { tone: "bad", words: "has a problem" };
  if (pane.kind === "file") return { tone: "calm", words: "file" };
  if (pane.asleep) return { tone: "calm", words: "asleep" };
  if (pane.running) return { tone: "ok", words: "running" };
  return { tone: pane.exit === 0 ? "calm" : "bad", words: "ended" };
}

/**
 * The tab of a pane: its state, name and folder. For keyboards and screen readers a tab contains no controls: those are
 * in PaneActions. Its × is for the pointer; Ctrl+Shift+W and the menu close too.
 */
export function PaneTab({ api }: IDockviewPanelHeaderProps) {
  const control = useControl();
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === api.id));
  const acting = useAppState((s) => (pane?.goal_id ? s.goals.byId[pane.goal_id]?.card.status === "running" : false));
  const inspected = useAppState((s) => s.panes.panes.find((p) => p.id === pane?.inspects)?.title ?? "");
  const renaming = useRenaming(api.id);
  const content = useRef<HTMLDivElement>(null);
  // dockview names the tab by its title, or by the id if there is none. The displayed text is its name.
  useLayoutEffect(() => content.current?.closest(".dv-tab")?.removeAttribute("aria-label"));
  if (!pane) return null;
  const state = tone(pane);
  const folder = pane.kind === "terminal" && !pane.server ? pane.cwd || pane.dir : "";
  const title = titleOf(pane, inspected);

  return (
    <div
      ref={content}
      className={cx("pane-tab", acting && "pane-tab-agent", pane.pinned && "pane-tab-pinned")}
      data-acting={acting}
      data-testid="pane-tab"
      data-pane={pane.id}
      data-pinned={pane.pinned}
      title={pane.pinned ? title : undefined}
      onDoubleClick={() => control.zoom(pane.id)}
      onAuxClick={(e) => e.button === 1 && control.close(pane.id)}
    >
      <KindIcon pane={pane} tone={state.tone} />
      <span className="sr-only">{state.words}</span>
      {renaming ? (
        <RenameField pane={pane} onEnd={() => control.rename("")} />
      ) : (
        <span className="pane-name truncate font-medium text-text" title={title} data-testid="pane-title">
          {title}
        </span>
      )}
      {folder ? (
        <span className="pane-dir truncate font-mono text-2xs text-text-faint" title={folder} data-testid="pane-dir">
          {shortPath(folder)}
        </span>
      ) : null}
      {pane.asleep ? (
        <span
          aria-hidden
          className="text-2xs text-text-faint"
          title="Nobody looked at this page for a while. It is loaded again when you show it."
          data-testid="pane-asleep"
        >
          asleep
        </span>
      ) : null}
      {pane.server ? (
        <span className="pane-dir truncate font-mono text-2xs text-text-faint" data-testid="pane-server">
          {pane.server}
          {pane.session ? ` · ${pane.session}` : ""}
        </span>
      ) : null}
      {pane.pinned ? <span className="sr-only">pinned</span> : null}
      <span className="pane-gap flex-1" />
      <span
        aria-hidden
        title={`Close ${title}`}
        data-testid="pane-close"
        data-pane={pane.id}
        className="tab-button tab-close"
        onPointerDown={(e) => e.stopPropagation()}
        onClick={() => control.close(pane.id)}
      >
        <CloseIcon size={13} />
      </span>
    </div>
  );
}

function KindIcon({ pane, tone }: { pane: PaneInfo; tone: StatusTone }) {
  if (pane.kind === "terminal") return <Dot tone={tone} />;
  if (pane.kind === "file") return <FileIcon size={13} className="shrink-0 text-text-faint" />;
  return <PageIcon icon={pane.icon} size={14} />;
}

/** Developer tools are named after the page that they show, because their own title is an internal address. */
function titleOf(pane: PaneInfo, inspected = ""): string {
  if (pane.inspects) return inspected ? `DevTools · ${inspected}` : "DevTools";
  return paneTitle(pane);
}

/** A button right after the tabs that opens another pane of the same kind, as in browsers. */
export function NewTab({ activePanel }: IDockviewHeaderActionsProps) {
  const control = useControl();
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === activePanel?.id));
  if (!pane || pane.inspects) return null;
  const label = pane.kind === "browser" ? "New browser tab" : "New terminal tab";
  return (
    <div className="pane-actions">
      <button
        type="button"
        aria-label={label}
        title={label}
        data-testid="pane-new-tab"
        data-pane={pane.id}
        className="tab-button"
        onClick={() => void control.openTab(pane.id)}
      >
        <PlusIcon size={13} />
      </button>
    </div>
  );
}

/** Beside the tabs: the goal that uses the front pane, the broadcast, and the menu. */
export function PaneActions({ activePanel, panels }: IDockviewHeaderActionsProps) {
  const control = useControl();
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === activePanel?.id));
  const goal = useAppState((s) => (pane?.goal_id ? s.goals.byId[pane.goal_id]?.card : undefined));
  const facts = useMenuFacts(pane?.id ?? "");
  if (!pane) return null;
  const title = paneTitle(pane);
  return (
    <div className="pane-actions" data-testid="pane-actions" data-pane={pane.id}>
      <BroadcastBadge pane={pane} />
      {pane.goal_id ? <GoalBadge id={pane.goal_id} goal={goal} /> : null}
      <Menu items={paneMenu(pane, control, facts)}>
        <button
          type="button"
          aria-label={`Menu of ${title}`}
          data-testid="pane-menu"
          data-pane={pane.id}
          className="tab-button"
        >
          <DotsIcon size={14} />
        </button>
      </Menu>
      {panels.length === 1 ? (
        <button
          type="button"
          aria-label={`Close ${title}`}
          data-testid="pane-close"
          data-pane={pane.id}
          className="tab-button"
          onClick={() => control.close(pane.id)}
        >
          <CloseIcon size={13} />
        </button>
      ) : null}
    </div>
  );
}

/** Number of terminals that receive the user's typing. */
function BroadcastBadge({ pane }: { pane: PaneInfo }) {
  const control = useControl();
  const broadcast = useBroadcast(pane.id);
  if (broadcast === 0) return null;
  return (
    <button
      type="button"
      className="flex"
      data-testid="pane-broadcast"
      data-pane={pane.id}
      aria-label="Leave the broadcast"
      title={`What you type here goes to ${broadcast} terminals. Click to leave the broadcast.`}
      onClick={() => control.broadcast(pane.id)}
    >
      <Badge tone="warn">{broadcast > 1 ? `broadcast · ${broadcast}` : "broadcast: no other terminals"}</Badge>
    </button>
  );
}

function GoalBadge({ id, goal }: { id: string; goal: GoalCard | undefined }) {
  const app = useApp();
  const acting = goal?.status === "running";
  // The goal's own tab and the drawer say which one it is.
  const isNamed = useAppState((s) => shownTab(s) === id || (s.detail.id === id && isDrawerOpen(s)));
  return (
    <button
      type="button"
      className="pane-goal flex"
      data-testid="pane-goal"
      title={`Show the goal ${goal?.objective ?? ""}`}
      onClick={() => app.watchGoal(id)}
    >
      <Badge tone={acting ? "agent" : "calm"} live={acting}>
        {goal && !isNamed ? `Goal · ${clip(goal.objective, 34)}` : "Goal"}
      </Badge>
    </button>
  );
}

function RenameField({ pane, onEnd }: { pane: PaneInfo; onEnd: () => void }) {
  const app = useApp();
  const save = async (title: string) => {
    onEnd();
    if (title && title !== pane.title) await app.ask("TerminalAPI.Rename", pane.id, title);
  };
  return (
    <Input
      autoFocus
      data-testid="pane-rename"
      aria-label="Name of this terminal"
      defaultValue={pane.title}
      className="h-6 max-w-48 px-1.5 py-0 text-xs"
      onPointerDown={(e) => e.stopPropagation()}
      onFocus={(e) => e.target.select()}
      onBlur={(e) => void save(e.target.value.trim())}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.code === "Enter") void save(e.currentTarget.value.trim());
        if (e.code === "Escape") onEnd();
      }}
    />
  );
}
