// The shapes of Go's JSON, under the names of the Go structs and their tags.

export type Risk = "read_only" | "write_local" | "network_get" | "network_write" | "spends_money";
export type Status = "pending" | "running" | "paused" | "completed" | "failed" | "aborted";
export type Exit =
  | ""
  | "done"
  | "limit_reached"
  | "error"
  | "stuck"
  | "needs_operator"
  | "parked"
  | "user_paused"
  | "interrupted"
  | "user_aborted"
  | "gave_up";
export type CheckOutcome =
  "" | "pass" | "fail" | "error" | "tampered" | "passes_already" | "fails_now" | "cannot_run" | "not_repeatable";
export type CriticVerdict = "PROGRESSING" | "STUCK" | "ACHIEVED" | "MISLED" | "unparsed";
export type StepOutcome = "" | "ok" | "failed" | "denied" | "in_doubt";

export interface Problem {
  code: string;
  message: string;
  hint: string;
  field: string;
}

export type CheckType = "shell" | "http" | "file" | "json_predicate" | "visual" | "model_question" | "manual";

export interface Check {
  type: CheckType;
  timeout_ms?: number;
  command?: string;
  exit_code?: number;
  dir?: string;
  where?: string;
  url?: string;
  method?: string;
  status?: number;
  body_contains?: string;
  predicate?: string;
  path?: string;
  absent?: boolean;
  min_size?: number;
  sha256?: string;
  matches?: string;
  expr?: string;
  from?: "" | "claim" | "file" | "command" | "url";
  question?: string;
  threshold?: "" | "yes" | "high_confidence";
  pane?: string;
  note?: string;
  wait?: boolean;
}

export interface Usage {
  tokens_in: number;
  tokens_out: number;
  usd: number;
}

export interface Todo {
  text: string;
  done: boolean;
}

export interface Verdict {
  check: number;
  check_type?: CheckType;
  name: string;
  outcome: CheckOutcome;
  detail: string;
  tail?: string;
  reply?: string;
  evidence?: string;
  bytes?: number;
  exit_code: number;
  tries?: number;
  tests?: number;
  fewer?: number;
  usage?: Usage;
  ms: number;
}

export interface Policy {
  risk: Risk;
  dir: string;
  allow_tools?: string[];
  deny_tools?: string[];
  allow_hosts?: string[];
  deny_hosts?: string[];
  allow_local?: number[];
  allow_write?: string[];
  allow_read?: string[];
  allow_socket?: string[];
  unconfined?: boolean;
  require_steps?: boolean;
  secrets?: string[];
}

/** How a goal is looked after: frozen with its criterion. */
export interface Options {
  persona?: string;
  /** How much the model thinks, in its protocol's word; left out: the provider's own. */
  effort?: string;
  critic_every?: number;
  critic_provider?: string;
  judge_provider?: string;
  review?: "" | "always" | "never";
  after?: string[];
  panes?: string[];
  protect?: string[];
  no_protect?: string[];
  on_ask?: string;
  allow_passing?: boolean;
  allow_missing?: boolean;
  /** The goal whose agent started this one. */
  parent?: string;
  /** An agent outside of this program made it, over MCP. */
  outside?: boolean;
}

export interface StartInput {
  objective: string;
  checks: Check[];
  any: boolean;
  risk: Risk | "";
  dir: string;
  provider: string;
  model: string;
  wall_clock_ms: number;
  iterations: number;
  claims_per_gate: number;
  tokens: number;
  usd: number;
  allow_tools: string[];
  deny_tools: string[];
  allow_hosts: string[];
  deny_hosts: string[];
  allow_local: number[];
  allow_write: string[];
  allow_read: string[];
  allow_socket: string[];
  secrets: string[];
  unconfined: boolean;
  allow_passing: boolean;
  allow_missing: boolean;
  require_steps: boolean;
  effort: string;
  persona: string;
  critic_every: number;
  critic_provider: string;
  judge_provider: string;
  review: "" | "always" | "never";
  after: string[];
  panes: string[];
  protect: string[];
  no_protect: string[];
  on_ask: string;
}

/** A limit of 0 stays as it is, -1 is none. */
export interface ResumeInput {
  note: string;
  wall_clock_ms: number;
  iterations: number;
  claims_per_gate: number;
  tokens: number;
  usd: number;
}

export interface PruneInput {
  status: "" | "completed" | "failed" | "aborted";
  older_than_ms: number;
}

export interface PruneOutput {
  goals: number;
}

export interface ProtectInput {
  dir: string;
  checks: Check[];
  protect: string[];
  no_protect: string[];
}

