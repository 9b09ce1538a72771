// Approvals, grants and network requests.
import type { Risk, Status } from "./common";

export type Scope = "once" | "host" | "command" | "path" | "pane" | "secret" | "reach" | "goal";

export interface OfferView {
  scope: Scope;
  covers: string;
}

export interface ApprovalView {
  goal_id: string;
  objective: string;
  status: Status;
  request: string;
  at: string;
  step: number;
  tool: string;
  arguments: string;
  risk: Risk;
  hosts: string[] | null;
  paths: string[] | null;
  show: string;
  why: string;
  always: boolean;
  offers: OfferView[] | null;
  given: "" | "approve" | "deny";
}

export interface GrantView {
  goal_id: string;
  request: string;
  scope: Scope;
  covers: string;
  /** Programs may have it open: revoking it ends those of the goal's agent. */
  held: boolean;
}

export interface AnswerInput {
  goal_id: string;
  request: string;
  allow: boolean;
  scope: Scope;
  why: string;
}

export interface NetworkView {
  hosts: NetworkHost[] | null;
  refused: number;
  total: number;
}

export interface NetworkHost {
  host: string;
  own: boolean;
  allowed: boolean;
  methods: string[] | null;
  from: string[] | null;
  count: number;
  in: number;
  out: number;
  reason: string;
  last_at: string;
}
