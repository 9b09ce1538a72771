import { useAppState } from "@/store/context";
import { toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CloseIcon } from "@/ui/icons";
import { checkLabel } from "@/features/goals/labels";
import { programChecks } from "./checks";
import type { TryResult } from "./tryresult";
import { checkTabs } from "./checkfields";
import type { Suggestion, SuggestState } from "./usesuggestions";

interface SuggestionsProps {
  list: readonly Suggestion[];
  notes: readonly string[];
  state: SuggestState;
  problem: string;
  onAdd: (s: Suggestion) => void;
  onEdit: (s: Suggestion) => void;
  onDrop: (id: number) => void;
}

/** Suggested checks below the accepted ones. Adding one is the user's approval of it. */
export function Suggestions({ list, notes, state, problem, onAdd, onEdit, onDrop }: SuggestionsProps) {
  if (problem) {
    return (
      <p role="alert" className="-mt-2 text-xs text-bad" data-testid="suggest-problem">
        {problem}
      </p>
    );
  }
  if (state === "idle") return null;
  return (
    <div className="-mt-2 flex flex-col gap-1.5" data-testid="suggestions" data-state={state}>
      {state === "looking" ? (
        <p role="status" className="breathe text-xs text-text-faint">
          Looking at the objective and the folder…
        </p>
      ) : null}
      {state === "none" ? (
        <p role="status" className="text-xs text-text-muted" data-testid="suggest-empty">
          No checks to suggest. Write a check that fails now and passes when the goal is reached: a command such as{" "}
          <code className="font-mono">make test</code>, a file that must be there, or a page that must answer.
        </p>
      ) : null}
      <ul className="flex flex-col gap-1.5" aria-label="Suggested checks">
        {list.map((s) => (
          <Line key={s.id} suggestion={s} onAdd={onAdd} onEdit={onEdit} onDrop={onDrop} />
        ))}
      </ul>
      {notes.map((n) => (
        <p key={n} className="text-xs text-text-faint" data-testid="suggest-note">
          {n}
        </p>
      ))}
    </div>
  );
}

interface LineProps extends Pick<SuggestionsProps, "onAdd" | "onEdit" | "onDrop"> {
  suggestion: Suggestion;
}

function Line({ suggestion: s, onAdd, onEdit, onDrop }: LineProps) {
  const title = checkTabs.find((t) => t.type === s.check.type)?.title ?? s.check.type;
  return (
    <li
      data-testid="suggestion"
      data-from={s.from}
      data-outcome={s.tried?.state === "done" ? s.tried.out.outcome : (s.tried?.state ?? "")}
      className="rounded-md border border-dashed border-accent px-3 py-2 text-xs"
    >
      <div className="flex items-start gap-2">
        <span className="w-14 shrink-0 text-text-muted">{title}</span>
        <span className="selectable min-w-0 flex-1 font-mono break-words whitespace-pre-wrap">{describe(s)}</span>
        <span className="shrink-0 text-accent">Suggested</span>
        <Button data-testid="suggestion-add" className="-my-0.5" onClick={() => onAdd(s)}>
          Add
        </Button>
        <Button look="quiet" data-testid="suggestion-edit" className="-my-0.5" onClick={() => onEdit(s)}>
          Edit
        </Button>
        <IconButton label={`Dismiss the suggestion ${describe(s)}`} onClick={() => onDrop(s.id)}>
          <CloseIcon size={13} />
        </IconButton>
      </div>
      <p className="mt-0.5 pl-16 text-text-faint">
        {s.reason} <Source from={s.from} />
        {s.allow_local?.length ? ` Needs access to port ${s.allow_local.join(", ")} of this computer.` : ""}
      </p>
      {programChecks.has(s.check.type) ? (
        <Tried tried={s.tried} />
      ) : (
        <p className="mt-0.5 pl-16 text-text-muted">Not tried: a model decides it when the agent claims completion</p>
      )}
    </li>
  );
}

/** The source of a reason that a model gave. */
function Source({ from }: { from: Suggestion["from"] }) {
  const model = useAppState((s) => s.providers.find((p) => p.active)?.model);
  return from === "model" ? <span>– proposed by {model || "the model"}.</span> : null;
}

function Tried({ tried }: { tried: TryResult }) {
  if (!tried) return null;
  const line = (tone: string, text: string) => (
    <p role="status" className={cx("mt-0.5 pl-16", tone)} data-testid="suggestion-tried">
      {text}
    </p>
  );
  if (tried.state === "running") return line("breathe text-text-faint", "trying it…");
  if (tried.state === "failed") return line("text-warn", tried.text);
  const { outcome, detail } = tried.out;
  if (outcome === "fails_now") return line("text-ok", "Fails now, as it should");
  if (outcome === "passes_already") {
    return line("text-warn", "Passes already: it would not show that the goal is reached");
  }
  const label = checkLabel(outcome);
  return line(toneText[label.tone], `${label.words}: ${detail}`);
}

/** The whole check in one line, because adding it approves exactly this. */
function describe({ check: c }: Suggestion): string {
  switch (c.type) {
    case "shell":
      return `${c.command ?? ""}${c.exit_code ? ` (exit ${c.exit_code})` : ""}`;
    case "http":
      return `${c.method || "GET"} ${c.url ?? ""} is ${c.status || 200}${c.body_contains ? ` and contains ${c.body_contains}` : ""}`;
    case "file": {
      const rest = [
        c.matches ? `matches ${c.matches}` : "",
        c.min_size && c.min_size > 1 ? `${c.min_size} B or more` : "",
      ];
      return [`${c.path ?? ""} ${c.absent ? "does not exist" : "exists"}`, ...rest.filter(Boolean)].join(", ");
    }
    default:
      return c.question ?? c.expr ?? c.note ?? "";
  }
}
