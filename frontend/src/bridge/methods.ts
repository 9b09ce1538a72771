import type {
  AnswerInput,
  ApprovalView,
  ArgsAnswer,
  ArgsOpenBrowser,
  ArgsOpenSSH,
  ArgsOpenTerminal,
  ArgsConnectSSH,
  ArgsDevTools,
  ArgsUpload,
  Bookmark,
  ChangesView,
  CommitInput,
  CommitOffer,
  CommitOutput,
  ConnectInput,
  ConnectOutput,
  Connection,
  ConnectionTest,
  EngineTest,
  EngineView,
  EventPage,
  FileDiff,
  Finding,
  FoundServer,
  FoundText,
  GoalList,
  GoalView,
  GrantView,
  ListInput,
  LoginInput,
  LoginView,
  PaneAnswer,
  PageLogins,
  PaneInfo,
  PaneList,
  PresetView,
  ProposalView,
  ProtectInput,
  ProtectedFile,
  ProtectedState,
  MCPServer,
  ModelView,
  NetworkView,
  Provider,
  PruneInput,
  PruneOutput,
  ReceiptView,
  RecheckOutput,
  RecordingPage,
  RecordingView,
  RemoteSession,
  ResumeInput,
  SSHServer,
  SecretInput,
  SecretPlace,
  SecretView,
  Settings,
  Site,
  SpendInput,
  SpendReport,
  SpendToday,
  SuggestInput,
  SuggestOutput,
  StartInput,
  StartOutput,
  StatusOutput,
  StepPage,
  StepView,
  TranscriptInput,
  TranscriptPage,
  TryInput,
  TryOutput,
  UndoInput,
  UndoOutput,
  Visit,
  WorktreeOffer,
  WorktreeRemoval,
  WorktreeView,
} from "./types";

