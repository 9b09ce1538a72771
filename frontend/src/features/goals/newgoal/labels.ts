import type { Risk } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import type { Draft } from "./draft";
import type { DraftCheck } from "./draftcheck";
import { toInput } from "./input";

export const riskOptions: readonly { risk: Risk; title: string; line: string }[] = [
  { risk: "read_only", title: "Read only", line: "look, change nothing" },
  { risk: "write_local", title: "Write local", line: "change files in the folder" },
  { risk: "network_get", title: "Network get", line: "reach allowed hosts" },
  { risk: "network_write", title: "Network write", line: "reach and send anywhere" },
  { risk: "spends_money", title: "Spend money", line: "check-out pages" },
];

/** Which allowed hosts open nothing, because the goal may not go online at all; "" where they do. */
export function hostsWithoutEffect(risk: Risk, hosts: readonly string[]): string {
  if (hosts.length === 0 || (risk !== "read_only" && risk !== "write_local")) return "";
  return `Allowing ${hosts.join(", ")} opens nothing below network get.`;
}

/** What the goal will be allowed, spelled out. */
export function describeAllowed(risk: Risk, dir: string, hosts: readonly string[]): string {
  const where = dir.trim() ? shortPath(dir.trim()) : "a new folder";
  const from = hosts.length > 0 ? hosts.join(", ") : "no host yet (name them under More)";
  switch (risk) {
    case "read_only":
      return `It may look at ${where}, run programs that can change nothing there, and look at pages on this machine. Writing and going online ask you.`;
    case "write_local":
      return `It may change files and run programs in ${where}, and use pages on this machine. Going online asks you, host by host.`;
    case "network_get":
      return `It may change files in ${where} and open pages of ${from}. Its programs may connect there, too: what they send through an encrypted connection, nobody can look at. Submitting a page and every other host ask you.`;
    case "network_write":
      return `It may change files in ${where}; its pages and programs may reach every host that is not denied, and send anything there. Paying asks you.`;
    case "spends_money":
      return `It may change files in ${where}, send anything to every host that is not denied, and go through check-outs. Each call that may pay asks you.`;
  }
}

/** What is granted besides, so that it is in sight while More is closed; `""` if nothing is. */
export function describeExtraAccess(draft: Draft): string {
  const { allow_write, allow_read, allow_socket, allow_local } = toInput(draft);
  const parts = [
    allow_write.length > 0 ? `write in ${allow_write.join(", ")}` : "",
    allow_read.length > 0 ? `read ${allow_read.join(", ")}` : "",
    allow_socket.length > 0 ? `speak to ${allow_socket.join(", ")}, as you` : "",
    allow_local.length > 0 ? `reach this machine's ports ${allow_local.join(", ")}` : "",
  ].filter(Boolean);
  return parts.length > 0 ? `Besides, it may ${parts.join("; ")}.` : "";
}

export interface Template {
  id: string;
  title: string;
  objective: string;
  check: Partial<DraftCheck>;
}

export const templates: readonly Template[] = [
  {
    id: "tests",
    title: "Tests pass",
    objective: "Run the test suite, find the failure, fix it, and repeat until it is green",
    check: { command: "npm test" },
  },
  {
    id: "file",
    title: "File exists",
    objective: "Write a summary of this folder into SUMMARY.md",
    check: { type: "file", path: "SUMMARY.md", minSize: "1" },
  },
  {
    id: "server",
    title: "Server answers",
    objective: "Start the server and make its first page answer",
    check: { type: "http", url: "http://127.0.0.1:8080/" },
  },
  {
    id: "page",
    title: "Page shows",
    objective: "Make the cart page show two items and the right total",
    check: { type: "visual", question: "Does the cart show two items and a total?" },
  },
];
