import type { TerminalProfile } from "@/bridge/types";
import { useApp, useAppState, useKeyLabel } from "@/store/context";
import { isDrawerOpen } from "@/store/workspaces";
import { useZoomed, useControl } from "@/panes/context";
import { PanePicker } from "@/panes/picker";
import { Button, IconButton, Kbd } from "@/ui/button";
import { Menu } from "@/ui/menu";
import { usePhone } from "@/ui/usephone";
import { ChatIcon, ChevronIcon, GlobeIcon, PanelIcon, TerminalIcon } from "@/ui/icons";
import { WorkspaceTabs } from "./workspacetabs";

/** The bar above the workspace: workspaces, and buttons for new panes and goals. */
export function TopBar() {
  const app = useApp();
  const goalsKey = useKeyLabel("goals", "Ctrl+Shift+G");
  const chatKey = useKeyLabel("chat", "Ctrl+Shift+A");
  const control = useControl();
  const isPhone = usePhone();
  const zoomed = useZoomed() && !isPhone;
  const drawer = useAppState((s) => isDrawerOpen(s) && !s.chatOpen);
  const isChatOpen = useAppState((s) => s.chatOpen);
  const hasGoal = useAppState((s) => s.detail.view !== null);
  return (
    <header className="flex h-[38px] shrink-0 items-center gap-1 border-b border-border bg-surface px-2 max-[640px]:h-14">
      <h1 className="sr-only">Workspace</h1>
      {isPhone ? (
        <div className="min-w-0 flex-1">
          <PanePicker />
        </div>
      ) : (
        <WorkspaceTabs />
      )}
      {zoomed ? (
        <Button look="quiet" onClick={() => control.zoom()}>
          Zoomed · show all panes
        </Button>
      ) : null}
      {isPhone ? null : <NewPanes />}
      <Button look="primary" data-testid="new-goal-button" onClick={() => app.toggleGoals()}>
        New goal{" "}
        <Kbd onAccent className="max-[800px]:hidden">
          {goalsKey.replace("Shift+", "⇧").replace("Ctrl+", "Ctrl")}
        </Kbd>
      </Button>
      <IconButton
        label={isChatOpen ? "Close the chat" : "Chat"}
        hint={chatKey}
        data-testid="chat-toggle"
        on={isChatOpen}
        onClick={() => app.chat.toggle()}
      >
        <ChatIcon />
      </IconButton>
      {hasGoal ? (
        <IconButton
          label={drawer ? "Hide the goal" : "Show the goal"}
          data-testid="drawer-toggle"
          on={drawer}
          onClick={() => app.workspaces.toggleDrawer()}
        >
          <PanelIcon />
        </IconButton>
      ) : null}
    </header>
  );
}

/** Opens a terminal or a page. On a phone the picker of panes does. */
function NewPanes() {
  const app = useApp();
  const profiles = useAppState((s) => s.terminalProfiles);
  const item = ({ name }: TerminalProfile) => ({
    id: `profile-${name}`,
    label: name,
    takesFocus: true,
    run: () => void app.panes.openTerminal("", "", name),
  });
  const terminalKey = useKeyLabel("terminal.new", "Ctrl+Shift+T");
  const browserKey = useKeyLabel("browser.new", "Ctrl+Shift+B");
  return (
    <>
      <Button look="quiet" data-testid="new-terminal" title={terminalKey} onClick={() => void app.panes.openTerminal()}>
        <TerminalIcon size={14} /> Terminal
      </Button>
      {profiles.length > 0 ? (
        <Menu items={profiles.map(item)}>
          <IconButton label="New terminal with a profile" data-testid="new-terminal-menu">
            <ChevronIcon size={12} className="rotate-90" />
          </IconButton>
        </Menu>
      ) : null}
      <Button look="quiet" data-testid="new-browser" title={browserKey} onClick={() => void app.panes.openBrowser()}>
        <GlobeIcon size={14} /> Browser
      </Button>
    </>
  );
}
