import { useState, type ReactNode } from "react";
import { describeArguments, oneLine, parseArguments, resultText, stripControl } from "@/lib/text";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { DiffText } from "@/ui/diff";
import { callFiles, type CallFile } from "./callfiles";
import { AgentText } from "./text";
import { exitCode } from "./callwords";

interface Call {
  tool: string;
  arguments: string;
  outcome: string;
  preview: string;
  result: string;
}

interface DetailProps {
  args: Record<string, unknown>;
  call: Call;
  result: string;
}

interface CallDetailsProps {
  step: Call;
  /** Shows a file that the call names. Without it, their names are text. */
  onFile?: ((file: CallFile) => void) | undefined;
}

/** The files of a call, and its arguments and its result, each in a readable form. */
export function CallDetails({ step, onFile }: CallDetailsProps) {
  const args = parseArguments(step.arguments);
  const Details = (Object.hasOwn(forms, step.tool) && forms[step.tool]) || OtherDetails;
  const result = resultText(step.result);
  const files = callFiles(step.tool, args, result);
  const { path: _path, paths: _paths, ...others } = args;
  return (
    <div className="flex flex-col gap-1.5">
      {files.map((file) => (
        <FileLink key={file.path} file={file} onOpen={onFile && (() => onFile(file))} />
      ))}
      <Details args={files.length > 0 ? others : args} call={step} result={result} />
    </div>
  );
}

function FileLink({ file, onOpen }: { file: CallFile; onOpen: (() => void) | undefined }) {
  const name = stripControl(file.path) + (file.line > 0 ? `:${file.line}` : "");
  if (!onOpen) return <p className="selectable font-mono text-xs break-all text-text-muted">{name}</p>;
  return (
    <button
      type="button"
      data-testid="step-file"
      title="Show the file in a pane"
      className="self-start rounded-sm text-left font-mono text-xs break-all text-accent hover:underline max-[640px]:min-h-6"
      onClick={onOpen}
    >
      {name}
    </button>
  );
}

const forms: Partial<Record<string, (p: DetailProps) => ReactNode>> = {
  run_command: CommandDetails,
  terminal_run: CommandDetails,
  agent_run: CommandDetails,
  edit_file: EditDetails,
  write_file: FileDetails,
  claim_complete: ClaimDetails,
  abort_with_report: ClaimDetails,
  write_todos: PlanDetails,
};

function stringOf(args: Record<string, unknown>, key: string): string {
  const value = args[key];
  return typeof value === "string" ? value : "";
}

/** A command with its output, as in a terminal. */
function CommandDetails({ args, call, result }: DetailProps) {
  const code = exitCode(call.preview);
  const output = code === null ? result : result.replace(/^.*\n?/, "");
  return (
    <div className="flex flex-col gap-1.5" data-testid="step-result">
      <pre className="font-mono text-xs break-words whitespace-pre-wrap text-text">
        <span aria-hidden className="text-ok select-none">
          ${" "}
        </span>
        {stripControl(stringOf(args, "command"))}
      </pre>
      <LongText text={output} label="Output" className="text-text-muted" />
      {code === null ? null : (
        <p className={cx("text-xs", code === 0 ? "text-text-faint" : "text-bad")}>Exited with {code}</p>
      )}
    </div>
  );
}

/** The change of an edit: with its context if the result has it, otherwise the replaced text. */
function EditDetails({ args, call, result }: DetailProps) {
  const at = result.indexOf("@@ ");
  const lines = (mark: string, text: string) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .map((l) => mark + l);
  const diff =
    at >= 0 && call.outcome === "ok"
      ? result.slice(at)
      : [...lines("-", stringOf(args, "old")), ...lines("+", stringOf(args, "new"))].join("\n");
  return (
    <div className="flex flex-col gap-1.5" data-testid="step-result">
      <DiffText text={diff} testid="step-diff" className="max-h-96" />
      {call.outcome === "ok" || !result ? null : <LongText text={result} label="Result" className="text-bad" />}
    </div>
  );
}

function FileDetails({ args, result, call }: DetailProps) {
  return (
    <div className="flex flex-col gap-1.5" data-testid="step-result">
      <LongText text={stringOf(args, "content")} label="Content" className="text-text-muted" />
      {result ? (
        <p className={cx("text-xs", call.outcome === "ok" ? "text-text-faint" : "text-bad")}>{stripControl(result)}</p>
      ) : null}
    </div>
  );
}

/** The agent's final text or report. */
function ClaimDetails({ args, result }: DetailProps) {
  const last = stringOf(args, "result") || stringOf(args, "what_was_learned");
  return (
    <div className="flex flex-col gap-2">
      <AgentText text={stringOf(args, "rationale") || stringOf(args, "reason")} className="text-text" />
      {last ? (
        <Part title={stringOf(args, "result") ? "Result for you" : "What was learned"}>
          <AgentText text={last} className="text-text-muted" />
        </Part>
      ) : null}
      {result ? (
        <Part title="Answer">
          <div data-testid="step-result">
            <LongText text={result} label="Answer" className="text-text-muted" />
          </div>
        </Part>
      ) : null}
    </div>
  );
}

function PlanDetails({ args, result }: DetailProps) {
  const todos = Array.isArray(args.todos) ? args.todos : [];
  return (
    <ul className="text-xs" data-testid="step-result">
      {todos.map((todo: unknown, i) => {
        const { text, done } = (todo ?? {}) as { text?: unknown; done?: unknown };
        return (
          <li key={i}>
            <span className={done ? "text-ok" : "text-text-faint"}>{done ? "✓" : "○"}</span>{" "}
            {stripControl(typeof text === "string" ? text : "")}
          </li>
        );
      })}
      {result ? <li className="mt-1 text-text-faint">{stripControl(result)}</li> : null}
    </ul>
  );
}

/** Any other call: its arguments by name and its result as text. */
function OtherDetails({ args, result }: DetailProps) {
  const named = describeArguments(args);
  return (
    <div className="flex flex-col gap-2">
      {named.length > 0 ? (
        <dl className="grid grid-cols-[minmax(70px,auto)_1fr] gap-x-3 gap-y-0.5 text-xs">
          {named.map(({ name, value }) => (
            <div key={name} className="contents">
              <dt className="text-text-faint">{stripControl(name)}</dt>
              <dd className="selectable min-w-0 break-words whitespace-pre-wrap text-text">{stripControl(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {result ? (
        <div data-testid="step-result">
          <LongText text={result} label="Result" className="text-text-muted" />
        </div>
      ) : null}
    </div>
  );
}

interface PartProps {
  title: string;
  children: ReactNode;
}

export function Part({ title, children }: PartProps) {
  return (
    <section>
      <Caption as="h4" className="mb-1">
        {title}
      </Caption>
      {children}
    </section>
  );
}

const firstLines = 24;

interface LongTextProps {
  text: string;
  label: string;
  className?: string;
}

/** A text from a program or a page: its first lines, expandable. */
export function LongText({ text, label, className }: LongTextProps) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const cut = lines.length > firstLines + 4 && !all;
  if (oneLine(text) === "") return null;
  return (
    <div>
      <pre
        tabIndex={0}
        aria-label={label}
        className={cx(
          "selectable max-h-[60vh] overflow-auto font-mono text-xs break-words whitespace-pre-wrap",
          className,
        )}
      >
        {stripControl(cut ? lines.slice(0, firstLines).join("\n") : text)}
      </pre>
      {cut ? (
        <Button look="quiet" data-testid="show-all" className="mt-1" onClick={() => setAll(true)}>
          Show full output ({lines.length} lines)
        </Button>
      ) : null}
    </div>
  );
}
