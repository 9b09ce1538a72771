import type { ApprovalView, OfferView } from "@/bridge/types";
import { clip, oneLine, stripControl } from "@/lib/text";
import { argumentLines } from "./grouping";

/** What a tool does, as the beginning of a sentence about one call. */
const verbs: Record<string, string> = {
  run_command: "Run a command",
  start_process: "Start a program",
  write_file: "Write",
  edit_file: "Edit",
  delete_file: "Delete",
  fetch_url: "Read",
  browser_open: "Open",
  browser_click: "Click",
  browser_click_at: "Click",
  browser_type: "Type into",
  browser_press: "Press a key in",
  browser_upload: "Upload a file to",
  browser_download: "Download from",
  browser_login: "Log in to",
  browser_eval: "Run a script on",
};

const maxTitle = 60;

/** Describes a call: `Open example.org`, `Edit RELEASE.md`. */
export function requestTitle(a: ApprovalView): string {
  const named = Object.fromEntries(argumentLines(a.arguments).map((l) => [l.name, oneLine(l.value)]));
  const host = a.hosts?.[0] ?? "";
  const file = (a.paths?.[0] ?? named.path ?? "").split("/").pop() ?? "";
  const verb = verbs[a.tool] ?? `Use ${a.tool.replaceAll("_", " ")}`;
  const object = {
    Write: file,
    Edit: file,
    Delete: file,
    Click: named.target ? `“${named.target}”` : host,
    "Type into": named.target ? `“${named.target}”` : host,
    Read: host || (named.url ?? ""),
    Open: host || (named.url ?? ""),
  }[verb];
  const rest = object ?? (verbs[a.tool] && /(on|to|from|in)$/.test(verb) ? host || "the page" : "");
  return clip(stripControl(rest ? `${verb} ${rest}` : verb), maxTitle);
}

/** Returns the widest answer that covers the goal, if there is one. */
export function goalOffer(a: ApprovalView): OfferView | undefined {
  return (a.offers ?? []).find((o) => o.scope !== "once");
}

/** Returns the label of an answer that covers the goal. */
export function goalOfferLabel(a: ApprovalView, offer: OfferView): string {
  const only = (list: string[] | null) => (list?.length === 1 ? (list[0] ?? "") : "");
  const host = only(a.hosts);
  const file = only(a.paths).split("/").pop() ?? "";
  if (offer.scope === "host" && host) return stripControl(`Allow ${clip(host, 32)} for this goal`);
  if (offer.scope === "path" && file) return stripControl(`Allow writing ${clip(file, 24)} for this goal`);
  if (offer.scope === "command") return "Allow this command for this goal";
  return "Allow for this goal";
}
