/** An engine that can drive a goal. */
export interface EngineView {
  id: string;
  name: string;
  default: boolean;
  /** "": it is not installed. */
  path: string;
  version: string;
  /** This version, with this version of Goalpost. */
  tested: boolean;
  note: string;
  /** The command that installs it; "": Goalpost's own loop. */
  install: string;
  licence: string;
  /** The keys and sign-ins that it needs, and who can read them. */
  credentials: string;
}

export interface EngineTest {
  ok: boolean;
  ms: number;
  stages: EngineStage[];
}

export interface EngineStage {
  name: string;
  ok: boolean;
  /** Why it failed. */
  detail: string;
}
