import { useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { SuggestedCheck } from "@/bridge/types";
import { useApp } from "@/store/context";
import { programChecks } from "./checks";
import type { TryResult } from "./tryresult";
import type { Draft } from "./draft";
import { draftCheck, keyOf } from "./draftcheck";
import { toTryInput } from "./input";

/** A proposed check and the result of trying it. It is part of the goal while it is ticked. */
export interface Suggestion extends SuggestedCheck {
  /** Of the check, as `keyOf` returns it. */
  key: string;
  tried: TryResult;
}

export type SuggestState = "idle" | "looking" | "trying" | "found" | "none";

/** Reports whether a suggestion is one to tick: it runs and fails now, or a model decides it. */
export function isUsable({ check, tried }: Suggestion): boolean {
  if (!programChecks.has(check.type)) return true;
  return tried?.state === "done" && tried.out.outcome === "fails_now";
}

/** Reports whether trying a suggestion has shown that it is of no use now. */
export const isUseless = (s: Suggestion): boolean =>
  !isUsable(s) && (s.tried?.state === "done" || s.tried?.state === "failed");

const explain = (reason: unknown) => {
  const p = asProblem(reason);
  return p.hint ? `${p.message} · ${p.hint}` : p.message;
};

/**
 * Suggestions for the draft. They are tried one after the other, in a copy of the folder; `onTried` is called with each
 * result.
 */
export function useSuggestions(draft: Draft, onTried: (s: Suggestion) => void) {
  const app = useApp();
  const [list, setList] = useState<readonly Suggestion[]>([]);
  const [notes, setNotes] = useState<readonly string[]>([]);
  const [state, setState] = useState<SuggestState>("idle");
  const [problem, setProblem] = useState("");
  const newest = useRef(0);
  /** Results by folder and check, so that nothing is tried twice while the user types. */
  const results = useRef(new Map<string, TryResult>());
  /** What the user last asked for: the suggestions while typing do not replace them. */
  const askedFor = useRef("");
  const report = useRef(onTried);
  report.current = onTried;

  /** Looks for suggestions. Without the model it costs nothing, so it may happen while the user types. */
  const suggest = async (withModel: boolean) => {
    const what = JSON.stringify([draft.objective.trim(), draft.dir.trim()]);
    if (!withModel && askedFor.current === what) return;
    if (withModel) askedFor.current = what;
    newest.current += 1;
    const turn = newest.current;
    const isCurrent = () => turn === newest.current;
    setState("looking");
    setProblem("");
    let found: Suggestion[];
    try {
      const out = await app.bridge.call("GoalAPI.Suggest", {
        objective: draft.objective,
        dir: draft.dir.trim(),
        provider: draft.provider,
        model: draft.model.trim(),
        no_model: !withModel,
      });
      if (!isCurrent()) return;
      const resultOf = (key: string) => results.current.get(draft.dir + key) ?? null;
      found = (out.checks ?? []).map((s) => {
        const key = keyOf(draftCheck(s.check));
        return { ...s, key, tried: resultOf(key) };
      });
      setNotes(withModel ? (out.notes ?? []) : []);
    } catch (reason) {
      if (!isCurrent()) return;
      setState("idle");
      if (withModel) setProblem(explain(reason));
      return;
    }
    // What a model proposed stays while the user goes on typing.
    const isKept = (s: Suggestion) => !withModel && s.from === "model" && !found.some((f) => f.key === s.key);
    setList((all) => [...found, ...all.filter(isKept)]);
    for (const s of found.filter((o) => programChecks.has(o.check.type))) {
      if (!s.tried) {
        setState("trying");
        s.tried = await tryOne(s);
        if (s.tried?.state === "done") results.current.set(draft.dir + s.key, s.tried);
        if (!isCurrent()) return;
        const { tried } = s;
        setList((all) => all.map((o) => (o.key === s.key ? { ...o, tried } : o)));
      }
      report.current(s);
    }
    setState(found.length > 0 ? "found" : "none");
  };

  const tryOne = async (s: Suggestion): Promise<TryResult> => {
    const input = toTryInput(draft, draftCheck(s.check));
    try {
      const out = await app.bridge.call("GoalAPI.TrySuggested", {
        ...input,
        check: s.check,
        allow_local: [...new Set([...(input.allow_local ?? []), ...(s.allow_local ?? [])])],
        unconfined: false,
      });
      return { state: "done", out };
    } catch (reason) {
      return { state: "failed", text: explain(reason) };
    }
  };

  const drop = (key: string) => setList((all) => all.filter((s) => s.key !== key));
  const stop = () => {
    newest.current += 1;
    setList([]);
    setState("idle");
  };

  return { list, notes, state, problem, suggest, drop, stop };
}
