/** What a user looks for first in the arguments of a step; what is not named here follows. */
const mainArguments = ["pane", "path", "dir", "command", "url", "target", "text", "title", "rationale", "reason"];

/** The arguments of a step in one line: their values, those that tell most first. */
export function argumentsLine(json: string, max = 160): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return clip(oneLine(json), max);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return clip(oneLine(json), max);
  const rank = (key: string) => (mainArguments.includes(key) ? mainArguments.indexOf(key) : mainArguments.length);
  const values = Object.entries(parsed).sort(([a], [b]) => rank(a) - rank(b));
  const parts = values.map(([, v]: [string, unknown]) => (typeof v === "string" ? v : JSON.stringify(v)));
  return clip(oneLine(parts.join(" ")), max);
}

/** JSON with indents when it is JSON, else as it is. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

export function oneLine(s: string): string {
  return s.replace(/\s+/g, " ").trim();
}

export function clip(s: string, max: number): string {
  return s.length <= max ? s : `${s.slice(0, max - 1)}…`;
}

/** The same folder with the home of the user as `~`. */
export function shortPath(path: string): string {
  return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, "~").replace(/^\/root(?=\/|$)/, "~");
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A text with marks for what nobody sees and what changes what is seen: it turns a line round, joins or ends words. */
export function stripControl(text: string): string {
  return text.replace(
    /[\p{Cf}\p{Zl}\p{Zp}]/gu,
    (c) => `‹U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}
