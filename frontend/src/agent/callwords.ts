import { clip, oneLine, parseArguments, stripControl } from "@/lib/text";

/** The category of a call, which chooses its icon. */
export type CallKind =
  "read" | "edit" | "run" | "page" | "click" | "look" | "plan" | "claim" | "ask" | "goal" | "other";

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
const fileOf: Describe = (args) => text("path")(args).replace(/\/+$/, "").split("/").pop() ?? "";
const quoted = (key: string) => (args: Args) => {
  const value = clip(oneLine(text(key)(args)), 60);
  return value ? `“${value}”` : "";
};
const address: Describe = (args) => shortAddress(text("url")(args));
const paneOf = text("pane");
const none: Describe = () => "";

/** A verb in past and present tense, and its object. */
const calls: Record<string, [kind: CallKind, past: string, present: string, object: Describe, code?: true]> = {
  run_command: ["run", "Ran", "Running", text("command"), true],
  terminal_run: ["run", "Ran", "Running", text("command"), true],
  terminal_open: ["run", "Opened a terminal", "Opening a terminal", none],
  terminal_type: ["run", "Typed", "Typing", quoted("text")],
  terminal_keys: ["run", "Pressed keys in the terminal", "Pressing keys in the terminal", none],
  terminal_read: ["look", "Read the terminal", "Reading the terminal", paneOf],
  terminal_wait: ["look", "Waited for the terminal", "Waiting for the terminal", paneOf],
  read_file: ["read", "Read", "Reading", fileOf],
  list_files: ["read", "Listed", "Listing", (a) => text("path")(a).replace(/^\.?$/, "the folder")],
  search_files: ["read", "Searched for", "Searching for", (a) => quoted("pattern")(a) || quoted("text")(a)],
  edit_file: ["edit", "Edited", "Editing", fileOf],
  write_file: ["edit", "Wrote", "Writing", fileOf],
  browser_open: ["page", "Opened", "Opening", address],
  browser_click: ["click", "Clicked", "Clicking", quoted("target")],
  browser_click_at: ["click", "Clicked", "Clicking", (a) => `at ${String(a.x)}, ${String(a.y)}`],
  browser_type: ["click", "Typed into", "Typing into", quoted("target")],
  browser_press: ["click", "Pressed", "Pressing", (a) => text("key")(a) || text("keys")(a)],
  browser_select: ["click", "Chose in", "Choosing in", quoted("target")],
  browser_check: ["click", "Ticked", "Ticking", quoted("target")],
  browser_hover: ["click", "Pointed at", "Pointing at", quoted("target")],
  browser_drag: ["click", "Dragged", "Dragging", (a) => quoted("from")(a) || quoted("target")(a)],
  browser_scroll: ["page", "Scrolled the page", "Scrolling the page", none],
  browser_wait: ["page", "Waited for the page", "Waiting for the page", none],
  browser_snapshot: ["look", "Read the page", "Reading the page", none],
  browser_read: ["look", "Read the page", "Reading the page", none],
  browser_find: ["look", "Searched the page for", "Searching the page for", quoted("text")],
  browser_screenshot: ["look", "Took a picture of the page", "Taking a picture of the page", none],
  browser_eval: ["page", "Ran a script on the page", "Running a script on the page", none],
  browser_console: ["look", "Read the page's console", "Reading the page's console", none],
  browser_network: ["look", "Read the page's requests", "Reading the page's requests", none],
  browser_cookies: ["page", "Used the page's cookies", "Using the page's cookies", none],
  browser_dialog: ["click", "Answered the page's dialog", "Answering the page's dialog", none],
  browser_history: ["page", "Went through the page's history", "Going through the page's history", none],
  browser_upload: ["page", "Uploaded", "Uploading", fileOf],
  browser_download: ["page", "Downloaded a file", "Downloading a file", none],
  browser_save: ["page", "Saved the page", "Saving the page", none],
  browser_login: ["page", "Logged in", "Logging in", none],
  look: ["look", "Looked at", "Looking at", paneOf],
  close_pane: ["page", "Closed pane", "Closing pane", paneOf],
  focus_pane: ["page", "Showed pane", "Showing pane", paneOf],
  name_pane: ["page", "Named pane", "Naming pane", (a) => quoted("title")(a) || quoted("name")(a)],
  list_panes: ["look", "Listed the panes", "Listing the panes", none],
  wait: ["look", "Waited", "Waiting", none],
  write_todos: ["plan", "Wrote the plan", "Writing the plan", none],
  write_note: ["plan", "Wrote a note", "Writing a note", none],
  declare_step: ["plan", "Announced a change", "Announcing a change", quoted("title")],
  verify_step: ["plan", "Checked its own change", "Checking its own change", none],
  claim_complete: ["claim", "Claimed completion", "Claiming completion", none],
  abort_with_report: ["claim", "Gave up", "Giving up", none],
  find_tools: ["look", "Looked for tools", "Looking for tools", none],
  ask_user: ["ask", "Asked you", "Asking you", quoted("question")],
  request_access: ["ask", "Asked for access", "Asking for access", none],
  read_evidence: ["read", "Read a whole result", "Reading a whole result", none],
  start_goal: ["goal", "Started a goal", "Starting a goal", quoted("objective")],
  goal_status: ["goal", "Looked at a goal", "Looking at a goal", none],
  wait_for_goal: ["goal", "Waited for a goal", "Waiting for a goal", none],
  share_note: ["goal", "Shared a note", "Sharing a note", none],
  save_recipe: ["plan", "Saved a recipe", "Saving a recipe", quoted("name")],
  run_recipe: ["plan", "Ran the recipe", "Running the recipe", quoted("name")],
};

/** Elements have numbers such as e14 in an agent's view of a page; users do not know them. */
const reference = /^(?:e\d+|at=.*)$/;

/** Returns the target of an action without the verb before it: `button "Check out"`. */
function touchedObject(touched: string): string {
  return clip(touched.replace(/^\S+ /, ""), 60);
}

/** Describes a call. touched is its target on a page, if known. An unknown tool keeps its name. */
export function callWords(call: Call, touched = ""): CallWords {
  const args = parseArguments(call.arguments);
  const known = Object.hasOwn(calls, call.tool) ? calls[call.tool] : undefined;
  if (!known) {
    const [, server, name] = /^(.+?)__(.+)$/.exec(call.tool) ?? [];
    const object = server && name ? `${name} of ${server}` : call.tool;
    return { kind: "other", verb: call.outcome === "" ? "Using" : "Used", object: stripControl(object), code: false };
  }
  const [kind, past, present, describe, code] = known;
  const byNumber = typeof args.target === "string" && reference.test(args.target);
  const object = kind === "click" && byNumber ? touchedObject(touched) || "an element" : describe(args);
  return {
    kind,
    verb: call.outcome === "" ? present : past,
    object: stripControl(clip(oneLine(object), 200)),
    code: code === true,
    ...lineCounts(call.tool, args),
  };
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
