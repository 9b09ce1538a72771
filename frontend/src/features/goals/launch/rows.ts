import type { GoalRequest } from "@/bridge/types";
import { emptyDraft } from "@/features/goals/newgoal/draft";
import { emptyCheck } from "@/features/goals/newgoal/draftcheck";
import { toInput } from "@/features/goals/newgoal/input";
import type { LaunchRow } from "@/store/launch";

let lastId = 0;

export function newRow(part: Partial<LaunchRow> = {}): LaunchRow {
  lastId += 1;
  return { objective: "", command: "", dir: "", isStarting: false, error: "", ...part, id: lastId };
}

export const isBlank = (r: LaunchRow) => r.objective.trim() === "" && r.command.trim() === "";

/** Says what a row lacks, "" if it can be started. */
export function missing(r: LaunchRow): string {
  if (r.objective.trim() === "") return "Say what is to be done.";
  if (r.command.trim() === "") return "Give a command that exits with 0 when it is done.";
  if (r.dir.trim() === "") return "Name the folder that it works in.";
  return "";
}

/** Returns a row for each line of a pasted text. Tabs, as in a table, separate objective, command and folder. */
export function pastedRows(pasted: string, dir: string): LaunchRow[] {
  return pasted
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [objective = "", command = "", folder = ""] = line.split("\t").map((cell) => cell.trim());
      return newRow({ objective, command, dir: folder || dir });
    });
}

/** The request of a row, with the usual permissions, model and limits. */
export function requestOf(r: LaunchRow): GoalRequest {
  return toInput({
    ...emptyDraft,
    objective: r.objective,
    dir: r.dir,
    checks: [{ ...emptyCheck, type: "shell", command: r.command }],
  });
}
