import type { Bridge } from "@/bridge/bridge";
import type { Call, Method, Methods } from "@/bridge/methods";
import { CallError } from "@/bridge/problem";
import type { RecordingPage, RecordView } from "@/bridge/types";
import type { ExportData } from "./data";

type Answers = { [M in Method]?: (...args: Parameters<Methods[M]>) => ReturnType<Methods[M]> };

/** Characters of base64 in a page of records, as Go's pages have them. */
const pageChars = 6 << 20;
/** To show a moment of a terminal, this much before it is written, too. */
const leadChars = 1_400_000;

/** Answers from the data of an exported file; no program is behind it. */
export class ExportBridge implements Bridge {
  readonly window = false;
  readonly connection = { url: "", token: "", version: "", os: "", data_dir: "", work_dir: "" };
  private readonly answers: Answers;

  constructor(data: ExportData) {
    const recordsOf = (pane: string) => (Object.hasOwn(data.records, pane) ? (data.records[pane] ?? []) : []);
    this.answers = {
      "GoalAPI.Recording": () => ({ panes: data.panes }),
      "GoalAPI.Replay": (_, pane, after) => pageOf(recordsOf(pane), after),
      "GoalAPI.ReplayAt": (_, pane, ms) => {
        const isPage = data.panes.find((p) => p.pane === pane)?.kind === "browser";
        return pageOf(recordsOf(pane), startFor(recordsOf(pane), ms, isPage ? 0 : leadChars));
      },
      "ChangesAPI.File": (_, path) => {
        const diff = data.files.find((f) => f.path === path);
        if (!diff) throw missing("What changed in this file is not in this export.");
        return diff;
      },
    };
  }

  readonly call: Call = (method, ...args) => {
    const answer = this.answers[method] as ((...args: unknown[]) => never) | undefined;
    return new Promise((resolve) => {
      if (!answer) throw missing("An exported file shows a goal, and does nothing.");
      resolve(answer(...args));
    });
  };

  events = () => ({ close: () => undefined, looksAt: () => undefined });

  terminal = () => {
    throw missing("An exported file has no live terminals.");
  };

  browser = () => {
    throw missing("An exported file has no live pages.");
  };

  file = () => ({ close: () => undefined });
}

function missing(message: string): CallError {
  return new CallError({ code: "not_found", message, hint: "", field: "" });
}

/** The records after the nth. */
function pageOf(records: readonly RecordView[], after: number): RecordingPage {
  let size = 0;
  let end = after;
  while (end < records.length && size <= pageChars) size += records[end++]?.data.length ?? 0;
  return { records: records.slice(after, end), more: end < records.length };
}

/** The number of the record after which a replay begins to show a moment. */
function startFor(records: readonly RecordView[], ms: number, lead: number): number {
  const next = records.findIndex((r) => r.at_ms > ms);
  let start = Math.max(0, (next < 0 ? records.length : next) - 1);
  for (let size = 0; start > 0; start--) {
    size += records[start - 1]?.data.length ?? 0;
    if (size > lead) break;
  }
  return start;
}
