import { useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { SuggestedCheck } from "@/bridge/types";
import { useApp } from "@/store/context";
import { programChecks } from "./checks";
import type { TryResult } from "./tryresult";
import type { Draft } from "./draft";
import { draftCheck } from "./draftcheck";
import { toTryInput } from "./input";

/** A proposed check and the result of trying it. It is not part of the goal until the user adds it. */
export interface Suggestion extends SuggestedCheck {
  id: number;
  tried: TryResult;
}

export type SuggestState = "idle" | "looking" | "found" | "none";

/** Suggestions for the draft. They are tried one after the other, in a copy of the folder. */
export function useSuggestions(draft: Draft) {
  const app = useApp();
  const [list, setList] = useState<readonly Suggestion[]>([]);
  const [notes, setNotes] = useState<readonly string[]>([]);
  const [state, setState] = useState<SuggestState>("idle");
  const [problem, setProblem] = useState("");
  const newest = useRef(0);

  const explain = (reason: unknown) => {
    const p = asProblem(reason);
    return p.hint ? `${p.message} · ${p.hint}` : p.message;
  };

  const suggest = async () => {
    newest.current += 1;
    const turn = newest.current;
    setState("looking");
    setProblem("");
    setList([]);
    setNotes([]);
    let found: Suggestion[];
    try {
      const { provider, model } = draft;
      const out = await app.bridge.call("GoalAPI.Suggest", {
        objective: draft.objective,
        dir: draft.dir.trim(),
        provider,
        model: model.trim(),
        no_model: false,
      });
      if (turn !== newest.current) return;
      const has = new Set(draft.checks.map((c) => JSON.stringify(c)));
      found = (out.checks ?? [])
        .filter((s) => !has.has(JSON.stringify(draftCheck(s.check))))
        .map((s, id) => ({ ...s, id, tried: null }));
      setNotes(out.notes ?? []);
    } catch (reason) {
      if (turn !== newest.current) return;
      setState("idle");
      setProblem(explain(reason));
      return;
    }
    setList(found);
    setState(found.length > 0 ? "found" : "none");
    for (const s of found.filter((o) => programChecks.has(o.check.type))) {
      const put = (tried: TryResult) => setList((all) => all.map((o) => (o.id === s.id ? { ...o, tried } : o)));
      put({ state: "running" });
      const tried = await tryOne(s);
      if (turn !== newest.current) return;
      put(tried);
    }
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

  const drop = (id: number) => setList((all) => all.filter((s) => s.id !== id));

  return { list, notes, state, problem, suggest, drop };
}
