import { useState, type ReactNode } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { CheckState, FileChange, Sentence } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Button, IconButton } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { CheckIcon, CopyIcon, ReloadIcon, WarnIcon } from "@/ui/icons";
import { Count } from "@/features/goals/changes/filetree";
import { DiffLines } from "@/features/goals/changes/difflines";
import { useRecheck } from "@/features/goals/changes/recheck";
import "@/features/goals/changes/changes.css";
import { OutputDialog } from "@/features/goals/output";
import { asText, sentenceText } from "./text";

interface ReasonsProps {
  goal: string;
  check: CheckState;
  /** One column, without the diffs, where there is little space. */
  short: boolean;
}

/** Why a check counts as passed, and what to look at: its command, its output and the facts about its pass. */
export function Reasons({ goal, check, short }: ReasonsProps) {
  const made = (check.changes ?? []).filter((f) => isDoubted(check, f.path));
  return (
    <div
      data-testid="why"
      className={
        "@container mt-1.5 mb-2 rounded-lg border border-border bg-surface text-xs " +
        (short ? "" : "ml-6 max-[640px]:ml-0")
      }
    >
      <div className={short ? "" : "grid @xl:grid-cols-2"}>
        <div className="flex min-w-0 flex-col gap-3 p-3">
          {check.type === "shell" ? <Command text={check.name} /> : <Described words={check.words} />}
          {check.tail ? <OutputEnd check={check} /> : null}
          {short ? null : made.slice(0, maxMade).map((f) => <Made key={f.path} goal={goal} file={f} />)}
        </div>
        <div
          className={
            "flex min-w-0 flex-col gap-3 border-t border-border p-3 " + (short ? "" : "@xl:border-t-0 @xl:border-l")
          }
        >
          <Facts goal={goal} title="What this pass rests on" list={check.why?.rests} tone="ok" />
          <Facts goal={goal} title="What to look at" list={check.why?.look} tone="warn" />
          <Actions goal={goal} check={check} />
        </div>
      </div>
    </div>
  );
}

/** The most diffs that are shown at once. */
const maxMade = 3;

/** Reports whether a sentence that asks the user to look names the file. */
function isDoubted(check: CheckState, path: string): boolean {
  return (check.why?.look ?? []).some((s) => (s.parts ?? []).some((p) => p.kind === "file" && p.text === path));
}

function Command({ text }: { text: string }) {
  return (
    <section>
      <Caption className="mb-1">Command</Caption>
      <Box>
        <code className="selectable min-w-0 flex-1 font-mono wrap-anywhere">{stripControl(text)}</code>
        <IconButton label="Copy the command" className="-my-1" onClick={() => void writeClipboard(text)}>
          <CopyIcon size={13} />
        </IconButton>
      </Box>
    </section>
  );
}

function Described({ words }: { words: string }) {
  return (
    <section>
      <Caption className="mb-1">Passes if</Caption>
      <p className="selectable wrap-anywhere">{stripControl(words)}</p>
    </section>
  );
}

function OutputEnd({ check }: { check: CheckState }) {
  const [all, setAll] = useState(false);
  const lines = check.tail.trimEnd().split("\n").slice(-8).join("\n");
  return (
    <section>
      <div className="mb-1 flex items-baseline gap-2">
        <Caption className="flex-1">Output, the end</Caption>
        {check.evidence ? (
          <button
            type="button"
            data-testid="why-output"
            className="text-accent hover:underline"
            onClick={() => setAll(true)}
          >
            All of it
          </button>
        ) : null}
      </div>
      <Box>
        <pre
          tabIndex={0}
          aria-label={`Last lines of ${check.name}`}
          className="selectable max-h-48 min-w-0 flex-1 overflow-auto font-mono text-2xs leading-[18px] whitespace-pre-wrap wrap-anywhere"
        >
          {stripControl(lines)}
          {`\n${check.detail}`}
        </pre>
      </Box>
      {all ? <OutputDialog sha256={check.evidence ?? ""} title={check.name} onClose={() => setAll(false)} /> : null}
    </section>
  );
}

/** What the agent changed in a file that the user should look at. */
function Made({ goal, file }: { goal: string; file: FileChange }) {
  const { answer } = useCall("ChangesAPI.File", goal, file.path);
  if (!answer?.is_text) return null;
  return (
    <section data-testid="why-made">
      <div className="mb-1 flex flex-wrap items-baseline gap-x-2">
        <Caption className="flex-1 whitespace-nowrap">Made by the agent</Caption>
        <FileLink goal={goal} path={file.path} />
        <Count added={answer.added} removed={answer.removed} />
      </div>
      <div
        tabIndex={0}
        role="group"
        aria-label={`Changes of ${file.path}`}
        className="max-h-56 overflow-auto rounded-md border border-border"
      >
        <DiffLines diff={answer} split={false} whitespace />
      </div>
    </section>
  );
}

const marks = {
  ok: <CheckIcon size={14} className="mt-px shrink-0 text-ok" />,
  warn: <WarnIcon size={14} className="mt-px shrink-0 text-warn" />,
};

interface FactsProps {
  goal: string;
  title: string;
  list: readonly Sentence[] | null | undefined;
  tone: keyof typeof marks;
}

function Facts({ goal, title, list, tone }: FactsProps) {
  if (!list?.length) return null;
  return (
    <section data-testid={`why-${tone}`}>
      <Caption className="mb-1">{title}</Caption>
      <ul className="flex flex-col gap-1.5">
        {list.map((s) => (
          <li key={sentenceText(s)} className="flex gap-2.5">
            {marks[tone]}
            <div className="selectable min-w-0 flex-1 wrap-anywhere">
              {(s.parts ?? []).map((p, i) =>
                p.kind === "file" ? (
                  <FileLink key={i} goal={goal} path={p.text} />
                ) : p.kind === "code" ? (
                  <code key={i} className="font-mono">
                    {stripControl(p.text)}
                  </code>
                ) : (
                  stripControl(p.text)
                ),
              )}
              {s.note ? <p className="text-text-faint">{stripControl(s.note)}</p> : null}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Opens the diff of a file, else the file. */
function FileLink({ goal, path }: { goal: string; path: string }) {
  const app = useApp();
  return (
    <button
      type="button"
      data-testid="why-file"
      className="font-mono text-accent wrap-anywhere hover:underline"
      onClick={() => void app.panes.showChanges(goal, path)}
    >
      {stripControl(path)}
    </button>
  );
}

/** The checks that a program decides. */
const byProgram = new Set<CheckState["type"]>(["shell", "http", "file", "json_predicate"]);

function Actions({ goal, check }: { goal: string; check: CheckState }) {
  const app = useApp();
  const { result, run } = useRecheck(goal);
  const copy = async () => {
    if (await writeClipboard(asText(check))) app.notices.done("Copied as text");
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {byProgram.has(check.type) ? (
        <Button data-testid="why-again" title="Runs all checks of programs again" onClick={run}>
          <ReloadIcon size={13} /> Run again
        </Button>
      ) : null}
      <Button look="quiet" data-testid="why-copy" onClick={() => void copy()}>
        <CopyIcon size={13} /> Copy as text
      </Button>
      <span role="status" className="text-text-muted">
        {result}
      </span>
    </div>
  );
}

function Box({ children }: { children: ReactNode }) {
  return <div className="flex items-start rounded-md border border-border bg-bg px-2.5 py-1.5">{children}</div>;
}