/** A file that decides and that the agent must not change. */
export interface ProtectedFile {
  path: string;
  kind: "held" | "compared" | "appears";
  part: string;
  why: string;
}

export interface RecheckOutput {
  verdicts: Verdict[] | null;
  passed: boolean;
  open: boolean;
  faults: string[] | null;
}

/** What a folder's .goalpost/done.yaml proposes. */
export interface ProposalView {
  path: string;
  text: string;
  checks: Check[] | null;
  any: boolean;
  words: string;
  /** Which its checks could then contact. */
  hosts: string[] | null;
}

export interface StartOutput {
  goal_id: string;
}

export interface StatusOutput {
  status: Status;
  exit: Exit;
  step: number;
  last_step: string;
}

export interface GoalCard {
  id: string;
  objective: string;
  status: Status;
  exit: Exit;
  reason: string;
  verified: boolean;
  judged: boolean;
  scripted: boolean;
  created_at: string;
  started_at: string;
  ended_at: string;
  spent_ms: number;
  steps: number;
  iterations: number;
  checks_passed: number;
  checks: number;
  tokens_in: number;
  tokens_out: number;
  usd: number;
  parked_until: string;
  /** The process that runs it or waits with it, 0 when there is none; elsewhere: not this one. */
  pid: number;
  elsewhere: boolean;
  seq: number;
  activity: number[] | null;
}

export interface CheckState {
  type: string;
  name: string;
  words: string;
  outcome: CheckOutcome;
  detail: string;
  tail: string;
  ms: number;
  claim: number;
}

export interface Mark {
  at_ms: number;
  what: string;
  detail: string;
  claim: number;
  step: number;
}

export interface GoalView extends GoalCard {
  criterion_sha256: string;
  any: boolean;
  check_states: CheckState[] | null;
  policy: Policy;
  provider: string;
  model: string;
  wall_clock_ms: number;
  max_iterations: number;
  max_claims: number;
  max_tokens: number;
  max_usd: number;
  report: string[] | null;
  account: string;
  criterion: Check[] | null;
  options: Options;
  reviewed: boolean;
  waits: boolean;
  /** Where the person is to do what the agent asked for, "" if nowhere. */
  asked_pane: string;
  todos: Todo[] | null;
  panes: string[] | null;
  marks: Mark[] | null;
}

export interface StepRow {
  n: number;
  at_ms: number;
  tool: string;
  arguments: string;
  outcome: StepOutcome;
  ms: number;
  preview: string;
  image_sha256: string;
  effect: string;
}

export interface StepView extends StepRow {
  result: string;
  image: string;
}

export interface StepPage {
  steps: StepRow[] | null;
  total: number;
  seq: number;
}

export interface ListInput {
  status: string;
  search: string;
  limit: number;
  offset: number;
  resumable: boolean;
}

export interface GoalList {
  goals: GoalCard[] | null;
  total: number;
  counts: Record<string, number> | null;
}

export interface EventPage {
  events: GoalEvent[] | null;
  more: boolean;
}

export interface TryInput {
  check: Check;
  dir: string;
  risk: Risk | "";
  allow_hosts: string[];
  deny_hosts: string[];
  allow_local: number[];
  allow_write: string[];
  allow_read: string[];
  allow_socket: string[];
  unconfined: boolean;
}

export interface TryOutput {
  outcome: CheckOutcome;
  detail: string;
  output: string;
  exit_code: number;
  ms: number;
}

export interface ReceiptClaim {
  n: number;
  at: string;
  by: string;
  rationale: string;
  result: string;
  deciding: boolean;
  verdicts: Verdict[] | null;
  review: "" | "confirmed" | "rejected" | "error";
  review_reason: string;
}

export interface ReceiptView {
  goal_id: string;
  objective: string;
  criterion: string;
  criterion_sha256: string;
  policy_sha256: string;
  status: Status;
  exit: Exit;
  verified: boolean;
  judged: boolean;
  reviewed: boolean;
  model: string;
  effort: string;
  scripted: boolean;
  report: string[] | null;
  claims: ReceiptClaim[] | null;
}

export interface ArgsOpenTerminal {
  dir: string;
  cols: number;
  rows: number;
}

export interface ArgsOpenBrowser {
  url: string;
  width: number;
  height: number;
  /** "" is the person's own, "temporary" keeps nothing. */
  profile: string;
}

export interface PaneInfo {
  id: string;
  kind: "terminal" | "browser";
  title: string;
  goal_id: string;
  /** It is the person's own, and lent to that goal. */
  lent: boolean;
  dir: string;
  cwd: string;
  server: string;
  session: string;
  ask: string;
  secret: boolean;
  running: boolean;
  exit: number;
  url: string;
  loading: boolean;
  can_back: boolean;
  can_forward: boolean;
  problem: string;
  notice: string;
  driver: "" | "person" | "agent";
  profile: string;
  acting: string;
  x: number;
  y: number;
}

