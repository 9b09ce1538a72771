// Providers, MCP servers, secrets, settings, and how this program is reached.

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
  /** 0: until the user deletes them. */
  keep_days: number;
  /** After done; 0: not at all. */
  turn_minutes: number;
  linger_minutes: number;
  /** MiB; 0: three quarters of the machine's. */
  goal_memory: number;
  /** Folders that goals see besides the usual ones, separated as in PATH. */
  toolchains: string;
  /** "": the usual place. */
  work_dir: string;
  /** "": a blank page. */
  home_page: string;
  search_page: string;
}

export interface Connection {
  url: string;
  token: string;
  version: string;
  os: string;
  data_dir: string;
  work_dir: string;
}
