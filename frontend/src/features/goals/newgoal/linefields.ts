import type { LineField } from "./draftinput";
import { count, paths, ports, words } from "./formats";

const noLimit = { as: count, placeholder: "no limit" };

/** The limits that are advanced options. */
export const limitFields = [
  { ...noLimit, name: "iterations", label: "Turns" },
  { ...noLimit, name: "tokens", label: "Tokens" },
  { ...noLimit, name: "claims_per_check", testid: "claims", label: "Failed claims per check" },
  { as: count, name: "max_output", label: "Bytes of output the agent sees", placeholder: "by the model" },
] as const satisfies readonly LineField[];

/** What the goal may use. */
export const accessFields = [
  { as: words, name: "allow_tools", label: "Allowed tools", hint: "leave empty for all tools" },
  { as: words, name: "deny_tools", label: "Denied tools", hint: "for example browser_open" },
  {
    as: words,
    name: "allow_hosts",
    label: "Allowed hosts",
    hint: "for “Read the web”",
    placeholder: "docs.example.com",
  },
  { as: words, name: "deny_hosts", label: "Blocked hosts", hint: "never contacted", placeholder: "*.example.com" },
  { as: ports, name: "allow_local", label: "Allowed local ports", hint: "on your machine", placeholder: "5432" },
  {
    as: paths,
    name: "allow_write",
    label: "Extra writable folders",
    hint: "comma-separated",
    placeholder: "/home/you/notes",
  },
  { as: paths, name: "allow_read", label: "Extra readable paths", hint: "comma-separated", placeholder: "/srv/data" },
  {
    as: paths,
    name: "allow_socket",
    label: "Allowed Unix sockets",
    hint: "the program behind it has your permissions",
    placeholder: "/run/docker.sock",
  },
  {
    as: words,
    name: "protect",
    label: "Protected files",
    hint: "patterns, in addition to the files found",
    placeholder: "tests/**",
  },
  { as: words, name: "no_protect", label: "Exceptions to protection" },
] as const satisfies readonly LineField[];
