import type { Risk } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import type { Draft } from "./draft";
import { roundGlob } from "./input";

export const riskOptions: readonly { risk: Risk; title: string; line: string }[] = [
  { risk: "read_only", title: "Read only", line: "look, change nothing" },
  { risk: "write_local", title: "Change files", line: "only in the folder" },
  { risk: "network_get", title: "Read the web", line: "from allowed hosts" },
  { risk: "network_write", title: "Send to the web", line: "to any host" },
  { risk: "spends_money", title: "Make purchases", line: "asks every time" },
];

/** Lists the allowed hosts that have no effect because the goal may not use the network; "" if there are none. */
export function hostsWithoutEffect(risk: Risk, hosts: readonly string[]): string {
  if (hosts.length === 0 || (risk !== "read_only" && risk !== "write_local")) return "";
  return `Allowing ${hosts.join(", ")} has no effect below “Read the web”.`;
}

/** The goal's permissions in words: what it may do, and when it asks. */
export function describeAllowed(risk: Risk, dir: string, hosts: readonly string[]): { may: string; asks: string } {
  const where = dir.trim() ? shortPath(dir.trim()) : "a new folder";
  const from = hosts.length > 0 ? hosts.join(", ") : "no hosts yet";
  switch (risk) {
    case "read_only":
      return {
        may: `read ${where}, run programs that change nothing there, and view pages on this machine`,
        asks: "It asks you before it writes or goes online.",
      };
    case "write_local":
      return {
        may: `change files and run programs in ${where}, and use pages on this machine`,
        asks: "It asks you before it contacts a new host.",
      };
    case "network_get":
      return {
        may: `change files in ${where} and open pages of ${from}`,
        asks:
          "Its programs can connect there, too; encrypted traffic cannot be inspected. It asks you before it submits " +
          "a page or contacts another host.",
      };
    case "network_write":
      return {
        may: `change files in ${where} and send data to any host that is not blocked`,
        asks: "It asks you before it pays.",
      };
    case "spends_money":
      return {
        may: `change files in ${where}, send data to any host that is not blocked, and make purchases`,
        asks: "It asks you before each payment.",
      };
  }
}

/** What the agent may change, if the user limits it; `""` if it may change the whole folder. */
export function describeWork({ work }: Draft): string {
  if (work.length === 0) return "";
  return `In its folder only ${work.map(roundGlob).join(", ")} can be changed; everything else is read-only.`;
}

/** Further grants, which stay visible while the advanced options are closed; `""` if there are none. */
export function describeExtraAccess({ allow_write, allow_read, allow_socket, allow_local }: Draft): string {
  const parts = [
    allow_write.length > 0 ? `write to ${allow_write.join(", ")}` : "",
    allow_read.length > 0 ? `read ${allow_read.join(", ")}` : "",
    allow_socket.length > 0 ? `use the sockets ${allow_socket.join(", ")} with your permissions` : "",
    allow_local.length > 0 ? `connect to local ports ${allow_local.join(", ")}` : "",
  ].filter(Boolean);
  return parts.length > 0 ? `It can also ${parts.join("; ")}.` : "";
}
