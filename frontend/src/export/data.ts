import type {
  ChangesView,
  FileDiff,
  GoalEvent,
  GoalView,
  ReceiptView,
  RecordedPane,
  RecordView,
  TranscriptEntry,
} from "@/bridge/types";

/** The data of an exported goal, as `exportData` in backend/goals/calls/export.go writes it. */
export interface ExportData {
  version: string;
  /** When it was exported. */
  at: string;
  view: GoalView;
  receipt: ReceiptView;
  events: GoalEvent[];
  entries: TranscriptEntry[];
  changes: ChangesView;
  files: FileDiff[];
  panes: RecordedPane[];
  /** By pane. */
  records: Record<string, RecordView[]>;
  /** The outputs of checks, by hash. */
  outputs: Record<string, string>;
  /** What is not in the file because it would be too large. */
  left_out: string[];
}

/** Reads the data of the document. */
export function readData(): ExportData {
  return JSON.parse(document.getElementById("data")?.textContent ?? "") as ExportData;
}
