import { useState } from "react";
import { Button } from "@/ui/button";
import { PlusIcon, SparkIcon } from "@/ui/icons";
import { CheckRows } from "./checks";
import { checkTabs } from "./checkfields";
import { isFilled, keyOf } from "./draftcheck";
import { Suggestions, UselessSuggestions } from "./suggestions";
import { StartProblem } from "./startproblem";
import { isUsable, isUseless, type Suggestion } from "./usesuggestions";
import type { NewGoalForm } from "./usenewgoal";

/** What decides the goal: suggested checks with a tick, and the user's own. Suggestions take the place of an empty one. */
export function DoneWhen({ form }: { form: NewGoalForm }) {
  const { draft, suggestions } = form;
  const [isAdding, setAdding] = useState(false);
  const keys = new Set(draft.checks.map(keyOf));
  const isTicked = (s: Suggestion) => keys.has(s.key);
  const shown = suggestions.list.filter((s) => isUsable(s) || isTicked(s));
  const isSuggested = (i: number) => {
    const check = draft.checks[i];
    return check !== undefined && shown.some((s) => s.key === keyOf(check));
  };
  const own = draft.checks.flatMap((c, i) =>
    !isSuggested(i) && (isAdding || shown.length === 0 || isFilled(c)) ? [i] : [],
  );
  const lists = { isTicked, onTick: form.tick, onEdit: form.editSuggestion };
  const add = () => {
    setAdding(true);
    if (draft.checks.every((c) => isFilled(c))) form.addCheck();
    requestAnimationFrame(focusLastCheck);
  };
  return (
    <fieldset className="min-w-0">
      <Head form={form} />
      <div className="rounded-md border border-border">
        {/* As high as three suggestions, so that nothing below moves when they arrive. */}
        <div className="max-h-[60vh] min-h-[110px] overflow-y-auto">
          <Suggestions list={shown} {...lists} />
          <CheckRows form={form} own={own} />
        </div>
        <div className="flex flex-wrap items-center gap-x-3 border-t border-border px-3 py-1.5">
          <UselessSuggestions list={suggestions.list} {...lists} />
          <span className="flex-1" />
          <button
            type="button"
            data-testid="check-add"
            className="inline-flex items-center gap-1 text-xs text-text-muted hover:text-text"
            onClick={add}
          >
            <PlusIcon size={13} /> Add a check
          </button>
        </div>
      </div>
      <StartProblem form={form} />
      <SuggestWords form={form} />
    </fieldset>
  );
}

/** Moves the cursor to the newest check. */
export function focusLastCheck() {
  const rows = document.querySelectorAll<HTMLElement>('[data-testid="check-row"]');
  rows[rows.length - 1]?.querySelector<HTMLElement>("input:not([type=radio]), textarea")?.focus();
}

function Head({ form: { draft, set, suggestions } }: { form: NewGoalForm }) {
  const filled = draft.checks.filter((c) => isFilled(c));
  const only = checkTabs.find((t) => t.type === draft.checks[0]?.type);
  return (
    <legend className="mb-1 flex w-full items-center gap-x-2 text-xs max-[640px]:flex-wrap">
      <span className="shrink-0 font-medium">Done when</span>
      {filled.length > 1 ? (
        <select
          data-testid="criterion-any"
          aria-label="How many checks must pass"
          className="rounded-sm bg-transparent text-text-muted"
          value={draft.any ? "any" : "all"}
          onChange={(e) => set({ any: e.target.value === "any" })}
        >
          <option value="all">all of these pass</option>
          <option value="any">one of these passes</option>
        </select>
      ) : (
        <span className="shrink-0 text-text-faint">{only?.line}</span>
      )}
      <span className="min-w-0 flex-1 truncate text-text-faint max-[640px]:basis-full">
        <span className="max-[640px]:hidden">· </span>the agent cannot change this
      </span>
      <span
        role="status"
        className="shrink-0 text-text-faint max-[640px]:ml-auto"
        data-testid="suggest-state"
        data-state={suggestions.state}
      >
        {progressOf(suggestions)}
      </span>
      <Button
        look="quiet"
        className="h-6 px-1.5 text-agent"
        data-testid="suggest-checks"
        title="Also asks the model (Alt+S)"
        disabled={suggestions.state === "looking" || draft.objective.trim() === ""}
        onClick={() => void suggestions.suggest(true)}
      >
        <SparkIcon size={13} /> Suggest checks
      </Button>
    </legend>
  );
}

function progressOf({ state, list }: NewGoalForm["suggestions"]): string {
  if (state === "looking") return "Looking…";
  const tried = list.filter((s) => isUsable(s) || isUseless(s)).length;
  if (state === "trying") return `Trying ${Math.min(tried + 1, list.length)} of ${list.length}…`;
  return state === "found" ? "Tried just now" : "";
}

function SuggestWords({ form: { suggestions } }: { form: NewGoalForm }) {
  const { problem, state, notes, list } = suggestions;
  if (problem) {
    return (
      <p role="alert" className="mt-1 text-xs text-bad" data-testid="suggest-problem">
        {problem}
      </p>
    );
  }
  return (
    <>
      {state === "none" && list.length === 0 && notes.length > 0 ? (
        <p role="status" className="mt-1 text-xs text-text-muted" data-testid="suggest-empty">
          No checks to suggest. Write a check that fails now and passes when the goal is reached: a command such as{" "}
          <code className="font-mono">make test</code>, a file that must be there, or a page that must answer.
        </p>
      ) : null}
      {notes.map((n) => (
        <p key={n} className="mt-1 text-xs text-text-faint" data-testid="suggest-note">
          {n}
        </p>
      ))}
    </>
  );
}
