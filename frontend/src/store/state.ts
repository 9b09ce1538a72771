import type {
  ApprovalView,
  ColorScheme,
  ResumeInput,
  DoctorFinding,
  FileProblem,
  FoundServer,
  GrantView,
  PresetView,
  Provider,
  Settings,
  TerminalProfile,
  GoalRequest,
} from "@/bridge/types";
import type { HelpTarget } from "@/lib/helppages";
import type { FolderInfo, Recheck } from "./folderactions";
import { emptyChatDraft, shownChat, type ChatDraft, type ChatProposal, type ShownChat } from "./chats";
import { emptyDetail, type DetailState } from "./goaldetail";
import { noGoals, type GoalsState } from "./goals";
import { noPanes, type PanesState } from "./panes";
import type { LaunchRow } from "./launch";
import type { Scheduling } from "./schedules";
import type { StreamedTexts } from "./streamedtext";

export type Route = "workspace" | "goals" | "schedules" | "settings" | "welcome";

/** The tabs of a goal, in their order. */
export const goalTabs = ["log", "changes", "checks", "replay", "transcript", "plots"] as const;

export type GoalTab = (typeof goalTabs)[number];

/** Their names; the keys 1, 2, … show them in this order. */
export const goalTabLabels: Record<GoalTab, string> = {
  log: "Activity",
  changes: "Changes",
  checks: "Checks",
  replay: "Replay",
  transcript: "Transcript",
  plots: "Plots",
};

/** A confirmation before an action. */
export interface ConfirmRequest {
  title: string;
  text: string;
  yes: string;
  danger: boolean;
  run: () => void | Promise<void>;
  /** An alternative action. */
  other?: { label: string; run: () => void | Promise<void> };
  /** Called if the user wants none of it. */
  cancel?: () => void;
}

/** What is tried before a goal starts. */
export interface StartingGoal {
  objective: string;
  /** The checks in words, and whether they were just tried in the dialog. */
  checks: readonly { words: string; isTried: boolean }[];
}

/** "": choose a preset; otherwise the id of a preset or of a saved provider. */
export type ConnectTarget = { preset: string } | { provider: string };

/** Whether the screen is current. */
export type ConnectionState = "connecting" | "open" | "down" | "login";

