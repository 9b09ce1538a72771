import { clip, oneLine, parseArguments, stripControl } from "@/lib/text";

/** The category of a call, which chooses its icon and which the activity can be filtered by. */
export type CallKind =
  "read" | "edit" | "run" | "page" | "click" | "look" | "plan" | "claim" | "ask" | "goal" | "other";

/** The categories as the filter names them. */
export const kindLabels: Record<CallKind, string> = {
  read: "Files read",
  edit: "Files changed",
  run: "Commands",
  page: "Pages",
  click: "Clicks and keys",
  look: "Looks",
  plan: "Plan and notes",
  claim: "Claims",
  ask: "Questions",
  goal: "Other goals",
  other: "Other tools",
};

/** One call in words, such as `Edited cart.go +12 −3`. */
export interface CallWords {
  kind: CallKind;
  verb: string;
  object: string;
  /** The object is a command or code and uses the code font. */
  code: boolean;
  /** Lines added and removed by an edit, if they are known. */
  added?: number;
  removed?: number;
}

interface Call {
  tool: string;
  arguments: string;
  outcome: string;
}

type Args = Record<string, unknown>;
type Describe = (args: Args) => string;

const text = (key: string) => (args: Args) => (typeof args[key] === "string" ? args[key] : "");
const fileName = (path: string) => path.replace(/\/+$/, "").split("/").pop() ?? "";
const fileOf: Describe = (args) => fileName(text("path")(args));
const quoted = (key: string) => (args: Args) => {
  const value = clip(oneLine(text(key)(args)), 60);
  return value ? `“${value}”` : "";
};
const address: Describe = (args) => shortAddress(text("url")(args));
const none: Describe = () => "";

/** The first of several files, and how many others there are. */
const filesOf = (key: string) => (args: Args) => {
  const list = Array.isArray(args[key]) ? args[key].filter((f): f is string => typeof f === "string") : [];
  const [first, ...others] = list.map(fileName);
  return others.length > 0 ? `${first} and ${others.length} more` : first || "files";
};

/** Elements have numbers such as e14, selectors or points in an agent's view of a page; users do not know them. */
const reference = /^(?:e\d+$|css=|at=)/;

/** The element of a page, if the agent named it by what the user sees. */
const element = (key: string) => (args: Args) => {
  const target = text(key)(args);
  return reference.test(target) ? "an element" : quoted(key)(args);
};

/** What a wait ends with: what the agent says, else what it looks at. */
const condition: Describe = (args) => clip(oneLine(text("for")(args) || text("command")(args) || address(args)), 80);

type Tool = [kind: CallKind, verb: string, doing: string, did: string, object: Describe, code?: true];

