import type { CheckType } from "@/bridge/types";
import { cx } from "@/ui/cx";
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
  /** The number of the check among several, for screen readers; `""` for a single check. */
  of: string;
  invalid: boolean;
  onChange: (part: Partial<DraftCheck>) => void;
}

type TextName = {
  [K in keyof DraftCheck]: DraftCheck[K] extends string ? (string extends DraftCheck[K] ? K : never) : never;
}[keyof DraftCheck];

/** The fields of a check's type; the first one is required. */
export function CheckFields(p: CheckFieldsProps) {
  switch (p.check.type) {
    case "shell":
      return <ShellFields {...p} />;
    case "http":
      return <HttpFields {...p} />;
    case "file":
      return <FileFields {...p} />;
    case "json_predicate":
      return <JSONFields {...p} />;
    case "visual":
      return (
        <>
          <CheckInput
            {...p}
            name="question"
            label="Question about the page"
            placeholder="Does the cart show two items?"
            prose
          />
          <CheckInput
            {...p}
            name="url"
            label="URL; leave empty for the goal's newest page"
            placeholder="the goal's newest page"
            width="w-44"
          />
          <CheckToggle {...p} name="whole" label="Whole page" />
        </>
      );
    case "model_question":
      return (
        <>
          <CheckInput {...p} name="question" label="Question" placeholder="Does the summary name every risk?" prose />
          <CheckToggle {...p} name="twice" label="Ask twice" />
        </>
      );
    case "manual":
      return (
        <>
          <CheckInput {...p} name="note" label="What should you check?" placeholder="What should you check?" prose />
          <CheckToggle {...p} name="wait" label="Pause until I approve" />
        </>
      );
  }
}

function ShellFields(p: CheckFieldsProps) {
  return (
    <>
      <CheckInput {...p} name="command" label="Command" placeholder="npm test" />
      <label
        className="flex shrink-0 items-center gap-1.5 text-xs text-text-faint"
        title="Exit code that passes the check"
      >
        exit
        <CheckInput {...p} name="exitCode" label="Expected exit code" placeholder="0" width="w-11 px-1 text-center" />
      </label>
    </>
  );
}

function HttpFields(p: CheckFieldsProps) {
  return (
    <>
      <CheckInput {...p} name="url" label="URL" placeholder="http://127.0.0.1:8080/" />
      <CheckInput {...p} name="status" label="Expected status" placeholder="200" width="w-14 px-1 text-center" />
      <CheckInput
        {...p}
        name="contains"
        label="Text that the body contains"
        placeholder="body contains…"
        width="w-36"
      />
    </>
  );
}

function FileFields(p: CheckFieldsProps) {
  return (
    <>
      <CheckInput {...p} name="path" label="File in the folder" placeholder="report/summary.md" />
      {p.check.absent ? null : (
        <>
          <CheckInput
            {...p}
            name="matches"
            label="Regular expression that the text matches"
            placeholder="matches…"
            width="w-36"
          />
          <CheckInput {...p} name="minSize" label="Minimum size in bytes" placeholder="bytes" width="w-16" />
        </>
      )}
      <CheckToggle {...p} name="absent" label="File must not exist" />
    </>
  );
}

function JSONFields(p: CheckFieldsProps) {
  const { check, of, onChange } = p;
  return (
    <>
      <CheckInput {...p} name="expr" label="Expression over response" placeholder="response.status === 200" />
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
      {check.from === "file" ? (
        <CheckInput {...p} name="path" label="File in the folder" placeholder="out.json" width="w-32" />
      ) : null}
      {check.from === "command" ? (
        <CheckInput
          {...p}
          name="command"
          label="Command that prints the JSON"
          placeholder="cat out.json"
          width="w-32"
        />
      ) : null}
      {check.from === "url" ? (
        <CheckInput {...p} name="url" label="URL that returns JSON" placeholder="http://127.0.0.1:8080/" width="w-40" />
      ) : null}
    </>
  );
}

interface CheckInputProps extends CheckFieldsProps {
  name: TextName;
  label: string;
  placeholder: string;
  /** Width classes; without them the field takes all the space. */
  width?: string;
  /** The field contains a sentence, not code. */
  prose?: boolean;
}

function CheckInput({ check, of, invalid, onChange, name, label, placeholder, width, prose }: CheckInputProps) {
  return (
    <Input
      data-testid={`check-${testName[name] ?? name}`}
      aria-label={`${label}${of}`}
      aria-invalid={invalid}
      title={label}
      spellCheck={prose ?? false}
      autoComplete="off"
      placeholder={placeholder}
      className={cx(width ?? "min-w-0 flex-1", !prose && "font-mono", "text-xs")}
      value={check[name]}
      onChange={(e) => onChange({ [name]: e.target.value })}
    />
  );
}

interface CheckToggleProps extends CheckFieldsProps {
  name: "absent" | "twice" | "wait" | "whole";
  label: string;
}

function CheckToggle({ check, onChange, name, label }: CheckToggleProps) {
  return (
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
}

const testName: Partial<Record<TextName, string>> = { exitCode: "exit", minSize: "min-size" };