export interface AppState {
  /** The page is an exported file: it shows one goal, and there is no program behind it. */
  isExport: boolean;
  link: ConnectionState;
  goals: GoalsState;
  detail: DetailState;
  /** What models stream now. */
  streamed: StreamedTexts;
  /** The folder of the stopped goal that is shown; null: not compared yet. */
  folder: FolderInfo | null;
  /** The checks that the user ran again, by goal. */
  rechecks: Readonly<Record<string, Recheck>>;
  panes: PanesState;
  settings: Settings | null;
  /** What is wrong in settings.json. */
  settingsProblems: readonly FileProblem[];
  /** The color schemes of terminals, the built-in ones first. */
  colorSchemes: readonly ColorScheme[];
  terminalProfiles: readonly TerminalProfile[];
  providers: readonly Provider[];
  /** The presets, and the servers found on this computer; null: not loaded yet. */
  presets: readonly PresetView[];
  foundServers: readonly FoundServer[] | null;
  /** What the dialog for a model's connection was opened for. */
  connecting: ConnectTarget | null;
  findings: readonly DoctorFinding[];
  doctored: boolean;
  route: Route;
  /** The title of the page, section or row of the settings; "" for the first. A new one is marked and focused. */
  settingsAt: { title: string; isNew: boolean };
  /** The New goal dialog is open, filled with these fields if it was opened from something. */
  newGoal: {
    open: boolean;
    from: Partial<GoalRequest> | null;
    /** The schedule whose goal is changed; absent for a goal that is started. */
    schedule?: string;
  };
  /** The chat that the new goal is made from, which is attached to it; "" for none. */
  newGoalChat: string;
  /** The template that New goal is filled from; "" if none. */
  newGoalTemplate: string;
  /** The goal that is about to start, while its checks are tried; null for none. */
  starting: StartingGoal | null;
  /** The page that a goal is to change, while the user says what it should show; "" for none. */
  pageGoal: string;
  /** The line that the pane of a file is to show. */
  fileLine: { pane: string; line: number } | null;
  /** The goals that are selected for an action on several. */
  marked: readonly string[];
  paletteOpen: boolean;
  /** The version of the window's program, if the host process is of another one; else "". */
  updateWaits: string;
  steerOpen: boolean;
  /** The waiting requests, oldest first, and the grants. */
  approvals: readonly ApprovalView[];
  grants: readonly GrantView[];
  approvalsOpen: boolean;
  /** The request whose card gets the focus as soon as it is rendered; "" for none. */
  requestWanted: string;
  /**
   * The goal that could not continue because protected files changed, and how it continues after a
   * decision.
   */
  protectedChanged: {
    id: string;
    message: string;
    resume: (decision: Partial<ResumeInput>) => Promise<boolean>;
  } | null;
  leader: boolean;
  /** The settings wait for a key, which runs no command. */
  recordsKey: boolean;
  /** The servers' dialog is open. */
  servers: boolean;
  /** The dialog of the git worktrees of goals is open. */
  worktreesOpen: boolean;
  launchOpen: boolean;
  /** The goals of the Launch several dialog that have not started. */
  launchRows: LaunchRow[];
  /** The race whose dialog is open, by the id of one of its goals; "" if none is. */
  race: string;
  /** The goal beside its tab, and beside the user's panes: it opens there only when the user asks for it. */
  drawer: boolean;
  ownDrawer: boolean;
  /** The open page of the documents; null: none. */
  help: HelpTarget | null;
  question: ConfirmRequest | null;
  /** The step at which the activity of the selected goal begins; 0 is the newest. */
  shownStep: number;
  /** The file with which the changes of the selected goal begin; "" is the first. */
  shownFile: string;
  /** The tab of the selected goal. */
  goalTab: GoalTab;
  /** The goal whose replay begins with its summary; "" for none. */
  summaryOf: string;
  /** The goal that the user opened, as opposed to passing over it; a phone shows it, not the list. "" for none. */
  openedGoal: string;
  /** The pane that has the focus, `""` for none. */
  activePane: string;
  /** The workspace that this window shows; "": the one that the user acted in last. */
  workspace: string;
  /** The tab in it: "panes", a goal, or "" for the user's panes, or the newest goal if there are none. */
  paneTab: string;
  /** The dialog for a new workspace is open. */
  newWorkspace: boolean;
  /** The digest says what happened since this time (RFC 3339); "" if it is closed. */
  digestSince: string;
  /** Counts the changes of schedules and their runs. */
  schedulesRevision: number;
  /** The shown schedule, "" for the first one. */
  schedule: string;
  /** The times that the user chooses; null for none. */
  scheduling: Scheduling | null;
  /** The chat panel is open, in place of the selected goal. */
  chatOpen: boolean;
  /** Its width in pixels, 0 for the usual one. */
  chatWidth: number;
  chat: ShownChat;
  chatDraft: ChatDraft;
  /** The goal that the shown chat is turned into; null for none. */
  chatProposal: ChatProposal | null;
  /** Chats that are deleted as soon as nobody can undo it. */
  chatsHidden: readonly string[];
  /** The panel shows all chats. */
  chatList: boolean;
  /** Counts the wishes to write: each puts the cursor into the panel's field. */
  chatFocus: number;
}

export const initialState: AppState = {
  isExport: false,
  link: "connecting",
  goals: noGoals,
  detail: emptyDetail(""),
  streamed: {},
  folder: null,
  rechecks: {},
  panes: noPanes,
  settings: null,
  settingsProblems: [],
  colorSchemes: [],
  terminalProfiles: [],
  providers: [],
  presets: [],
  foundServers: null,
  connecting: null,
  findings: [],
  doctored: false,
  route: "workspace",
  settingsAt: { title: "", isNew: false },
  newGoal: { open: false, from: null },
  newGoalChat: "",
  newGoalTemplate: "",
  starting: null,
  pageGoal: "",
  fileLine: null,
  marked: [],
  paletteOpen: false,
  updateWaits: "",
  steerOpen: false,
  approvals: [],
  grants: [],
  approvalsOpen: false,
  requestWanted: "",
  protectedChanged: null,
  leader: false,
  recordsKey: false,
  servers: false,
  worktreesOpen: false,
  launchOpen: false,
  launchRows: [],
  race: "",
  drawer: true,
  ownDrawer: false,
  help: null,
  question: null,
  shownStep: 0,
  shownFile: "",
  goalTab: "log",
  summaryOf: "",
  openedGoal: "",
  activePane: "",
  workspace: "",
  paneTab: "",
  newWorkspace: false,
  digestSince: "",
  schedulesRevision: 0,
  schedule: "",
  scheduling: null,
  chatOpen: false,
  chatWidth: 0,
  chat: shownChat(""),
  chatDraft: emptyChatDraft,
  chatProposal: null,
  chatsHidden: [],
  chatList: false,
  chatFocus: 0,
};