/** Every tool: its verb as an order, in the present and in the past, and its object. A test compares it with docs/tools.md. */
const tools: Record<string, Tool> = {
  run_command: ["run", "Run", "Running", "Ran", text("command"), true],
  terminal_run: ["run", "Run", "Running", "Ran", text("command"), true],
  terminal_open: ["run", "Open a terminal", "Opening a terminal", "Opened a terminal", none],
  terminal_type: ["run", "Type", "Typing", "Typed", quoted("text")],
  terminal_keys: [
    "run",
    "Press keys in the terminal",
    "Pressing keys in the terminal",
    "Pressed keys in the terminal",
    none,
  ],
  terminal_read: ["look", "Read the terminal", "Reading the terminal", "Read the terminal", none],
  terminal_wait: ["look", "Wait for the terminal", "Waiting for the terminal", "Waited for the terminal", none],
  read_file: ["read", "Read", "Reading", "Read", fileOf],
  list_files: ["read", "List", "Listing", "Listed", (a) => text("path")(a).replace(/^\.?$/, "the folder")],
  search_files: ["read", "Search for", "Searching for", "Searched for", quoted("pattern")],
  edit_file: ["edit", "Edit", "Editing", "Edited", fileOf],
  write_file: ["edit", "Write", "Writing", "Wrote", fileOf],
  agent_read: ["read", "Read", "Reading", "Read", filesOf("paths")],
  agent_edit: ["edit", "Edit", "Editing", "Edited", filesOf("paths")],
  agent_run: ["run", "Run", "Running", "Ran", (a) => text("command")(a) || text("title")(a), true],
  agent_fetch: ["page", "Read", "Reading", "Read", address],
  agent_other: [
    "other",
    "Use a tool of its own:",
    "Using a tool of its own:",
    "Used a tool of its own:",
    quoted("title"),
  ],
  fetch_url: ["page", "Read", "Reading", "Read", address],
  web_search: ["look", "Search the web for", "Searching the web for", "Searched the web for", quoted("query")],
  browser_open: ["page", "Open", "Opening", "Opened", address],
  browser_click: ["click", "Click", "Clicking", "Clicked", element("target")],
  browser_click_at: ["click", "Click", "Clicking", "Clicked", () => "an element"],
  browser_type: ["click", "Type into", "Typing into", "Typed into", element("target")],
  browser_press: ["click", "Press", "Pressing", "Pressed", text("keys")],
  browser_select: ["click", "Choose in", "Choosing in", "Chose in", element("target")],
  browser_check: ["click", "Tick", "Ticking", "Ticked", element("target")],
  browser_hover: ["click", "Point at", "Pointing at", "Pointed at", element("target")],
  browser_drag: ["click", "Drag", "Dragging", "Dragged", element("from")],
  browser_scroll: ["page", "Scroll the page", "Scrolling the page", "Scrolled the page", none],
  browser_wait: ["page", "Wait for the page", "Waiting for the page", "Waited for the page", none],
  browser_snapshot: ["look", "Read the page", "Reading the page", "Read the page", none],
  browser_read: ["look", "Read the page", "Reading the page", "Read the page", none],
  browser_find: [
    "look",
    "Search the page for",
    "Searching the page for",
    "Searched the page for",
    (a) => quoted("text")(a) || text("role")(a),
  ],
  browser_screenshot: [
    "look",
    "Take a picture of the page",
    "Taking a picture of the page",
    "Took a picture of the page",
    none,
  ],
  browser_eval: ["page", "Run a script on the page", "Running a script on the page", "Ran a script on the page", none],
  browser_console: ["look", "Read the page's console", "Reading the page's console", "Read the page's console", none],
  browser_network: [
    "look",
    "Read the page's requests",
    "Reading the page's requests",
    "Read the page's requests",
    none,
  ],
  browser_cookies: ["page", "Use the page's cookies", "Using the page's cookies", "Used the page's cookies", none],
  browser_dialog: [
    "click",
    "Answer the page's dialog",
    "Answering the page's dialog",
    "Answered the page's dialog",
    none,
  ],
  browser_history: [
    "page",
    "Go through the page's history",
    "Going through the page's history",
    "Went through the page's history",
    none,
  ],
  browser_upload: ["page", "Upload", "Uploading", "Uploaded", filesOf("files")],
  browser_download: ["page", "Download a file", "Downloading a file", "Downloaded a file", none],
  browser_save: ["page", "Save the page as", "Saving the page as", "Saved the page as", fileOf],
  browser_login: ["page", "Log in", "Logging in", "Logged in", none],
  look: ["look", "Look at a pane", "Looking at a pane", "Looked at a pane", none],
  close_pane: ["page", "Close a pane", "Closing a pane", "Closed a pane", none],
  focus_pane: ["page", "Show a pane", "Showing a pane", "Showed a pane", none],
  name_pane: ["page", "Name a pane", "Naming a pane", "Named a pane", quoted("title")],
  list_panes: ["look", "List the panes", "Listing the panes", "Listed the panes", none],
  wait: ["look", "Wait", "Waiting", "Waited", none],
  wait_until: ["look", "Wait for", "Waiting for", "Waited for", condition],
  write_todos: ["plan", "Write the plan", "Writing the plan", "Wrote the plan", none],
  write_note: ["plan", "Write a note", "Writing a note", "Wrote a note", none],
  declare_step: ["plan", "Announce a change", "Announcing a change", "Announced a change", quoted("title")],
  verify_step: ["plan", "Check its own change", "Checking its own change", "Checked its own change", none],
  claim_complete: ["claim", "Claim completion", "Claiming completion", "Claimed completion", none],
  abort_with_report: ["claim", "Give up", "Giving up", "Gave up", none],
  find_tools: ["look", "Look for tools", "Looking for tools", "Looked for tools", none],
  ask_user: ["ask", "Ask you", "Asking you", "Asked you", quoted("question")],
  request_access: ["ask", "Ask for access", "Asking for access", "Asked for access", none],
  read_evidence: ["read", "Read a whole result", "Reading a whole result", "Read a whole result", none],
  start_goal: ["goal", "Start a goal", "Starting a goal", "Started a goal", quoted("objective")],
  goal_status: ["goal", "Look at a goal", "Looking at a goal", "Looked at a goal", none],
  wait_for_goal: ["goal", "Wait for a goal", "Waiting for a goal", "Waited for a goal", none],
  share_note: ["goal", "Share a note", "Sharing a note", "Shared a note", none],
  remember: ["plan", "Note for later goals", "Noting for later goals", "Noted for later goals", quoted("text")],
  load_skill: ["read", "Read the skill", "Reading the skill", "Read the skill", quoted("name")],
  save_recipe: ["plan", "Save a recipe", "Saving a recipe", "Saved a recipe", quoted("name")],
  run_recipe: ["plan", "Run the recipe", "Running the recipe", "Ran the recipe", quoted("name")],
};

