// Panes: terminals, pages, and the servers that terminals are opened on.

export interface ArgsOpenTerminal {
  dir: string;
  cols: number;
  rows: number;
}

export interface ArgsOpenBrowser {
  url: string;
  width: number;
  height: number;
  /** "" is the user's own profile; "temporary" stores nothing. */
  profile: string;
}

export interface PaneInfo {
  id: string;
  kind: "terminal" | "browser";
  title: string;
  goal_id: string;
  /** It is the user's own pane, shared with that goal. */
  shared: boolean;
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
  driver: "" | "user" | "agent";
  profile: string;
  /** The pane whose page these developer tools inspect, "" for other panes. */
  inspects: string;
  acting: string;
  x: number;
  y: number;
}

/** A machine on which terminals can be opened, with the system's ssh. */
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

/** The user's answer to a question of ssh; without `ok` the user declined. */
export interface ArgsAnswer {
  pane: string;
  ask: string;
  text: string;
  ok: boolean;
}

/** A tmux session on a server. */
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

/** The overlays that the app draws over a page's picture, because headless Chromium draws none of them. */
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

export interface ArgsConnectSSH {
  /** host, user@host or user@host:port */
  target: string;
  cols: number;
  rows: number;
}

/** A point in a page, in CSS pixels of its viewport. */
export interface PagePoint {
  x: number;
  y: number;
}

export interface ArgsDevTools {
  /** The point of the element to show first, null for the console. */
  element: PagePoint | null;
  dark: boolean;
  width: number;
  height: number;
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

/** The saved logins for a page's origin. */
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

/** The site of a page. */
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

export interface PaneEvent {
  type: "pane";
  at: string;
  rev: number;
  pane: PaneInfo;
  closed: boolean;
  /** The agent asked to show it to the user. */
  focus?: boolean;
}
