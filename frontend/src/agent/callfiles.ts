/** A file that a call read or changed. */
export interface CallFile {
  path: string;
  /** Where it was read or changed first, counted from 1; 0 if that is unknown. */
  line: number;
}

const fileTools = new Set(["read_file", "edit_file", "write_file"]);
const agentTools = new Set(["agent_read", "agent_edit"]);

/** The files of a call, which the agent names relative to its folder. */
export function callFiles(tool: string, args: Record<string, unknown>, result: string): CallFile[] {
  const { path, paths, line } = args;
  if (fileTools.has(tool) && typeof path === "string" && path !== "") {
    const from = typeof line === "number" && Number.isInteger(line) && line > 0 ? line : 0;
    return [{ path, line: from || firstChange(result) }];
  }
  if (!agentTools.has(tool) || !Array.isArray(paths)) return [];
  return paths.filter((p): p is string => typeof p === "string" && p !== "").map((p) => ({ path: p, line: 0 }));
}

/** The first new line of a change that a result shows. */
function firstChange(result: string): number {
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*\n((?: .*\n|\n)*)/m.exec(result);
  if (!hunk) return 0;
  return Number(hunk[1]) + (hunk[2] ?? "").split("\n").length - 1;
}
