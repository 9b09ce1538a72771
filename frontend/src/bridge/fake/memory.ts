import type { MemoryNote } from "@/bridge/types";

/** The notes of the fake: one of a goal, one of the user. */
export const fakeMemory: readonly MemoryNote[] = [
  {
    id: "note1",
    dir: "/home/ada/shop",
    text: "The cart's tests need the database of compose.yaml: start it with make up.",
    goal: "01m0verified0000000000000",
    written_at: "2026-03-12T09:12:00Z",
  },
  {
    id: "note2",
    dir: "/home/ada/shop",
    text: "Do not change src/legacy: it is generated.",
    goal: "",
    written_at: "2026-03-10T17:40:00Z",
  },
];

let added = 0;

/** A note that the user adds. */
export const newFakeNote = (dir: string, text: string): MemoryNote => ({
  id: `added${++added}`,
  dir,
  text,
  goal: "",
  written_at: "2026-03-12T10:00:00Z",
});