/** A machine that terminals are opened on, with the system's ssh. */
export interface SSHServer {
  id: string;
  name: string;
  host: string;
  port: number;
  user: string;
  key_path: string;
  jump: string;
  folder: string;
  tmux: boolean;
}

export interface ArgsOpenSSH {
  server: string;
  session: string;
  cols: number;
  rows: number;
}

/** What the person says to a question of ssh; without `ok` she does not want to. */
export interface ArgsAnswer {
  pane: string;
  ask: string;
  text: string;
  ok: boolean;
}

/** A session of tmux on a server. */
export interface RemoteSession {
  name: string;
  created: string;
  attached: number;
  windows: number;
}

export interface PaneInput {
  kind: "move" | "down" | "up" | "wheel" | "keydown" | "keyup" | "text" | "compose" | "touch";
  x: number;
  y: number;
  button: "left" | "middle" | "right" | "none";
  buttons: number;
  clicks: number;
  dx: number;
  dy: number;
  key: string;
  code: string;
  key_code: number;
  text: string;
  modifiers: number;
  repeat: boolean;
  points: readonly PanePoint[];
}

export interface PanePoint {
  id: number;
  x: number;
  y: number;
}

/** What the app draws over a page's picture, because Chromium without a window draws none of it. */
export interface PaneOverlay {
  cursor: string;
  zoom: number;
  questions: PaneQuestion[];
  downloads: PaneDownload[];
  copied: PaneCopied;
}

export interface PaneCopied {
  n: number;
  text: string;
}

export type QuestionKind =
  | "alert"
  | "confirm"
  | "prompt"
  | "leave"
  | "permission"
  | "login"
  | "certificate"
  | "files"
  | "choose"
  | "suggest"
  | "pick"
  | "menu"
  | "save_login";

export interface PaneQuestion {
  id: number;
  kind: QuestionKind;
  origin: string;
  text: string;
  value: string;
  type: string;
  min: string;
  max: string;
  options: PaneOption[];
  multiple: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
  link: string;
  image: string;
  selected: string;
  editable: boolean;
  no_answer: boolean;
}

export interface PaneOption {
  label: string;
  group: string;
  disabled: boolean;
  selected: boolean;
}

export interface PaneAnswer {
  id: number;
  yes: boolean;
  text: string;
  user: string;
  password: string;
  index: number;
  files: readonly string[];
}

export interface PaneDownload {
  id: string;
  name: string;
  url: string;
  path: string;
  state: "downloading" | "downloaded" | "canceled";
  received: number;
  total: number;
}

export interface ArgsUpload {
  name: string;
  path: string;
  data: string;
}

export interface Bookmark {
  url: string;
  title: string;
  added_at: string;
}

/** The saved logins of the origin that a page has. */
export interface PageLogins {
  origin: string;
  users: string[] | null;
}

export interface Visit {
  url: string;
  title: string;
  visited_at: string;
  times: number;
}

/** Where a page is from. */
export interface Site {
  origin: string;
  came: "proven" | "unproven" | "open" | "here" | "none";
  certificate: SiteCertificate | null;
  permissions: SitePermission[];
  cookies: number;
}

export interface SiteCertificate {
  subject: string;
  issuer: string;
  from: string;
  to: string;
  protocol: string;
  fault: string;
}

export interface SitePermission {
  name: string;
  state: "ask" | "allow" | "block";
}

export interface FoundText {
  index: number;
  count: number;
}

export interface PaneList {
  rev: number;
  panes: PaneInfo[] | null;
}

export interface Provider {
  id: string;
  kind: string;
  base_url: string;
  model: string;
  api_key_env: string;
  api_key_secret: string;
  context_window: number;
  active: boolean;
  scripted: boolean;
  ready: boolean;
  note: string;
  /** The words of its protocol for how much a model thinks. */
  efforts: string[] | null;
}

export interface MCPServer {
  name: string;
  command: string;
  args: string[] | null;
  env: string[] | null;
  url: string;
  headers: string[] | null;
  risk: string;
  timeout_seconds: number;
  off: boolean;
  title: string;
  listed_at: string;
  tools: MCPTool[] | null;
}

export interface MCPTool {
  name: string;
  description: string;
  risk: string;
}

export interface Finding {
  id: string;
  state: "ok" | "warn" | "bad";
  title: string;
  detail: string;
  hint: string;
}