/** All methods that the page may call, as Go spells them: struct and method. */
export interface Methods {
  "ChangesAPI.List": (id: string, paths: string[]) => ChangesView;
  "ChangesAPI.File": (id: string, path: string) => FileDiff;
  "ChangesAPI.Undo": (id: string, input: UndoInput) => UndoOutput;
  "ChangesAPI.Edit": (id: string, path: string) => PaneInfo;
  "ChangesAPI.CommitOffer": (id: string) => CommitOffer;
  "ChangesAPI.Commit": (id: string, input: CommitInput) => CommitOutput;
  "GoalAPI.Start": (input: StartInput) => StartOutput;
  "GoalAPI.Try": (input: TryInput) => TryOutput;
  "GoalAPI.Get": (id: string) => GoalView;
  "GoalAPI.Status": (id: string) => StatusOutput | null;
  "GoalAPI.List": (input: ListInput) => GoalList;
  "GoalAPI.Steps": (id: string, after: number, limit: number) => StepPage;
  "GoalAPI.Step": (id: string, n: number) => StepView;
  "GoalAPI.Events": (id: string, after: number, limit: number) => EventPage;
  "GoalAPI.Transcript": (id: string, input: TranscriptInput) => TranscriptPage;
  "GoalAPI.Network": (id: string) => NetworkView;
  "GoalAPI.Recording": (id: string) => RecordingView;
  "GoalAPI.Replay": (id: string, pane: string, after: number) => RecordingPage;
  "GoalAPI.ReplayAt": (id: string, pane: string, ms: number) => RecordingPage;
  "GoalAPI.Output": (sha256: string) => string;
  "GoalAPI.Receipt": (id: string) => ReceiptView;
  "GoalAPI.Abort": (id: string) => boolean;
  "GoalAPI.Pause": (id: string) => boolean;
  "GoalAPI.Resume": (id: string, input: ResumeInput) => boolean;
  "GoalAPI.Reopen": (id: string, input: ResumeInput) => boolean;
  "GoalAPI.Accept": (id: string) => boolean;
  "GoalAPI.Reject": (id: string, note: string) => boolean;
  "GoalAPI.Prunable": (input: PruneInput) => PruneOutput;
  "GoalAPI.Prune": (input: PruneInput) => PruneOutput;
  "GoalAPI.Suggest": (input: SuggestInput) => SuggestOutput;
  "GoalAPI.TrySuggested": (input: TryInput) => TryOutput;
  "GoalAPI.Proposal": (dir: string) => ProposalView;
  "GoalAPI.Protected": (input: ProtectInput) => ProtectedFile[] | null;
  "GoalAPI.ProtectedState": (id: string) => ProtectedState;
  "GoalAPI.Recheck": (id: string) => RecheckOutput;
  "GoalAPI.Steer": (id: string, text: string) => boolean;
  "GoalAPI.Delete": (id: string) => boolean;
  "GoalAPI.Demo": () => StartOutput;
  "ApprovalAPI.List": (goalId: string) => ApprovalView[] | null;
  "ApprovalAPI.Answer": (answers: AnswerInput[]) => boolean;
  "ApprovalAPI.Grants": (goalId: string) => GrantView[] | null;
  "ApprovalAPI.Revoke": (goalId: string, request: string) => boolean;
  "TerminalAPI.Open": (args: ArgsOpenTerminal) => PaneInfo;
  "TerminalAPI.Close": (id: string) => boolean;
  "TerminalAPI.Rename": (id: string, title: string) => boolean;
  "TerminalAPI.Restart": (id: string) => PaneInfo;
  "SSHAPI.List": () => SSHServer[] | null;
  "SSHAPI.Save": (server: SSHServer) => SSHServer;
  "SSHAPI.Delete": (id: string) => boolean;
  "SSHAPI.Sessions": (server: string) => RemoteSession[] | null;
  "SSHAPI.Open": (args: ArgsOpenSSH) => PaneInfo;
  "SSHAPI.ConfigHosts": () => string[] | null;
  "SSHAPI.Connect": (args: ArgsConnectSSH) => PaneInfo;
  "SSHAPI.Answer": (args: ArgsAnswer) => boolean;
  "SSHAPI.Destroy": (pane: string) => boolean;
  "BrowserAPI.Open": (args: ArgsOpenBrowser) => PaneInfo;
  "BrowserAPI.Close": (id: string) => boolean;
  "BrowserAPI.Navigate": (id: string, url: string) => boolean;
  "BrowserAPI.Back": (id: string) => boolean;
  "BrowserAPI.Forward": (id: string) => boolean;
  "BrowserAPI.Reload": (id: string) => boolean;
  "BrowserAPI.Stop": (id: string) => boolean;
  "BrowserAPI.Answer": (id: string, answer: PaneAnswer) => boolean;
  "BrowserAPI.TakeOver": (id: string) => boolean;
  "BrowserAPI.HandBack": (id: string) => boolean;
  "BrowserAPI.Find": (id: string, text: string, step: number) => FoundText;
  "BrowserAPI.DevTools": (id: string, options: ArgsDevTools) => PaneInfo;
  "BrowserAPI.Zoom": (id: string, percent: number) => boolean;
  "BrowserAPI.Print": (id: string) => string;
  "BrowserAPI.Save": (id: string, url: string) => boolean;
  "BrowserAPI.CancelDownload": (id: string, download: string) => boolean;
  "BrowserAPI.OpenDownload": (id: string, download: string, folder: boolean) => boolean;
  "BrowserAPI.Upload": (piece: ArgsUpload) => string;
  "BrowserAPI.Profiles": () => string[] | null;
  "BrowserAPI.DeleteProfile": (name: string) => boolean;
  "BrowserAPI.RenameProfile": (name: string, to: string) => boolean;
  "BrowserAPI.ImportCookies": (id: string, file: string) => number;
  "BrowserAPI.Logins": (id: string) => PageLogins;
  "BrowserAPI.Enter": (id: string, text: string) => boolean;
  "BrowserAPI.Site": (id: string) => Site;
  "BrowserAPI.SetPermission": (id: string, origin: string, name: string, state: string) => boolean;
  "BrowserAPI.ClearSite": (id: string, origin: string) => boolean;
  "BrowserAPI.FillLogin": (id: string, user: string) => boolean;
  "BrowserAPI.Bookmarks": () => Bookmark[] | null;
  "BrowserAPI.SetBookmark": (url: string, title: string, on: boolean) => boolean;
  "BrowserAPI.History": (words: string, limit: number) => Visit[] | null;
  "BrowserAPI.ClearHistory": (url: string) => boolean;
  "WorkspaceAPI.Panes": () => PaneList;
  "WorkspaceAPI.Layout": () => string;
  "WorkspaceAPI.SaveLayout": (json: string) => boolean;
  "MCPAPI.List": () => MCPServer[] | null;
  "MCPAPI.Save": (server: MCPServer) => boolean;
  "MCPAPI.Delete": (name: string) => boolean;
  "MCPAPI.Test": (name: string) => MCPServer;
  "ModelAPI.List": () => Provider[] | null;
  "ModelAPI.Save": (provider: Provider) => boolean;
  "ModelAPI.Delete": (id: string) => boolean;
  "ModelAPI.Use": (id: string) => boolean;
  "ModelAPI.Test": (id: string) => Finding;
  "ModelAPI.Presets": () => PresetView[] | null;
  "ModelAPI.Discover": () => FoundServer[] | null;
  "ModelAPI.Try": (input: ConnectInput) => ConnectionTest;
  "ModelAPI.Connect": (input: ConnectInput) => ConnectOutput;
  "ModelAPI.Models": (id: string) => ModelView[] | null;
  "SecretAPI.Where": () => SecretPlace;
  "SecretAPI.List": () => SecretView[] | null;
  "SecretAPI.Set": (input: SecretInput) => string;
  "SecretAPI.Remove": (name: string) => boolean;
  "SecretAPI.Unlock": (passphrase: string) => boolean;
  "SecretAPI.Protect": (passphrase: string) => boolean;
  "SecretAPI.Logins": () => LoginView[] | null;
  "SecretAPI.SaveLogin": (input: LoginInput) => boolean;
  "SecretAPI.RemoveLogin": (origin: string, user: string) => boolean;
  "EngineAPI.List": () => EngineView[];
  "EngineAPI.Use": (id: string) => boolean;
  "EngineAPI.Test": (id: string) => EngineTest;
  "WorktreeAPI.Offer": (dir: string, objective: string) => WorktreeOffer;
  "WorktreeAPI.List": () => WorktreeView[];
  "WorktreeAPI.Remove": (which: string, force: boolean) => WorktreeRemoval;
  "SpendAPI.Today": () => SpendToday;
  "SpendAPI.Report": (input: SpendInput) => SpendReport;
  "SettingsAPI.Get": () => Settings;
  "SettingsAPI.Save": (settings: Settings) => boolean;
  "SettingsAPI.Doctor": () => Finding[] | null;
  "SettingsAPI.Connect": () => Connection;
}

export type Method = keyof Methods;

/** Calls Go. Rejects only with a `CallError`. */
export type Call = <M extends Method>(method: M, ...args: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
