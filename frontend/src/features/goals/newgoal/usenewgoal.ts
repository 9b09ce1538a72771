import { useEffect, useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { GoalRequest, RunnerChoice } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { planOf, usualTimes } from "@/store/schedules";
import type { TryResult } from "./tryresult";
import { changeDraft, emptyDraft, saveDraft, savedDraft, type Draft } from "./draft";
import { describeCheck } from "@/agent/checkwords";
import { checkOf, draftCheck, emptyCheck, isFilled, keyOf, type DraftCheck } from "./draftcheck";
import { errorsOf, panelOf, validate, type Errors, type Panel } from "./errors";
import { fromInput, fromScheduled, toInput, toTryInput } from "./input";
import { useFirstFolder } from "./usefirstfolder";
import { isUsable, useSuggestions, type Suggestion } from "./usesuggestions";

/** How long the user stops typing before checks are suggested. */
const suggestAfterMs = 1_000;

export type NewGoalForm = ReturnType<typeof useNewGoal>;

/** The state of the New goal dialog: the draft, its errors, and the tries of its checks. */
export function useNewGoal() {
  const app = useApp();
  const from = useAppState((s) => s.newGoal.from);
  const chat = useAppState((s) => s.newGoalChat);
  const schedule = useAppState((s) => s.newGoal.schedule);
  const [draft, setDraft] = useState<Draft>(() => firstDraft(from, schedule));
  const [errors, setErrors] = useState<Errors>({});
  const [panel, setPanel] = useState<Panel>("");
  const [busy, setBusy] = useState(false);
  /** The runners of a race; `null` is one goal. */
  const [runners, setRunners] = useState<RunnerChoice[] | null>(null);
  const [raceError, setRaceError] = useState("");
  const objective = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (!from) saveDraft(localStorage, draft);
  }, [draft, from]);

  const set = (part: Partial<Draft>) => {
    setDraft((d) => changeDraft(d, part));
    setErrors({});
  };
  const folderFrom = useFirstFolder(draft, draft.dir === "" && from?.dir === undefined, (part) =>
    setDraft((d) => (d.dir === "" ? changeDraft(d, part) : d)),
  );
  const choice = useDraftChecks(draft, setDraft, set);
  const clear = () => {
    setDraft({ ...emptyDraft, dir: draft.dir });
    setErrors({});
    choice.suggestions.stop();
  };

  const refuse = (wrong: Errors) => {
    setErrors(wrong);
    if (wrong.objective) objective.current?.focus();
    const wanted = panelOf(wrong);
    if (wanted) setPanel(wanted);
  };

  /** Starts a goal or a race, and returns the goal to show. */
  const begin = async (d: Draft): Promise<string> => {
    if (runners) return (await app.bridge.call("RaceAPI.Start", { ...toInput(d), runners })).race_id;
    if (chat) return (await app.bridge.call("ChatAPI.StartGoal", chat, toInput(d))).goal_id;
    return (await app.bridge.call("GoalAPI.Start", toInput(d))).goal_id;
  };

  const startWith = async (d: Draft) => {
    if (busy) return;
    const wrong = validate(d);
    if (Object.keys(wrong).length > 0) {
      refuse(wrong);
      return;
    }
    setBusy(true);
    setRaceError("");
    const checks = d.checks
      .filter((c) => isFilled(c))
      .map((c) => ({ words: describeCheck(checkOf(c)), isTried: choice.triedOf(c)?.state === "done" }));
    app.set({ starting: { objective: d.objective.trim(), checks }, route: "goals" });
    try {
      const goal_id = await begin(d);
      if (!from) saveDraft(localStorage, null);
      app.closeNewGoal();
      app.workspaces.addGoal(goal_id);
      // The user may look at something else by now.
      if (app.state.route === "goals") app.openGoal(goal_id);
      else app.sync.select(goal_id);
      if (runners) app.set({ race: goal_id });
    } catch (reason) {
      const problem = asProblem(reason);
      if (runners) setRaceError(`${problem.message} · ${problem.hint}`);
      else refuse(errorsOf(problem));
    } finally {
      app.set({ starting: null });
      setBusy(false);
    }
  };
  const start = () => startWith(draft);
  /** Lets the user choose when the goal starts again and again, instead of starting it. */
  const repeat = () => {
    const wrong = validate(draft);
    if (Object.keys(wrong).length > 0) refuse(wrong);
    else {
      const onSaved = () => {
        if (!from) saveDraft(localStorage, null);
        app.closeNewGoal();
      };
      app.set({ scheduling: { id: "", plan: { ...usualTimes, request: toInput(draft) }, onSaved } });
    }
  };
  /** Starts although a check passes already, or its program is missing: the user confirms that for this start alone. */
  const startAnyway = (confirmation: "allow_passing" | "allow_missing") => {
    const confirmed = { ...draft, [confirmation]: true };
    setDraft(confirmed);
    return startWith(confirmed);
  };

  const save = useSaveToSchedule(schedule, draft, refuse);

  const race = { runners, setRunners, raceError };
  return {
    ...choice,
    ...race,
    folderFrom,
    draft,
    set,
    clear,
    errors,
    panel,
    setPanel,
    busy,
    objective,
    start,
    /** Stores the draft as the goal of the schedule; absent in a dialog that starts a goal. */
    save: schedule ? save : undefined,
    repeat,
    startAnyway,
  };
}

