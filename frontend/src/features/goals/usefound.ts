import { useEffect, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem, SearchHit, SearchOutput, SearchPlace } from "@/bridge/types";
import type { App } from "@/store/app";
import { useApp } from "@/store/context";

const searchAfterMs = 250;
const searchAgainMs = 500;
const goalLimit = 20;
/** One letter is in too many texts. */
export const minLength = 2;

/** Where a hit is, as its line says it. */
export const placeWords: Record<SearchPlace, string> = {
  objective: "objective",
  report: "report",
  file: "changed path",
  note: "note",
  said: "said",
  check: "check",
  ran: "ran",
  output: "output",
};

interface Answer {
  out: SearchOutput | null;
  problem: Problem | null;
}

const none: Answer = { out: null, problem: null };

/**
 * Searches what goals said and did, a moment after the last letter. Until the answer for new words comes, it returns
 * what was found for the words before.
 */
export function useFound(words: string): Answer {
  const app = useApp();
  const [answer, setAnswer] = useState<Answer>(none);
  useEffect(() => {
    if (words.length < minLength) {
      setAnswer(none);
      return;
    }
    let stale = false;
    const ask = () => {
      app.bridge
        .call("GoalAPI.Search", { words, limit: goalLimit })
        .then((out) => {
          if (stale) return;
          setAnswer({ out, problem: null });
          if (out.behind) timer = setTimeout(ask, searchAgainMs);
        })
        .catch((reason: unknown) => !stale && setAnswer({ out: null, problem: asProblem(reason) }));
    };
    let timer = setTimeout(ask, searchAfterMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [app, words]);
  return answer;
}

/** Shows the place of a hit in its goal: its step, or else the transcript. Null shows the transcript. */
export function openHit(app: App, goal: string, hit: SearchHit | null): void {
  if (hit?.place === "objective" || hit?.place === "report") app.openGoal(goal, "log");
  else if (hit && hit.step > 0) app.openStep(goal, hit.step);
  else app.openGoal(goal, "transcript");
}

/** The step in the words of a hit. A report is about all steps. */
export const stepWords = ({ place, step }: SearchHit): string =>
  step > 0 && place !== "report" ? ` · step ${step}` : "";
