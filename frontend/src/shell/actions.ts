import { action, type Action } from "@/lib/actions";
import type { WorkspaceControl } from "@/panes/control";
import { canPause, canResume, changedRequest, isLive } from "@/store/goalcards";
import { firstGoal } from "@/store/goals";
import { startNote } from "@/features/goals/composer";
import { openHelpHere } from "./helpplaces";
import { workspaceActions } from "./workspacecommands";
import type { App } from "@/store/app";

const always = () => true;

/** All actions of the window. */
export function buildCommands(app: App, control: WorkspaceControl): readonly Action[] {
  return [
    ...windowActions(app),
    ...goalsActions(app),
    ...chatActions(app, control),
    ...selectedGoalActions(app, control),
    ...tabActions(app, control),
    ...openPaneActions(app),
    ...broadcastActions(app, control),
    ...goalFromPaneActions(app, control),
    ...terminalActions(app, control),
    ...paneActions(app, control),
    ...focusActions(app, control),
    ...workspaceActions(app),
    ...themeActions(app),
  ];
}

/** Reports whether a pane of the workspace has the focus. */
function hasPane(app: App, control: WorkspaceControl): boolean {
  return app.state.route === "workspace" && control.activePane !== undefined;
}

/** The chat of the workspace. */
function chatActions(app: App, control: WorkspaceControl): Action[] {
  const hasChat = () => app.state.chatOpen && app.state.chat.messages.length > 0;
  return [
    action({
      id: "chat",
      title: "Chat",
      words: ["ask", "question", "AI", "assistant", "talk"],
      group: "Chat",
      keys: ["Ctrl+Shift+KeyA"],
      leader: "c",
      run: () => {
        if (!app.state.chatOpen) control.attachFocused();
        app.chat.toggle();
      },
    }),
    action({ id: "chat.new", title: "New chat", words: ["conversation"], group: "Chat", run: () => app.chat.begin() }),
    action({
      id: "chat.all",
      title: "All chats",
      words: ["conversations", "history", "search"],
      group: "Chat",
      run: () => app.chat.openList(),
    }),
    action({
      id: "chat.pane",
      title: "Ask about the pane",
      words: ["attach", "explain"],
      group: "Chat",
      enabled: () => hasPane(app, control),
      run: () => control.ask(control.activePane?.id ?? ""),
    }),
    action({
      id: "chat.command",
      title: "Ask about the command",
      words: ["explain", "why", "error", "failed"],
      group: "Chat",
      enabled: hasBlock(app, control),
      run: () => control.askBlock(control.activePane?.id ?? ""),
    }),
    action({
      id: "chat.goal",
      title: "Turn the chat into a goal",
      group: "Chat",
      enabled: hasChat,
      run: () => app.chat.openProposal(),
    }),
    action({
      id: "chat.about-goal",
      title: "Ask about the selected goal",
      words: ["explain", "why", "result"],
      group: "Chat",
      enabled: () => app.state.detail.view !== null,
      run: () => {
        const { view } = app.state.detail;
        if (view) app.chat.askAboutGoal(view.id, view.objective);
      },
    }),
  ];
}

