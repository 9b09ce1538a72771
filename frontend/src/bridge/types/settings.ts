// Providers, MCP servers, secrets, settings, and the state of this program.

export interface Problem {
  code: string;
  message: string;
  hint: string;
  field: string;
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
  /** The protocol's values for how much a model thinks. */
  efforts: string[] | null;
  preset: string;
  /** USD per million tokens, as the user entered them; 0: the published price. */
  input_price: number;
  output_price: number;
  /** Limits of money are enforced. */
  has_price: boolean;
  tested_at: string;
  latency_ms: number;
  models: number;
}

/** A known way to reach models. */
export interface PresetView {
  id: string;
  name: string;
  kind: string;
  /** "": the user must enter it. */
  base_url: string;
  /** Where users get a key; "": no key is needed. */
  key_page: string;
  key_variable: string;
  /** The variable is set in the program's environment. */
  has_key: boolean;
  local: boolean;
}

/** A model server that answers on this computer. */
export interface FoundServer {
  preset: string;
  name: string;
  base_url: string;
  models: string[] | null;
}

/** A connection to test or to save; empty fields come from the provider or the preset. */
export interface ConnectInput {
  id: string;
  preset: string;
  kind: string;
  base_url: string;
  model: string;
  key: string;
  key_env: string;
  key_secret: string;
  context_window: number;
  input_price: number;
  output_price: number;
  use: boolean;
  untested: boolean;
  new: boolean;
}

export interface ConnectionTest {
  ok: boolean;
  step: string;
  message: string;
  hint: string;
  response: string;
  status: number;
  latency_ms: number;
  steps: TestStep[] | null;
  models: ModelView[] | null;
  model: string;
  notes: string[] | null;
}

export interface TestStep {
  id: string;
  state: "ok" | "warn" | "bad";
  detail: string;
}

/** Prices are in USD per million tokens; 0 is unknown. */
export interface ModelView {
  id: string;
  context_window: number;
  window_from: "user" | "server" | "catalog" | "assumed";
  input_price: number;
  output_price: number;
  cached_price: number;
  free: boolean;
  images: "yes" | "no" | "";
  tools: "yes" | "no" | "";
  reasoning: "yes" | "no" | "";
  recommended: boolean;
  other: boolean;
}

export interface ConnectOutput {
  saved: boolean;
  id: string;
  place: string;
  test: ConnectionTest;
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
  /** For experts and bug reports. */
  facts?: string;
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
  /** 0: until the user deletes them. */
  keep_days: number;
  turn_minutes: number;
  /** After done; 0: no grace period. */
  grace_minutes: number;
  /** MiB; 0: three quarters of the machine's. */
  goal_memory: number;
  /** Daily limit of all goals together in USD; 0: no limit. */
  daily_limit_usd: number;
  /** Additional folders that goals can read, separated as in PATH. */
  toolchains: string;
  /** "": the usual place. */
  work_dir: string;
  /** "": a blank page. */
  home_page: string;
  search_page: string;
  /** HTTPS address of the release feed; "": no check for updates. */
  update_feed: string;
  /** searxng, brave, tavily; "": none. */
  web_search: string;
  /** "": the usual one. */
  web_search_address: string;
  /** Name of the secret with the key. */
  web_search_secret: string;
}

export interface Connection {
  url: string;
  token: string;
  version: string;
  os: string;
  data_dir: string;
  work_dir: string;
}