function firstDraft(from: Partial<GoalRequest> | null, schedule: string | undefined): Draft {
  if (!from) return savedDraft(localStorage);
  return schedule ? fromScheduled(from as GoalRequest) : fromInput(from);
}

/** Returns what stores a draft as the goal of a schedule. One that was not changed is not stored. */
function useSaveToSchedule(schedule = "", draft: Draft, refuse: (wrong: Errors) => void) {
  const app = useApp();
  const first = useRef(JSON.stringify(toInput(draft)));
  const isSaving = useRef(false);
  return async () => {
    if (isSaving.current) return;
    const wrong = validate(draft);
    if (Object.keys(wrong).length > 0) {
      refuse(wrong);
      return;
    }
    isSaving.current = true;
    try {
      const request = toInput(draft);
      if (JSON.stringify(request) !== first.current) {
        const newest = await app.bridge.call("ScheduleAPI.Get", schedule); // its times may have changed
        await app.bridge.call("ScheduleAPI.Save", schedule, { ...planOf(newest), request });
        app.set({ schedulesRevision: app.state.schedulesRevision + 1 });
      }
      app.closeNewGoal();
    } catch (reason) {
      refuse(errorsOf(asProblem(reason)));
    } finally {
      isSaving.current = false;
    }
  };
}

/** The checks of a draft: their tries, and the suggestions that may become some of them. */
function useDraftChecks(
  draft: Draft,
  setDraft: (change: (d: Draft) => Draft) => void,
  set: (part: Partial<Draft>) => void,
) {
  const app = useApp();
  const newest = useRef(draft);
  newest.current = draft;
  const [tried, setTried] = useState<Readonly<Record<string, TryResult>>>({});
  /** Suggestions that are part of the draft, and those that the user does not want. */
  const accepted = useRef(new Set<string>());
  const refused = useRef(new Set<string>());
  const isOwn = (c: DraftCheck) => isFilled(c) && !accepted.current.has(keyOf(c));

  const tick = (s: Suggestion, on: boolean) => {
    (on ? accepted : refused).current.add(s.key);
    setDraft((d) => withSuggestion(d, s, on));
    setTried((all) => ({ ...all, [s.key]: s.tried }));
  };
  const suggestions = useSuggestions(draft, (s) => {
    // A model must not choose what decides, and nothing is added to what the user writes.
    const isTyping = document.activeElement?.closest('[data-testid="check-row"]') != null;
    if (s.from === "model" || !isUsable(s) || refused.current.has(s.key) || isTyping) return;
    if (newest.current.checks.some(isOwn)) return;
    accepted.current.add(s.key);
    setDraft((d) => withSuggestion(d, s, true));
    setTried((all) => ({ ...all, [s.key]: s.tried }));
  });
  useAutoSuggest(draft, (d) => {
    if (!d.checks.some(isOwn)) void suggestions.suggest(false);
  });

  const tryCheck = async (index: number) => {
    const check = draft.checks[index];
    if (!check) return;
    const put = (t: TryResult) => setTried((all) => ({ ...all, [keyOf(check)]: t }));
    put({ state: "running" });
    try {
      const out = await app.bridge.call("GoalAPI.Try", toTryInput(draft, check));
      put({ state: "done", out });
    } catch (reason) {
      const problem = asProblem(reason);
      put({ state: "failed", text: problem.hint ? `${problem.message} · ${problem.hint}` : problem.message });
    }
  };
  const triedOf = (c: DraftCheck): TryResult => tried[keyOf(c)] ?? null;

  // The tries show which files decide these checks, so nothing has to be guessed from names.
  const observed = draft.checks.filter((c) => {
    const t = triedOf(c);
    return t?.state === "done" && t.out.trace !== undefined && !t.out.trace.incomplete;
  });

  return {
    suggestions,
    tick,
    /** Makes a suggestion one of the user's own checks, to be changed. */
    editSuggestion: (s: Suggestion) => {
      tick(s, true);
      accepted.current.delete(s.key);
      suggestions.drop(s.key);
    },
    addCheck: () => {
      const { where = "", noRerun = false } = draft.checks[0] ?? {};
      set({ checks: [...draft.checks, { ...emptyCheck, where, noRerun }] });
    },
    setChecks: (checks: DraftCheck[]) => set({ checks }),
    observed,
    triedOf,
    tryCheck,
  };
}

/** The draft with or without a suggested check, and the ports that it needs. */
function withSuggestion(d: Draft, s: Suggestion, on: boolean): Draft {
  const others = d.checks.filter((c) => isFilled(c) && keyOf(c) !== s.key);
  const ports = s.allow_local ?? [];
  const checks = on ? [...others, draftCheck(s.check)] : others;
  return changeDraft(d, {
    checks: checks.length > 0 ? checks : [emptyCheck],
    allow_local: [...d.allow_local.filter((port) => !ports.includes(port)), ...(on ? ports : [])],
  });
}

/** Calls back with the draft when the user has stopped typing the objective or the folder. */
function useAutoSuggest(draft: Draft, suggest: (d: Draft) => void) {
  const newest = useRef({ draft, suggest });
  newest.current = { draft, suggest };
  const text = draft.objective.trim();
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => newest.current.suggest(newest.current.draft), suggestAfterMs);
    return () => clearTimeout(timer);
  }, [text, draft.dir]);
}
