import type { GoalCard } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { capitalize, oneLine, plural, stripControl } from "@/lib/text";
import { formatAge, clock, formatApprox } from "@/lib/time";
import { isLive } from "@/store/goalcards";
import { elapsedNow, isCounted } from "@/store/goals";
import { useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { useNow } from "@/ui/usenow";
import { markdownText } from "@/ui/markdowntext";
import { Sparkline } from "@/ui/sparkline";
import { assuranceOf } from "./assurancelabel";
import { goalStatusLabel } from "./labels";

interface CardProps {
  card: GoalCard;
  selected: boolean;
  /** Whether this card is the list's Tab stop. */
  tab?: boolean;
  onSelect: () => void;
  /** Whether it is selected for an action on several goals. */
  marked?: boolean;
  /** Absent if it cannot be selected. */
  onMark?: () => void;
}

/** The goal's running time, which grows while it runs. */
export function useElapsed(card: GoalCard): number {
  const known = useAppState((s) => s.goals.byId[card.id]);
  const now = useNow(known !== undefined && isCounted(known.card));
  return known ? elapsedNow(known, now) : card.spent_ms;
}

export function Card({ card, selected, tab = true, onSelect, marked = false, onMark }: CardProps) {
  const said = goalStatusLabel(card);
  const spent = useElapsed(card);
  const live = isLive(card);
  const proof = assuranceOf(card);
  const facts = [
    plural(card.steps, "step"),
    card.checks > 0 ? `${card.checks_passed}/${card.checks}` : "",
    card.usd > 0 ? money(card.usd) : "",
    live ? (spent >= 1_000 ? formatApprox(spent) : "") : formatAge(card.ended_at || card.created_at, Date.now()),
  ].filter(Boolean);
  const parked = useNow(card.exit === "parked" && card.parked_until !== "");
  const left = card.exit === "parked" ? Date.parse(card.parked_until) - parked : 0;
  const quiet = !live || card.status === "paused" ? card.reason : "";
  return (
    <div className="group relative">
      <button
        type="button"
        data-testid="goal-card"
        data-goal={card.id}
        data-status={card.status}
        data-exit={card.exit}
        aria-current={selected}
        tabIndex={tab ? 0 : -1}
        onClick={onSelect}
        className={`block w-full border-l-2 px-3.5 pt-2 pb-2 text-left ${
          selected ? "border-accent bg-surface-raised" : "border-transparent hover:bg-surface"
        }`}
      >
        <span className="line-clamp-2 pr-5 text-sm font-medium text-text">{card.objective}</span>
        <span className="mt-1 flex items-center gap-2 text-xs text-text-faint">
          <Badge tone={said.tone} live={said.live}>
            {left > 0 ? `${said.words} ${clock(left)}` : said.words}
          </Badge>
          <span className="min-w-0 flex-1 truncate tabular-nums">{facts.join(" · ")}</span>
          {card.scripted ? <span className="shrink-0 text-2xs">no AI</span> : null}
        </span>
        {proof ? (
          <span
            data-testid="card-assurance"
            data-level={card.assurance}
            title={[proof.words, proof.reason].filter(Boolean).join(": ")}
            className={`mt-0.5 line-clamp-2 text-xs break-words ${toneText[proof.tone]}`}
          >
            {proof.reason ? `${proof.words}: ${proof.reason}` : proof.words}
          </span>
        ) : null}
        {quiet && said.tone !== "ok" ? (
          <span className="mt-0.5 line-clamp-1 text-xs text-text-faint">{capitalize(markdownText(quiet))}</span>
        ) : null}
        {live ? <Sparkline values={card.activity ?? []} className="mt-1.5 block w-full" /> : null}
      </button>
      {onMark ? (
        <input
          type="checkbox"
          tabIndex={-1}
          data-testid="goal-mark"
          aria-label={`Select ${stripControl(oneLine(card.objective))}`}
          title="Select (X)"
          checked={marked}
          onChange={onMark}
          className="absolute top-2.5 right-3 accent-(--accent) opacity-0 group-hover:opacity-100 checked:opacity-100 focus-visible:opacity-100"
        />
      ) : null}
    </div>
  );
}