/** Actions for all goals and for waiting requests. */
function goalsActions(app: App): Action[] {
  return [
    action({
      id: "goals",
      title: "Toggle goals",
      words: ["dashboard", "list"],
      group: "Goals",
      keys: ["Ctrl+Shift+KeyG"],
      leader: "g",
      run: () => app.toggleGoals(),
    }),
    action({
      id: "goal.new",
      title: "New goal",
      words: ["goal", "create", "task", "start", "agent"],
      group: "Goals",
      leader: "n",
      run: () => app.newGoal(),
    }),
    action({
      id: "goals.launch",
      title: "Launch several goals",
      words: ["many", "list", "batch", "fleet", "start"],
      group: "Goals",
      run: () => app.set({ launchOpen: true }),
    }),
    action({
      id: "digest.show",
      title: "Show digest of the last day",
      words: ["away", "summary", "happened", "since", "morning"],
      group: "Goals",
      run: () => app.goals.showDigest(new Date(Date.now() - 24 * 3_600_000)),
    }),
    action({
      id: "schedules.show",
      title: "Show schedules",
      words: ["cron", "repeat", "nightly", "timer", "again"],
      group: "Goals",
      run: () => app.go("schedules"),
    }),
    action({
      id: "goals.show",
      title: "Show all goals",
      words: ["dashboard", "list"],
      group: "Goals",
      leader: "l",
      run: () => app.showGoals(),
    }),
    action({
      id: "goals.needs-you",
      title: "Goals that need you",
      words: ["waiting", "attention", "inbox"],
      group: "Goals",
      run: () => showNeedsYou(app),
    }),
    action({
      id: "demo",
      title: "Run the demo goal (scripted, no AI)",
      words: ["example", "try", "tour"],
      group: "Goals",
      run: () => app.goals.runDemo(),
    }),
    action({
      id: "worktrees",
      title: "Git worktrees of goals",
      words: ["branches", "clean up"],
      group: "Goals",
      run: () => app.set({ worktreesOpen: true }),
    }),
    action({
      id: "approvals",
      title: "Approvals",
      words: ["approve", "allow", "deny", "answer", "permission", "request"],
      group: "Goals",
      keys: ["Ctrl+Shift+KeyY"],
      leader: "y",
      run: () => showRequest(app),
    }),
  ];
}

/**
 * Focuses the card of the oldest request, first of the selected goal. From the card, and without a request, the key
 * opens the list of all requests.
 */
function showRequest(app: App): void | Promise<void> {
  const { approvals, detail, route } = app.state;
  const waiting = approvals.filter((a) => a.given === "");
  const changed = detail.view?.tampered ? { goal_id: detail.id, request: changedRequest(detail.id) } : undefined;
  const first = waiting.find((a) => a.goal_id === detail.id) ?? changed ?? waiting[0];
  if (!first || document.activeElement?.closest("[data-request]")) return app.approvals.open();
  if (route === "workspace") app.watchGoal(first.goal_id);
  else app.openGoal(first.goal_id);
  app.set({ requestWanted: first.request });
}

/** Actions for the selected goal. */
function selectedGoalActions(app: App, control: WorkspaceControl): Action[] {
  const view = () => app.state.detail.view;
  const id = () => view()?.id ?? "";
  const selected = (fits: (v: NonNullable<ReturnType<typeof view>>) => boolean) => () => {
    const v = view();
    return v !== null && fits(v);
  };
  return [
    action({
      id: "goal.pause",
      title: "Pause the selected goal",
      words: ["stop"],
      group: "Goals",
      enabled: selected(canPause),
      run: () => app.goals.pause(id()),
    }),
    action({
      id: "goal.resume",
      title: "Resume the selected goal",
      words: ["continue", "retry", "answer"],
      group: "Goals",
      enabled: selected(canResume),
      run: async () => {
        const v = view();
        if (v) await app.goals.resumeOrAnswer(v);
      },
    }),
    action({
      id: "goal.steer",
      title: "Send a note to the selected goal",
      words: ["steer", "message", "tell", "comment"],
      group: "Goals",
      enabled: selected(isLive),
      run: () => startNote(app),
    }),
    action({
      id: "goal.abort",
      title: "Abort the selected goal",
      words: ["cancel", "stop", "kill", "end"],
      group: "Goals",
      enabled: selected(isLive),
      run: () => app.goals.abort(id()),
    }),
    action({
      id: "goal.changes",
      title: "Review the selected goal's changes",
      words: ["undo", "revert", "diff", "commit", "changes", "files"],
      group: "Goals",
      enabled: selected(always),
      run: () => app.openGoal(id(), "changes"),
    }),
    action({
      id: "goal.panes",
      title: "Show the selected goal's panes",
      group: "Goals",
      enabled: selected((v) => app.state.panes.panes.some((p) => p.goal_id === v.id)),
      run: () => control.showGoal(id()),
    }),
    action({
      id: "goal.drawer",
      title: "Show or hide the goal in the side panel",
      words: ["sidebar", "panel", "drawer"],
      group: "Goals",
      leader: "i",
      enabled: selected(always),
      // From another page it opens the goal; only in the workspace it toggles the drawer.
      run: () => {
        if (app.state.route === "workspace") app.workspaces.toggleDrawer();
        else app.watchGoal(app.state.detail.id);
      },
    }),
  ];
}

