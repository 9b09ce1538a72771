import { useEffect, useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import { useApp, useAppState } from "@/store/context";
import type { TryResult } from "./tryresult";
import { changeDraft, emptyDraft, saveDraft, savedDraft, type Draft } from "./draft";
import { draftCheck, isFilled, type DraftCheck } from "./draftcheck";
import { advancedFields, errorsOf, validate, type Errors } from "./errors";
import { fromInput, toInput, toTryInput } from "./input";
import { useFirstFolder } from "./usefirstfolder";
import { useSuggestions, type Suggestion } from "./usesuggestions";

const hasAdvanced = (errors: Errors) => advancedFields.some((name) => errors[name]);

/** The state of the New goal dialog: the draft, its errors, and the tries of its checks. */
export function useNewGoal() {
  const app = useApp();
  const from = useAppState((s) => s.newGoal.from);
  const [draft, setDraft] = useState<Draft>(() => (from ? fromInput(from) : savedDraft(localStorage)));
  const [tried, setTried] = useState<readonly TryResult[]>([]);
  const [errors, setErrors] = useState<Errors>({});
  const [advanced, setAdvanced] = useState(false);
  const [busy, setBusy] = useState(false);
  const objective = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (!from) saveDraft(localStorage, draft);
  }, [draft, from]);

  const set = (part: Partial<Draft>) => {
    setDraft((d) => changeDraft(d, part));
    setErrors({});
  };
  const folderFrom = useFirstFolder(draft, !from && draft.dir === "", (part) =>
    setDraft((d) => (d.dir === "" ? changeDraft(d, part) : d)),
  );
  const clear = () => {
    setDraft(emptyDraft);
    setErrors({});
  };
  const setChecks = (checks: DraftCheck[]) => {
    set({ checks });
    // A changed command has not been tried.
    setTried((all) => checks.map((k, i) => (k === draft.checks[i] ? (all[i] ?? null) : null)));
  };

  const tryCheck = async (index: number) => {
    const check = draft.checks[index];
    if (!check) return;
    const put = (t: TryResult) => setTried((all) => draft.checks.map((_, i) => (i === index ? t : (all[i] ?? null))));
    put({ state: "running" });
    try {
      const out = await app.bridge.call("GoalAPI.Try", toTryInput(draft, check));
      put({ state: "done", out });
    } catch (reason) {
      const problem = asProblem(reason);
      put({ state: "failed", text: problem.hint ? `${problem.message} · ${problem.hint}` : problem.message });
    }
  };

  const start = async () => {
    if (busy) return;
    const wrong = validate(draft);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) {
      if (wrong.objective) objective.current?.focus();
      if (wrong.limits || hasAdvanced(wrong)) setAdvanced(true);
      return;
    }
    setBusy(true);
    try {
      const { goal_id } = await app.bridge.call("GoalAPI.Start", toInput(draft));
      if (!from) saveDraft(localStorage, null);
      app.closeNewGoal();
      app.openGoal(goal_id);
    } catch (reason) {
      const refused = errorsOf(asProblem(reason));
      setErrors(refused);
      if (hasAdvanced(refused)) setAdvanced(true);
    } finally {
      setBusy(false);
    }
  };

  // The tries show which files decide these checks, so nothing has to be guessed from names.
  const observed = draft.checks.filter((_, i) => {
    const t = tried[i];
    return t?.state === "done" && t.out.trace !== undefined && !t.out.trace.incomplete;
  });

  const suggestions = useSuggestions(draft);
  /** Adds a suggested check to the goal, with the result of its try. It replaces an empty check. */
  const acceptSuggestion = (s: Suggestion) => {
    const kept = draft.checks.filter((c) => isFilled(c));
    setChecks([...kept, draftCheck(s.check)]);
    const ports = (s.allow_local ?? []).filter((port) => !draft.allow_local.includes(port));
    if (ports.length > 0) set({ allow_local: [...draft.allow_local, ...ports] });
    if (s.tried?.state === "done") {
      const { tried: result } = s;
      setTried((all) => [...kept.map((_, i) => all[i] ?? null), result]);
    }
    suggestions.drop(s.id);
  };

  return {
    suggestions,
    acceptSuggestion,
    folderFrom,
    draft,
    set,
    clear,
    setChecks,
    observed,
    tried,
    tryCheck,
    errors,
    advanced,
    setAdvanced,
    busy,
    objective,
    start,
  };
}
