/** An argument of a call, as users read it. */
export interface ArgumentLine {
  name: string;
  value: string;
}

/** The arguments of a call as lines of name and value. A text that is not a JSON object stays unchanged. */
export function argumentLines(json: string): ArgumentLine[] {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return describeArguments({ ...parsed });
  } catch {
    // The model wrote something that is not JSON: it is shown unchanged.
  }
  return [{ name: "", value: json }];
}

/** Arguments by name as lines, complete and without JSON. */
export function describeArguments(args: Record<string, unknown>): ArgumentLine[] {
  return Object.entries(args).map(([name, value]) => ({ name: argumentName(name), value: describeValue(value, "") }));
}

const argumentName = (name: string) => name.replaceAll("_", " ");

/** A value as text. What is inside a list or a group is indented, so that no line break in it looks like a new entry. */
function describeValue(value: unknown, indent: string): string {
  const inside = `${indent}  `;
  if (typeof value === "string") return indent === "" ? value : value.replaceAll("\n", `\n${indent}`);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    return value.map((item: unknown) => `- ${describeValue(item, inside)}`).join(`\n${indent}`);
  }
  if (typeof value === "object" && value !== null) {
    const lines = Object.entries(value).map(([name, v]) => `${argumentName(name)}: ${describeValue(v, inside)}`);
    return lines.length > 0 ? lines.join(`\n${indent}`) : "none";
  }
  return typeof value === "number" ? String(value) : "none";
}

/**
 * The arguments of a call by name. Those in a page of steps may be truncated: then the complete ones at the beginning
 * are returned.
 */
export function parseArguments(json: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch {
    const found: Record<string, unknown> = {};
    for (const [, name, value] of json.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/g)) {
      if (name && value) found[name] = unquote(value);
    }
    return found;
  }
}

function unquote(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return "";
  }
}

/** Returns the content of a result, without the marks that show a model where outside text begins and ends. */
export function resultText(result: string): string {
  return result
    .replace(/^\{"ok":(?:true|false)[^\n]*\}\n/, "")
    .replace(/^<output from="(?:[^"\\\n]|\\.)*">\n?/gm, "")
    .replace(/^<\/output>\n?/gm, "")
    .trimEnd();
}

const failureWords = /\b(fail(?:ed|ure)?|error|panic|expected|want(?:ed)?|denied|refused|not found|cannot)\b/i;

/** Returns at most three lines of a result that explain a failure: those that name it, otherwise the last ones. */
export function failureLines(result: string, most = 3): string[] {
  const lines = resultText(result)
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "" && !/^exit \d+$/.test(l));
  const named = lines.filter((l) => failureWords.test(l));
  const chosen = named.length > 0 ? named.slice(0, most) : lines.slice(-most);
  return chosen.map((l) => clip(stripControl(l), 200));
}

/** Returns JSON with indentation; other text unchanged. */
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

/** Replaces the user's home in a path by `~`. */
export function shortPath(path: string): string {
  return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, "~").replace(/^\/root(?=\/|$)/, "~");
}

export function capitalize(s: string): string {
  return s.charAt(0).toUpperCase() + s.slice(1);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Marks invisible characters, and those that reverse the line or join and split words. */
export function stripControl(text: string): string {
  return text.replace(
    /[\p{Cf}\p{Zl}\p{Zp}]/gu,
    (c) => `‹U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}