/** The tabs of pages, with the keys of browsers; those that a terminal needs work only in pages. */
function tabActions(app: App, control: WorkspaceControl): Action[] {
  const inPage = () => hasPane(app, control) && control.activePane?.kind === "browser";
  return [
    action({
      id: "page.tab",
      title: "New tab in the browser pane",
      words: ["page"],
      group: "Panes",
      keys: ["Ctrl+KeyT"],
      enabled: inPage,
      run: () => control.openTab(control.activePane?.id ?? ""),
    }),
    action({
      id: "page.reopen",
      title: "Reopen the closed page",
      words: ["restore", "undo", "tab"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyT"],
      where: "page",
      leader: "u",
      enabled: () => inPage() || app.state.leader || app.state.paletteOpen,
      run: () => control.reopen(),
    }),
    action({
      id: "pane.tab.next",
      title: "Next tab of the pane",
      group: "Panes",
      keys: ["Ctrl+Tab"],
      enabled: () => hasPane(app, control) && control.hasTab(1),
      run: () => control.goTab(1),
    }),
    action({
      id: "pane.tab.previous",
      title: "Previous tab of the browser pane",
      group: "Panes",
      keys: ["Ctrl+Shift+Tab"],
      enabled: () => inPage() && control.hasTab(-1),
      run: () => control.goTab(-1),
    }),
  ];
}

/** New panes. */
function openPaneActions(app: App): Action[] {
  return [
    action({
      id: "terminal.new",
      title: "New terminal",
      words: ["terminal", "shell", "console", "bash", "tab"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyT"],
      leader: "t",
      run: async () => {
        await app.panes.openTerminal();
      },
    }),
    action({
      id: "servers",
      title: "SSH connections",
      words: ["remote", "servers", "hosts", "connect"],
      group: "Panes",
      leader: "h",
      run: () => app.set({ servers: true }),
    }),
    action({
      id: "browser.new",
      title: "New browser",
      words: ["browser", "page", "tab", "web", "url"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyB"],
      leader: "b",
      run: async () => {
        await app.panes.openBrowser();
      },
    }),
  ];
}

/** Typing into several terminals at the same time. */
function broadcastActions(app: App, control: WorkspaceControl): Action[] {
  const pane = () => hasPane(app, control);
  return [
    action({
      id: "broadcast",
      title: "Broadcast input to this and other selected terminals",
      words: ["type in all"],
      group: "Panes",
      leader: "m",
      enabled: () => pane() && control.canBroadcast(control.activePane),
      run: () => control.broadcast(control.activePane?.id ?? ""),
    }),
    action({
      id: "broadcast.all",
      title: "Broadcast to visible terminals, or end it",
      group: "Panes",
      leader: "e",
      enabled: pane,
      run: () => control.broadcastAll(),
    }),
    action({
      id: "broadcast.off",
      title: "End the broadcast",
      group: "Panes",
      leader: "o",
      enabled: () => control.store.getState().broadcast.size > 0,
      run: () => control.broadcastOff(),
    }),
  ];
}

const hasBlock = (app: App, control: WorkspaceControl) => () =>
  hasPane(app, control) && Boolean(control.store.getState().block[control.activePane?.id ?? ""]);

/** Actions on a command of the focused terminal: the one that was jumped to, otherwise the newest. */
function commandActions(app: App, control: WorkspaceControl): Action[] {
  const of = (id: string, title: string, run: (pane: string) => void | Promise<void>, words: string[]) =>
    action({
      id,
      title,
      words,
      group: "Panes",
      enabled: hasBlock(app, control),
      run: () => run(control.activePane?.id ?? ""),
    });
  return [
    of("command.select", "Select the output of the command", (id) => control.selectOutput(id), ["block"]),
    of("command.copy-output", "Copy the output of the command", (id) => control.copyBlock(id, "output"), ["block"]),
    of("command.copy", "Copy the command", (id) => control.copyBlock(id, "command"), ["block"]),
    of("command.again", "Type the command again", (id) => control.typeAgain(id), ["repeat", "rerun"]),
  ];
}

/** Actions for the focused terminal. */
function terminalActions(app: App, control: WorkspaceControl): Action[] {
  const terminal = () => hasPane(app, control) && control.activePane?.kind === "terminal";
  return [
    action({
      id: "prompt.up",
      title: "Previous command",
      group: "Panes",
      leader: "k",
      keys: ["Ctrl+Shift+ArrowUp"],
      enabled: terminal,
      run: () => control.prompt(-1),
    }),
    action({
      id: "prompt.down",
      title: "Next command",
      group: "Panes",
      leader: "j",
      keys: ["Ctrl+Shift+ArrowDown"],
      enabled: terminal,
      run: () => control.prompt(1),
    }),
    action({
      id: "pane.search",
      title: "Search in the terminal",
      words: ["find", "grep"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyF"],
      leader: "f",
      enabled: terminal,
      run: () => control.search(control.activePane?.id ?? ""),
    }),
    action({
      id: "pane.rename",
      title: "Rename the terminal",
      words: ["title", "name"],
      group: "Panes",
      leader: "r",
      enabled: terminal,
      run: () => control.rename(control.activePane?.id ?? ""),
    }),
    ...commandActions(app, control),
  ];
}

/** New goals from what the focused pane shows. */
function goalFromPaneActions(app: App, control: WorkspaceControl): Action[] {
  const active = (fits: (id: string) => boolean) => () =>
    hasPane(app, control) && control.activePane !== undefined && fits(control.activePane.id);
  return [
    action({
      id: "goal.make-pass",
      title: "Make the failed command pass",
      group: "Goals",
      keys: ["Ctrl+Shift+KeyM"],
      leader: "x",
      enabled: active((id) => (control.store.getState().failed[id] ?? "") !== ""),
      run: () => control.makePass(control.activePane?.id ?? ""),
    }),
    action({
      id: "goal.make-show",
      title: "Make this page show…",
      group: "Goals",
      enabled: active(() => /^(?:https?|file):/.test(control.activePane?.url ?? "")),
      run: () => control.makeShow(control.activePane?.id ?? ""),
    }),
  ];
}

/** Actions for the focused pane. */
function paneActions(app: App, control: WorkspaceControl): Action[] {
  const pane = () => hasPane(app, control);
  return [
    action({
      id: "pane.close",
      title: "Close the pane",
      words: ["quit", "exit", "kill"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyW"],
      leader: "w",
      enabled: pane,
      run: () => control.closeActive(),
    }),
    action({
      id: "pane.split",
      title: "Split the pane",
      words: ["divide", "tile"],
      group: "Panes",
      keys: ["Ctrl+Shift+KeyD"],
      leader: "d",
      enabled: pane,
      run: () => control.split(),
    }),
    action({
      id: "pane.split.right",
      title: "Split the pane to the right",
      group: "Panes",
      enabled: pane,
      run: () => control.split(undefined, "right"),
    }),
    action({
      id: "pane.split.down",
      title: "Split the pane downwards",
      group: "Panes",
      enabled: pane,
      run: () => control.split(undefined, "below"),
    }),
    action({
      id: "pane.zoom",
      title: "Zoom the pane",
      words: ["maximise", "maximize", "full screen"],
      group: "Panes",
      keys: ["Ctrl+Shift+Enter"],
      leader: "z",
      enabled: pane,
      run: () => control.zoom(),
    }),
  ];
}

/** Moving the focus. If a page can go back or forward, Alt with an arrow belongs to it; the leader still works. */
function focusActions(app: App, control: WorkspaceControl): Action[] {
  const pane = () => hasPane(app, control);
  const isBrowsers = (can: "can_back" | "can_forward") =>
    !app.state.leader &&
    control.activePane?.[can] === true &&
    document.activeElement?.closest("[data-testid=browser-keys]") != null;
  return [
    action({
      id: "pane.left",
      title: "Go to the pane on the left",
      group: "Panes",
      keys: ["Alt+ArrowLeft"],
      leader: "←",
      enabled: () => pane() && !isBrowsers("can_back"),
      run: () => control.focus("left"),
    }),
    action({
      id: "pane.right",
      title: "Go to the pane on the right",
      group: "Panes",
      keys: ["Alt+ArrowRight"],
      leader: "→",
      enabled: () => pane() && !isBrowsers("can_forward"),
      run: () => control.focus("right"),
    }),
    action({
      id: "pane.up",
      title: "Go to the pane above",
      group: "Panes",
      keys: ["Alt+ArrowUp"],
      leader: "↑",
      enabled: pane,
      run: () => control.focus("up"),
    }),
    action({
      id: "pane.down",
      title: "Go to the pane below",
      group: "Panes",
      keys: ["Alt+ArrowDown"],
      leader: "↓",
      enabled: pane,
      run: () => control.focus("down"),
    }),
  ];
}

/** The pages of the window. */
function windowActions(app: App): Action[] {
  return [
    action({
      id: "palette",
      title: "Commands",
      words: ["command palette", "search"],
      group: "Goalpost",
      keys: ["Ctrl+Shift+KeyP"],
      leader: "p",
      run: () => app.set({ paletteOpen: !app.state.paletteOpen }),
    }),
    action({
      id: "workspace",
      title: "Show the workspace",
      words: ["panes", "home"],
      group: "Goalpost",
      leader: "1",
      run: () => app.go("workspace"),
    }),
    action({
      id: "settings",
      title: "Settings",
      words: ["preferences", "options", "configuration"],
      group: "Goalpost",
      leader: "s",
      run: () => app.go("settings"),
    }),
    action({
      id: "settings.file",
      title: "Open settings.json",
      words: ["preferences", "configuration", "file", "JSON"],
      group: "Goalpost",
      run: () => app.panes.openSettingsFile(),
    }),
    action({
      id: "model.connect",
      title: "Connect a model",
      words: ["model", "provider", "API key", "Ollama", "OpenAI", "Anthropic", "LLM"],
      group: "Goalpost",
      run: () => app.providers.openConnect({ preset: "" }),
    }),
    action({
      id: "stop",
      title: "Stop everything and close the window",
      group: "Goalpost",
      enabled: () => app.bridge.window,
      run: () => app.stopEverything(),
    }),
    action({
      id: "help",
      title: "Help",
      words: ["documentation", "manual", "docs"],
      group: "Goalpost",
      keys: ["F1"],
      leader: "a",
      // Programs in terminals use F1; the letter after the leader works there.
      enabled: () => app.state.leader || !document.activeElement?.closest(".xterm"),
      run: () => openHelpHere(app),
    }),
    action({
      id: "welcome",
      title: "Welcome page",
      words: ["first start", "setup", "doctor", "this computer"],
      group: "Goalpost",
      run: () => app.go("welcome"),
    }),
  ];
}

/** The appearance of the window. */
function themeActions(app: App): Action[] {
  return [
    action({
      id: "theme.dark",
      title: "Dark theme",
      words: ["night", "mode", "colors"],
      group: "Appearance",
      run: () => void app.settings.save({ theme: "dark" }),
    }),
    action({
      id: "theme.light",
      title: "Light theme",
      words: ["day", "mode", "colors"],
      group: "Appearance",
      run: () => void app.settings.save({ theme: "light" }),
    }),
    action({
      id: "theme.system",
      title: "System theme",
      words: ["mode", "colors"],
      group: "Appearance",
      run: () => void app.settings.save({ theme: "system" }),
    }),
    action({
      id: "font.larger",
      title: "Larger terminal text",
      words: ["zoom in", "bigger", "increase"],
      group: "Appearance",
      run: () => void app.settings.save({ font_size: Math.min(32, (app.state.settings?.font_size ?? 13) + 1) }),
    }),
    action({
      id: "font.smaller",
      title: "Smaller terminal text",
      words: ["zoom out", "decrease"],
      group: "Appearance",
      run: () => void app.settings.save({ font_size: Math.max(8, (app.state.settings?.font_size ?? 13) - 1) }),
    }),
  ];
}

function showNeedsYou(app: App) {
  const first = firstGoal(app.state.goals.byId, ["needs_you"]);
  if (first) app.openGoal(first);
  else {
    app.go("goals");
    app.notices.done("No goal needs you");
  }
}
