import type {
  ArgsOpenBrowser,
  ArgsOpenTerminal,
  Connection,
  EventPage,
  Finding,
  GoalList,
  GoalView,
  ListInput,
  PaneInfo,
  PaneList,
  ProposalView,
  Provider,
  PruneInput,
  PruneOutput,
  ReceiptView,
  ResumeInput,
  Settings,
  StartInput,
  StartOutput,
  StatusOutput,
  StepPage,
  StepView,
  TryInput,
  TryOutput,
} from "./types";

/** Every method that the page may call, as Go spells it: struct and method. */
export interface Methods {
  "GoalAPI.Start": (input: StartInput) => StartOutput;
  "GoalAPI.Try": (input: TryInput) => TryOutput;
  "GoalAPI.Get": (id: string) => GoalView;
  "GoalAPI.Status": (id: string) => StatusOutput;
  "GoalAPI.List": (input: ListInput) => GoalList;
  "GoalAPI.Steps": (id: string, after: number, limit: number) => StepPage;
  "GoalAPI.Step": (id: string, n: number) => StepView;
  "GoalAPI.Events": (id: string, after: number, limit: number) => EventPage;
  "GoalAPI.Output": (sha256: string) => string;
  "GoalAPI.Receipt": (id: string) => ReceiptView;
  "GoalAPI.Abort": (id: string) => boolean;
  "GoalAPI.Pause": (id: string) => boolean;
  "GoalAPI.Resume": (id: string, input: ResumeInput) => boolean;
  "GoalAPI.Reopen": (id: string, note: string) => boolean;
  "GoalAPI.Accept": (id: string) => boolean;
  "GoalAPI.Reject": (id: string, note: string) => boolean;
  "GoalAPI.Prunable": (input: PruneInput) => PruneOutput;
  "GoalAPI.Prune": (input: PruneInput) => PruneOutput;
  "GoalAPI.Proposal": (dir: string) => ProposalView;
  "GoalAPI.Steer": (id: string, text: string) => boolean;
  "GoalAPI.Delete": (id: string) => boolean;
  "GoalAPI.Demo": () => StartOutput;
  "TerminalAPI.Open": (args: ArgsOpenTerminal) => PaneInfo;
  "TerminalAPI.Close": (id: string) => boolean;
  "TerminalAPI.Rename": (id: string, title: string) => boolean;
  "TerminalAPI.Restart": (id: string) => PaneInfo;
  "BrowserAPI.Open": (args: ArgsOpenBrowser) => PaneInfo;
  "BrowserAPI.Close": (id: string) => boolean;
  "BrowserAPI.Navigate": (id: string, url: string) => boolean;
  "BrowserAPI.Back": (id: string) => boolean;
  "BrowserAPI.Forward": (id: string) => boolean;
  "BrowserAPI.Reload": (id: string) => boolean;
  "BrowserAPI.Stop": (id: string) => boolean;
  "WorkspaceAPI.Panes": () => PaneList;
  "WorkspaceAPI.Layout": () => string;
  "WorkspaceAPI.SaveLayout": (json: string) => boolean;
  "ModelAPI.List": () => Provider[] | null;
  "ModelAPI.Save": (provider: Provider) => boolean;
  "ModelAPI.Delete": (id: string) => boolean;
  "ModelAPI.Use": (id: string) => boolean;
  "ModelAPI.Test": (id: string) => Finding;
  "SettingsAPI.Get": () => Settings;
  "SettingsAPI.Save": (settings: Settings) => boolean;
  "SettingsAPI.Doctor": () => Finding[] | null;
  "SettingsAPI.Connect": () => Connection;
}

export type Method = keyof Methods;

/** Asks Go. Rejects with a `CallError` and nothing else. */
export type Call = <M extends Method>(method: M, ...args: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
