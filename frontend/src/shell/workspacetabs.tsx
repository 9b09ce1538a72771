import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Workspace } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { groupOf } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import type { App } from "@/store/app";
import type { AppState } from "@/store/state";
import { openWorkspace, workspaceOf } from "@/store/workspaces";
import { Dot, type StatusTone } from "@/ui/badge";
import { IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { PlusIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { ContextMenu, type MenuItem } from "@/ui/menu";
import { exportWorkspace, importWorkspace } from "./workspacefile";

/** The state of a workspace's goals: one needs the user, or one runs. */
function toneOf(s: AppState, workspace: Workspace): StatusTone | null {
  let runs = false;
  for (const { card } of Object.values(s.goals.byId)) {
    const group = groupOf(card);
    if ((group !== "needs_you" && group !== "running") || workspaceOf(s, card.id)?.id !== workspace.id) continue;
    if (group === "needs_you") return "warn";
    runs = true;
  }
  return runs ? "accent" : null;
}

/** The workspaces: a click opens one, a double click renames it, a drag moves it. */
export function WorkspaceTabs() {
  const app = useApp();
  const list = useAppState((s) => s.panes.workspaces.list);
  const open = useAppState((s) => openWorkspace(s)?.id);
  const [renaming, setRenaming] = useState("");
  const [dragged, setDragged] = useState("");
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1">
      <div role="tablist" aria-label="Workspaces" className="sideways flex min-w-0 items-center gap-1">
        {(list ?? []).map((w, i) => (
          <Tab
            key={w.id}
            workspace={w}
            isOpen={w.id === open}
            isRenaming={w.id === renaming}
            onRename={(on) => setRenaming(on ? w.id : "")}
            onDragStart={() => setDragged(w.id)}
            onDrop={() => dragged && void app.workspaces.moveTo(dragged, i)}
          />
        ))}
      </div>
      <IconButton label="New workspace" data-testid="new-workspace" onClick={() => app.set({ newWorkspace: true })}>
        <PlusIcon size={14} />
      </IconButton>
    </div>
  );
}

interface TabProps {
  workspace: Workspace;
  isOpen: boolean;
  isRenaming: boolean;
  onRename: (on: boolean) => void;
  onDragStart: () => void;
  onDrop: () => void;
}

function menuOf(app: App, workspace: Workspace, onRename: () => void): MenuItem[] {
  const { id } = workspace;
  return [
    { id: "rename", label: "Rename…", hint: "F2", takesFocus: true, run: onRename },
    { id: "left", label: "Move left", hint: "Alt+Shift+←", run: () => void app.workspaces.move(id, -1) },
    { id: "right", label: "Move right", hint: "Alt+Shift+→", run: () => void app.workspaces.move(id, 1) },
    null,
    { id: "export", label: "Export…", run: () => void exportWorkspace(app, workspace) },
    { id: "import", label: "Import…", takesFocus: true, run: () => importWorkspace(app) },
    null,
    { id: "close", label: "Close", hint: "Delete", danger: true, run: () => void app.workspaces.close(id) },
  ];
}

function Tab({ workspace, isOpen, isRenaming, onRename, onDragStart, onDrop }: TabProps) {
  const app = useApp();
  const tone = useAppState((s) => toneOf(s, workspace));
  const tab = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) tab.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isOpen]);
  const press = (e: KeyboardEvent) => {
    const by = e.code === "ArrowRight" ? 1 : e.code === "ArrowLeft" ? -1 : 0;
    if (by !== 0 && e.altKey && e.shiftKey) void app.workspaces.move(workspace.id, by);
    else if (by !== 0 && !e.altKey && !e.ctrlKey) focusSibling(tab.current, by);
    else if (e.code === "F2") onRename(true);
    else if (e.code === "Delete") void app.workspaces.close(workspace.id);
    else return;
    e.preventDefault();
  };
  if (isRenaming) return <RenameField workspace={workspace} onEnd={() => onRename(false)} />;
  return (
    <ContextMenu items={menuOf(app, workspace, () => onRename(true))}>
      <button
        ref={tab}
        type="button"
        role="tab"
        aria-selected={isOpen}
        tabIndex={isOpen ? 0 : -1}
        draggable
        data-testid="workspace-tab"
        data-workspace={workspace.id}
        title={workspace.folder ? `${workspace.name}, ${shortPath(workspace.folder)}` : workspace.name}
        onClick={() => app.workspaces.show(workspace.id)}
        onDoubleClick={() => onRename(true)}
        onKeyDown={press}
        onDragStart={onDragStart}
        onDragOver={(e) => e.preventDefault()}
        onDrop={onDrop}
        className={cx(
          "flex h-7 max-w-48 shrink-0 items-center gap-2 rounded-md px-2.5 text-sm max-[640px]:h-11",
          isOpen
            ? "bg-surface-hover font-semibold text-text"
            : "text-text-muted hover:bg-surface-hover hover:text-text",
        )}
      >
        {tone ? <Dot tone={tone} live={tone === "accent"} /> : null}
        <span className="truncate">{workspace.name}</span>
        {tone === "warn" ? <span className="sr-only">, a goal needs you</span> : null}
        {tone === "accent" ? <span className="sr-only">, a goal runs</span> : null}
      </button>
    </ContextMenu>
  );
}

function focusSibling(tab: HTMLElement | null, by: 1 | -1): void {
  const tabs = [...(tab?.closest("[role=tablist]")?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
  const at = tab ? tabs.indexOf(tab) : -1;
  tabs[(at + by + tabs.length) % tabs.length]?.focus();
}

function RenameField({ workspace, onEnd }: { workspace: Workspace; onEnd: () => void }) {
  const app = useApp();
  const save = (name: string) => {
    onEnd();
    void app.workspaces.rename(workspace.id, name);
  };
  return (
    <Input
      autoFocus
      data-testid="workspace-name"
      aria-label="Name of this workspace"
      defaultValue={workspace.name}
      className="h-7 w-40 px-1.5 py-0 text-sm"
      onFocus={(e) => e.target.select()}
      onBlur={(e) => save(e.target.value.trim())}
      onKeyDown={(e) => {
        if (e.code === "Enter") save(e.currentTarget.value.trim());
        if (e.code === "Escape") onEnd();
      }}
    />
  );
}