export interface SecretPlace {
  place: "keyring" | "file";
  detail: string;
  locked: boolean;
  passphrase: boolean;
}

/** A secret without its value. */
export interface SecretView {
  name: string;
  place: string;
  hosts: string[] | null;
  added: string;
}

/** A saved login without its password. */
export interface LoginView {
  origin: string;
  user: string;
}

export interface SecretInput {
  name: string;
  value: string;
  hosts: string[];
}

export interface LoginInput {
  origin: string;
  user: string;
  password: string;
}

export interface Settings {
  theme: "system" | "dark" | "light";
  font_size: number;
  scrollback: number;
  font_family: string;
  webgl: boolean;
  screen_reader: boolean;
  welcomed: boolean;
  approval_minutes: number;
  secrets_in_file: boolean;
  notifications: boolean;
  /** 0: the usual three. */
  goals_at_once: number;
  /** 0: until the person deletes them. */
  keep_days: number;
  /** After done; 0: not at all. */
  linger_minutes: number;
  /** MiB; 0: three quarters of the machine's. */
  goal_memory: number;
  /** "": the usual place. */
  work_dir: string;
  /** "": a blank page. */
  home_page: string;
  search_page: string;
}

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
}

export interface AnswerInput {
  goal_id: string;
  request: string;
  allow: boolean;
  scope: Scope;
  why: string;
}

export interface Connection {
  url: string;
  token: string;
  version: string;
  os: string;
  data_dir: string;
  work_dir: string;
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

/** What of a goal's panes was recorded. */
export interface RecordingView {
  panes: RecordedPane[] | null;
}

/** One pane of a recording; times are milliseconds since the goal started. */
export interface RecordedPane {
  pane: string;
  kind: "terminal" | "browser";
  from_ms: number;
  to_ms: number;
  records: number;
  bytes: number;
}

/** A part of what one pane showed; with `more` it goes on after the last record's n. */
export interface RecordingPage {
  records: RecordView[] | null;
  more: boolean;
}

/** Bytes of a terminal or a JPEG of a page, in base64. */
export interface RecordView {
  n: number;
  at_ms: number;
  /** Columns and rows, or CSS pixels. */
  width: number;
  height: number;
  data: string;
}

/** The bodies of a goal's events, by type. */
interface Bodies {
  created: {
    objective: string;
    criterion: string;
    dir: string;
    risk: Risk;
    provider: string;
    model: string;
    effort?: string;
    scripted: boolean;
  };
  queued: { reason: string };
  started: object;
  reopened: { note: string };
  limits_changed: { wall_clock_ms: number; iterations: number; claims_per_gate: number; tokens: number; usd: number };
  iteration: { n: number };
  message: { message: { role: string; text: string } };
  step_started: { step_id: number; tool: string; arguments: string; effect: { risk?: string; control?: boolean } };
  step: { step_id: number; tool: string; outcome: StepOutcome; ms: number; preview: string; image_sha256?: string };
  todos: { items: Todo[] | null };
  critic: { verdict: CriticVerdict; reason: string; reply?: string; step: number };
  approval_requested: { request: string; step_id: number; tool: string; arguments: string; why: string };
  approval_resolved: { request: string; allowed: boolean; why?: string; by: string };
  grant_ended: { request: string; why: string };
  claim: { n: number; rationale: string; result?: string; by?: string };
  review: { claim: number; confirmed: boolean; reason: string; reply?: string; error?: boolean; usage?: Usage };
  verdict: Verdict & { claim: number };
  verification_failed: { claim: number; detail: string };
  usage: Usage & { by?: string };
  steered: { text: string; from?: string };
  lease: { pane: string; kind: PaneInfo["kind"]; held: boolean; lent?: boolean };
  warning: { what: string; text: string };
  paused: { exit: Exit; reason: string; report: string[] | null; account?: string; until?: string; pane?: string };
  resumed: { note?: string };
  ended: { status: Status; exit: Exit; verified: boolean; judged?: boolean; report: string[] | null; account?: string };
  delta: { text: string };
  egress: {
    from: string;
    method: string;
    host: string;
    port?: string;
    allowed: boolean;
    more?: boolean;
    times?: number;
  };
}

interface Head {
  goal_id: string;
  run_id?: string;
  /** Absent on events that are not in the journal. */
  seq?: number;
  at: string;
}

/** One flat object for each event of a goal. */
export type GoalEvent = { [K in keyof Bodies]: Head & { type: K } & Bodies[K] }[keyof Bodies];

export interface PaneEvent {
  type: "pane";
  at: string;
  rev: number;
  pane: PaneInfo;
  closed: boolean;
  /** The agent wants the person to see it. */
  focus?: boolean;
}
