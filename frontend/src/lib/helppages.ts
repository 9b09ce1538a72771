/** The pages of docs/ in the window, in the order of the list. */
export const helpPages = [
  "guide/start",
  "how-to/connect-a-model",
  "guide/first-goal",
  "guide/checks",
  "guide/permissions",
  "guide/approvals",
  "guide/undo",
  "guide/personas",
  "guide/races",
  "guide/schedules",
  "how-to/notifications",
  "how-to/goals",
  "guide/workspaces",
  "guide/chat",
  "guide/terminals",
  "guide/files",
  "guide/browser",
  "guide/ssh",
  "guide/serve",
  "guide/keyboard",
  "guide/settings",
  "how-to/mcp",
  "how-to/model-servers",
  "guide/troubleshooting",
  "guide/faq",
  "guide/commands",
  "guide/comparison",
  "how-to/packages",
  "platforms",
  "engines",
  "trust",
  "effects",
  "security",
] as const;

export type HelpPage = (typeof helpPages)[number];
/** A page, or a heading of it: `guide/faq#where-is-my-data`. */
export type HelpTarget = HelpPage | `${HelpPage}#${string}`;

/** Returns the anchor of a heading, as links name it. */
export function headingAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");
}

/** Returns the target of a relative link of a page, or null if it is not a page of the window. */
export function followHelpLink(page: HelpPage, href: string): HelpTarget | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  const [path = "", anchor = ""] = href.split("#");
  const folder = page.includes("/") ? page.slice(0, page.indexOf("/") + 1) : "";
  const to = path === "" ? page : new URL(path, `http://docs/${folder}`).pathname.slice(1).replace(/\.md$/, "");
  const known = helpPages.find((p) => p === to);
  if (!known) return null;
  return anchor ? `${known}#${anchor}` : known;
}
