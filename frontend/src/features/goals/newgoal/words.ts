import type { Risk } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import type { DraftCheck } from "./draft";

export const ladder: readonly { risk: Risk; title: string; line: string }[] = [
  { risk: "read_only", title: "Read only", line: "look, change nothing" },
  { risk: "write_local", title: "Write local", line: "change files in the folder" },
  { risk: "network_get", title: "Network get", line: "fetch from allowed hosts" },
  { risk: "network_write", title: "Network write", line: "submit, post, upload" },
  { risk: "spends_money", title: "Spend money", line: "check-out pages" },
];

/** What the goal will be allowed, spelled out. */
export function allowedWords(risk: Risk, dir: string, hosts: readonly string[]): string {
  const where = dir.trim() ? shortPath(dir.trim()) : "a new folder";
  const from = hosts.length > 0 ? hosts.join(", ") : "no host yet (name them under More)";
  switch (risk) {
    case "read_only":
      return `It may look at ${where}, run programs that can change nothing there, and look at pages on this machine. Writing and going online are refused.`;
    case "write_local":
      return `It may change files and run programs in ${where}, and use pages on this machine. Its tools do not go online.`;
    case "network_get":
      return `It may change files in ${where} and open pages of ${from}. Submitting to them is refused.`;
    case "network_write":
      return `It may change files in ${where}, open pages anywhere and submit to them.`;
    case "spends_money":
      return `It may change files in ${where}, submit anywhere and go through check-outs.`;
  }
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
