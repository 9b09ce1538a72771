// The types of Go's JSON, named after the Go structs and their tags.

export type * from "./types/approval";
export type * from "./types/changes";
export type * from "./types/check";
export type * from "./types/common";
export type * from "./types/engine";
export type * from "./types/event";
export type * from "./types/goal";
export type * from "./types/pane";
export type * from "./types/recording";
export type * from "./types/settings";
export type * from "./types/spend";
export type * from "./types/suggest";