function toolOf(name: string): Tool {
  const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (known) return known;
  const [, server, tool] = /^(.+?)__(.+)$/.exec(name) ?? [];
  const words = (server && tool ? `${tool} of ${server}` : name).replaceAll("_", " ");
  return ["other", "Use", "Using", "Used", () => words];
}

/** Returns the category of a tool's calls. */
export function kindOf(tool: string): CallKind {
  return toolOf(tool)[0];
}

/** Returns the target of an action without the verb before it: `button "Check out"`. */
function touchedObject(touched: string): string {
  return clip(touched.replace(/^\S+ /, ""), 60);
}

function objectOf(args: Args, [kind, , , , describe]: Tool, touched: string): string {
  const isReference = typeof args.target === "string" && reference.test(args.target);
  const named = kind === "click" && isReference ? touchedObject(touched) : "";
  return stripControl(clip(oneLine(named || describe(args)), 200));
}

/** Whether a call works in a pane, which is recorded. */
export function usesPane(call: { tool: string }): boolean {
  return /^(terminal|browser)_/.test(call.tool);
}

/** Describes a call that runs or is over. touched is its target on a page, if known. */
export function callWords(call: Call, touched = ""): CallWords {
  const args = parseArguments(call.arguments);
  const tool = toolOf(call.tool);
  const [kind, , doing, did, , code] = tool;
  return {
    kind,
    verb: call.outcome === "" ? doing : did,
    object: objectOf(args, tool, touched),
    code: code === true,
    ...lineCounts(call.tool, args),
  };
}

/** Describes a call in one sentence: `Edited cart.go`. */
export function callSentence(call: Call, touched = ""): string {
  const { verb, object } = callWords(call, touched);
  return `${verb} ${object}`.trim();
}

/** What the host knows about a call before it is executed. */
interface Planned extends Pick<Call, "tool" | "arguments"> {
  hosts: readonly string[] | null;
  paths: readonly string[] | null;
}

const maxPlanned = 60;

/**
 * Describes a call that waits for the user: `Open example.org`, `Edit RELEASE.md`. The host's own hosts and paths count
 * more than the words of the agent.
 */
export function plannedCall(call: Planned): string {
  const tool = toolOf(call.tool);
  const [kind, verb, , , describe] = tool;
  const host = call.hosts?.[0] ?? "";
  const isAddress = describe === address;
  const named = objectOf(parseArguments(call.arguments), tool, "");
  const object = (isAddress && host) || (kind === "edit" && fileName(call.paths?.[0] ?? "")) || named;
  const place = host && !isAddress && call.tool.startsWith("browser_") ? ` on ${host}` : "";
  return clip(stripControl(`${verb} ${object}`.trim() + place), maxPlanned);
}

/** Counts the lines that a call adds to and removes from a file, as far as its arguments show. */
function lineCounts(tool: string, args: Args): Pick<CallWords, "added" | "removed"> {
  if (tool === "write_file" && typeof args.content === "string") return { added: linesOf(args.content).length };
  if (tool !== "edit_file" || typeof args.old !== "string" || typeof args.new !== "string") return {};
  const was = linesOf(args.old);
  const is = linesOf(args.new);
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  let end = 0;
  const rest = Math.min(was.length, is.length) - same;
  while (end < rest && was[was.length - 1 - end] === is[is.length - 1 - end]) end++;
  return { added: is.length - same - end, removed: was.length - same - end };
}

function linesOf(s: string): string[] {
  return s === "" ? [] : s.replace(/\n$/, "").split("\n");
}

/** A host with its path, without scheme and www: `example.org/docs`. */
function shortAddress(url: string): string {
  return clip(url.replace(/^https?:\/\//, "").replace(/\/$/, ""), 80);
}

/** Returns the exit code in the first line of a command's result. */
export function exitCode(preview: string): number | null {
  const found = /^(?:exit|exit code|exited with) (\d+)\b/.exec(preview.trim());
  return found ? Number(found[1]) : null;
}
