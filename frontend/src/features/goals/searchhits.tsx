import { useRef } from "react";
import type { GoalCard, SearchedGoal, SearchHit, SearchOutput } from "@/bridge/types";
import { capitalize, oneLine, plural, stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { useRoving } from "@/ui/rovingfocus";
import { goalStatusLabel } from "./labels";
import type { GoalSearch } from "./search";
import { minLength, openHit, placeWords, stepWords, useFound } from "./usefound";

/** A line of the hits: a hit, or how many more its goal has. */
interface Line {
  goal: SearchedGoal;
  /** Null for the line after the hits of a goal. */
  hit: SearchHit | null;
  isFirst: boolean;
  more: number;
}

/** The lines of all goals. An objective that the list above already shows is left out. */
function linesOf(goals: readonly SearchedGoal[], listed: readonly GoalCard[]): Line[] {
  const above = new Set(listed.map((c) => c.id));
  return goals.flatMap((goal) => {
    const found = goal.hits ?? [];
    const hits = found.filter((h) => h.place !== "objective" || !above.has(goal.id));
    const lines: Line[] = hits.map((hit, i) => ({ goal, hit, isFirst: i === 0, more: 0 }));
    const more = goal.total - found.length;
    return more > 0 ? [...lines, { goal, hit: null, isFirst: lines.length === 0, more }] : lines;
  });
}

/** What a search finds inside of goals, below the goals that it finds by their objective. */
export function SearchHits({ search }: { search: GoalSearch }) {
  const words = search.text.trim();
  const { out, problem } = useFound(words);
  if (words.length < minLength || (!out && !problem)) return null;
  const lines = linesOf(out?.goals ?? [], search.cards);
  return (
    <section
      aria-label="Found in what goals said and did"
      data-testid="search-hits"
      className="flex max-h-[55%] shrink-0 flex-col border-t border-border"
    >
      <Caption as="h2" className="flex items-baseline gap-2 px-4 pt-2 pb-1.5">
        <span>What goals said and did</span>
        <span className="font-medium tracking-normal normal-case" role="status" data-testid="search-hits-total">
          {problem ? "" : summaryOf(out, new Set(lines.map((l) => l.goal.id)).size)}
        </span>
      </Caption>
      {problem ? (
        <p className="px-4 pb-3 text-xs text-bad" role="alert" data-testid="search-hits-problem">
          {[capitalize(problem.message), problem.hint].filter(Boolean).join(": ")}
        </p>
      ) : (
        <Lines lines={lines} />
      )}
    </section>
  );
}

/** How many goals are found. Those that are found by their objective alone are in the list above. */
function summaryOf(out: SearchOutput | null, shown: number): string {
  if (!out) return "";
  const listed = out.goals?.length ?? 0;
  let found = plural(shown, "goal");
  if (shown === 0) found = "Nothing found";
  if (out.total > listed) found = `the newest ${listed} of ${plural(out.total, "goal")}: another word finds fewer`;
  return out.behind ? `${found} so far: ${plural(out.behind, "event")} still to read` : found;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  const app = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const roving = useRoving({ scroller, count: lines.length, stops: () => true, show: () => undefined });
  const stop = roving.stop([...lines.keys()], 0);
  if (lines.length === 0) return null;
  return (
    <div
      ref={scroller}
      className="min-h-0 overflow-y-auto pb-2"
      onFocus={roving.onFocus}
      onKeyDown={(e) => roving.onKeyDown(e)}
    >
      {lines.map((line, i) => (
        <div key={`${line.goal.id} ${line.hit?.place} ${line.hit?.seq}`} data-index={i}>
          {line.isFirst ? <GoalLine goal={line.goal} /> : null}
          <button
            type="button"
            tabIndex={i === stop ? 0 : -1}
            data-testid={line.hit ? "search-hit" : "search-hits-more"}
            data-goal={line.goal.id}
            data-place={line.hit?.place}
            onClick={() => openHit(app, line.goal.id, line.hit)}
            className="flex w-full items-baseline gap-2 px-4 py-0.5 text-left text-xs text-text-muted hover:bg-surface"
          >
            {line.hit ? <Hit hit={line.hit} /> : <span className="pl-4">and {line.more} more</span>}
          </button>
        </div>
      ))}
    </div>
  );
}

function GoalLine({ goal }: { goal: SearchedGoal }) {
  // The card is newer than the answer.
  const card = useAppState((s) => s.goals.byId[goal.id]?.card);
  const said = goalStatusLabel(card ?? { ...goal, asks: 0 });
  return (
    <p className="flex min-w-0 items-center gap-2 px-4 pt-2 pb-0.5 text-sm" data-testid="search-goal">
      <Badge tone={said.tone}>{said.words}</Badge>
      <span className="truncate font-medium">{stripControl(oneLine(goal.objective))}</span>
    </p>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <>
      <span className="shrink-0 pl-4 text-text-faint">
        {placeWords[hit.place]}
        {stepWords(hit)}
      </span>
      <span className={cx("line-clamp-2 min-w-0 break-words", hit.place !== "said" && "font-mono")}>
        {(hit.parts ?? []).map((part, i) =>
          part.found ? (
            <mark key={i} className="rounded-sm bg-warn-bg text-warn">
              {stripControl(part.text)}
            </mark>
          ) : (
            stripControl(part.text)
          ),
        )}
      </span>
    </>
  );
}
