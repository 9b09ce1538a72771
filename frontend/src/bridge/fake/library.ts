import type { InferredPersona, LibraryEntry } from "@/bridge/types";

const entry = (part: Partial<LibraryEntry> & Pick<LibraryEntry, "kind" | "name">): LibraryEntry => ({
  description: "",
  owner: "user",
  path: `/home/ada/.local/state/goalpost/${part.kind}s/${part.name}.md`,
  trusted: true,
  problem: "",
  notes: [],
  text: `---\nname: ${part.name}\n---\nYou work as ${part.name}.\n`,
  ...part,
});

/** The library of the fake: built in, the user's own, a project's and one that cannot be used. */
export const fakeLibrary: readonly LibraryEntry[] = [
  entry({ kind: "persona", name: "engineer", owner: "built_in", path: "", description: "Changes code and tests it." }),
  entry({ kind: "persona", name: "researcher", owner: "built_in", path: "", description: "Compares sources." }),
  entry({ kind: "persona", name: "reviewer", description: "Reads code and reports problems." }),
  entry({
    kind: "skill",
    name: "deploy",
    owner: "project",
    path: "/home/ada/shop/.claude/skills/deploy/SKILL.md",
    trusted: false,
    description: "How this project is deployed.",
  }),
  entry({ kind: "skill", name: "invoices", problem: "it has no description" }),
];

/** Infers as Go does, for the words of the fake's personas. */
export function inferFakePersona(objective: string): InferredPersona {
  const word = /\b(compare|fix)\b/i.exec(objective)?.[0].toLowerCase() ?? "";
  return { name: word === "compare" ? "researcher" : "engineer", word };
}

/** An entry that the user saves for the first time. */
export const newFakeEntry = (kind: LibraryEntry["kind"], name: string): LibraryEntry => entry({ kind, name });
