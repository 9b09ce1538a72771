import type { GoalRequest, InferredPersona, LibraryEntry, RecipeEntry } from "@/bridge/types";

const entry = (part: Partial<LibraryEntry> & Pick<LibraryEntry, "kind" | "name">): LibraryEntry => ({
  description: "",
  owner: "user",
  path: `/home/ada/.local/state/goalpost/${part.kind}s/${part.name}.md`,
  trusted: true,
  problem: "",
  notes: [],
  parameters: [],
  text: `---\nname: ${part.name}\n---\nYou work as ${part.name}.\n`,
  ...part,
});

/** The library of the fake: built in, the user's own, a project's and one that cannot be used. */
export const fakeRecipes: readonly RecipeEntry[] = [
  {
    name: "log-in",
    description: "Logs in to the shop as a user.",
    parameters: [{ name: "user", description: "Who logs in", default: null, number: false }],
    tools: ["browser_navigate", "browser_type", "browser_click"],
    problem: "",
    text: "name: log-in\ndescription: Logs in to the shop as a user.\n",
  },
];

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
  entry({
    kind: "template",
    name: "tests-pass",
    owner: "built_in",
    path: "",
    description: "Finds and fixes what makes the tests fail.",
    parameters: [
      { name: "command", description: "The command that runs the tests", default: "npm test", number: false },
      { name: "part", description: "The part that fails", default: null, number: false },
    ],
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

/** Fills the fake's only template. */
export function fillFakeTemplate(
  name: string,
  dir: string,
  values: Readonly<Partial<Record<string, string>>>,
): GoalRequest {
  if (!values.part) throw new Error(`the template ${name}: the parameter part needs a value`);
  return {
    objective: `Find the failure in ${values.part}, and fix it`,
    checks: [{ type: "shell", command: values.command ?? "npm test" }],
    risk: "write_local",
    dir,
    provider: "",
    model: "",
    wall_clock_ms: 1_800_000,
    iterations: 300,
    claims_per_check: 5,
    tokens: 0,
    usd: 0,
    critic_every: 5,
  };
}
