// The recording of a goal, for replay.

/** The recording of a goal's panes. */
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

/** A part of one pane's recording; with `more` it continues after the last record's n. */
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
