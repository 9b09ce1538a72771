import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** File extensions that differ from the name of their language. */
const byEnding: Record<string, string> = {
  sh: "bash",
  zsh: "bash",
  h: "c",
  cc: "cpp",
  hpp: "cpp",
  cs: "csharp",
  scss: "css",
  toml: "ini",
  conf: "ini",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  kt: "kotlin",
  mk: "makefile",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  mts: "typescript",
  tsx: "typescript",
  html: "xml",
  svg: "xml",
  vue: "xml",
  yml: "yaml",
};

/** A part of a line with its colour class, "" for none. */
export interface Token {
  text: string;
  kind: string;
}

/** Returns the language of a file by its name, "" if it is unknown. */
export function languageOf(path: string): string {
  const name = (path.split("/").pop() ?? "").toLowerCase();
  if (name === "makefile" || name === "dockerfile") return name;
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const language = byEnding[ending] ?? ending;
  return language in languages ? language : "";
}

const maxChars = 200_000;
const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** Splits the lines of a text into coloured parts. The library's markup is parsed, never inserted into the page. */
export function highlight(text: string, path: string): Token[][] {
  const language = languageOf(path);
  if (!language || text.length > maxChars) return text.split("\n").map((line) => [{ text: line, kind: "" }]);
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  const lines: Token[][] = [[]];
  const open: string[] = [];
  for (const [part] of value.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part.startsWith("<span")) {
      open.push(/hljs-([a-z]+)/.exec(part)?.[1] ?? "");
      continue;
    }
    if (part === "</span>") {
      open.pop();
      continue;
    }
    const plain = part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (e) => entities[e] ?? e);
    plain.split("\n").forEach((piece, i) => {
      if (i > 0) lines.push([]);
      if (piece) lines[lines.length - 1]?.push({ text: piece, kind: open.findLast((k) => k !== "") ?? "" });
    });
  }
  return lines;
}
