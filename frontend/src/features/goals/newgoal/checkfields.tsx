import type { CheckType } from "@/bridge/types";
import type { DraftCheck } from "./draftcheck";
import { Input, Select } from "@/ui/input";

export const checkTabs: readonly { type: CheckType; title: string; line: string }[] = [
  { type: "shell", title: "Shell", line: "a command succeeds" },
  { type: "http", title: "HTTP", line: "a URL answers" },
  { type: "file", title: "File", line: "a file exists or matches" },
  { type: "json_predicate", title: "JSON", line: "an expression is true" },
  { type: "visual", title: "Visual", line: "a vision model approves the page" },
  { type: "model_question", title: "Question", line: "a judge model answers yes" },
  { type: "manual", title: "Manual", line: "you approve the result" },
];

interface CheckFieldsProps {
  check: DraftCheck;
  /** Which check of several, for those who hear the page; `""` for the only one. */
  of: string;
  invalid: boolean;
  onChange: (part: Partial<DraftCheck>) => void;
}

type TextName = {
  [K in keyof DraftCheck]: DraftCheck[K] extends string ? (string extends DraftCheck[K] ? K : never) : never;
}[keyof DraftCheck];

/** The fields of a check's type. The first one is what it cannot do without. */
export function CheckFields({ check, of, invalid, onChange }: CheckFieldsProps) {
  const text = (name: TextName, label: string, placeholder: string, width = "min-w-0 flex-1", plain = false) => (
    <Input
      data-testid={`check-${testName[name] ?? name}`}
      aria-label={`${label}${of}`}
      aria-invalid={invalid}
      title={label}
      spellCheck={plain}
      autoComplete="off"
      placeholder={placeholder}
      className={`${width} ${plain ? "" : "font-mono"} text-xs`}
      value={check[name]}
      onChange={(e) => onChange({ [name]: e.target.value })}
    />
  );
  const tick = (name: "absent" | "twice" | "wait", label: string) => (
    <label className="flex items-center gap-1.5 text-xs text-text-muted">
      <input
        type="checkbox"
        data-testid={`check-${name}`}
        className="accent-(--accent)"
        checked={check[name]}
        onChange={(e) => onChange({ [name]: e.target.checked })}
      />
      {label}
    </label>
  );
  switch (check.type) {
    case "shell":
      return (
        <>
          {text("command", "Command", "npm test")}
          <label
            className="flex shrink-0 items-center gap-1.5 text-xs text-text-faint"
            title="Exit code that passes the check"
          >
            exit
            {text("exitCode", "Expected exit code", "0", "w-11 px-1 text-center")}
          </label>
        </>
      );
    case "http":
      return (
        <>
          {text("url", "URL", "http://127.0.0.1:8080/")}
          {text("status", "Expected status", "200", "w-14 px-1 text-center")}
          {text("contains", "Text that the body contains", "body contains…", "w-36")}
        </>
      );
    case "file":
      return (
        <>
          {text("path", "File in the folder", "report/summary.md")}
          {check.absent ? null : text("matches", "Regular expression that the text matches", "matches…", "w-36")}
          {check.absent ? null : text("minSize", "Minimum size in bytes", "bytes", "w-16")}
          {tick("absent", "File must not exist")}
        </>
      );
    case "json_predicate":
      return (
        <>
          {text("expr", "Expression over response", "response.status === 200")}
          <Select
            data-testid="check-from"
            aria-label={`JSON source${of}`}
            className="w-24 text-xs"
            value={check.from}
            onChange={(e) => onChange({ from: e.target.value as DraftCheck["from"] })}
          >
            <option value="claim">claim</option>
            <option value="file">file</option>
            <option value="command">command</option>
            <option value="url">URL</option>
          </Select>
          {check.from === "file" ? text("path", "File in the folder", "out.json", "w-32") : null}
          {check.from === "command" ? text("command", "Command that prints the JSON", "cat out.json", "w-32") : null}
          {check.from === "url" ? text("url", "URL that returns JSON", "http://127.0.0.1:8080/", "w-40") : null}
        </>
      );
    case "visual":
      return (
        <>
          {text("question", "Question about the page", "Does the cart show two items?", "min-w-0 flex-1", true)}
          {text("url", "URL; leave empty for the goal's newest page", "the goal's newest page", "w-44")}
        </>
      );
    case "model_question":
      return (
        <>
          {text("question", "Question", "Does the summary name every risk?", "min-w-0 flex-1", true)}
          {tick("twice", "Ask twice")}
        </>
      );
    case "manual":
      return (
        <>
          {text("note", "What should you check?", "What should you check?", "min-w-0 flex-1", true)}
          {tick("wait", "Pause until I approve")}
        </>
      );
  }
}

const testName: Partial<Record<TextName, string>> = { exitCode: "exit", minSize: "min-size" };
