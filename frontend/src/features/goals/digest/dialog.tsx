import { useState } from "react";
import type { Digest, GoalCard } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { plural, stripControl } from "@/lib/text";
import { assuranceOf } from "@/features/goals/assurancelabel";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import type { GoalTab } from "@/store/state";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dialog } from "@/ui/dialog";

/** What happened while the user was away: what needs them, what failed, and what is done. */
export function DigestDialog() {
  const since = useAppState((s) => s.digestSince);
  return since ? <Shown key={since} since={since} /> : null;
}

function Shown({ since }: { since: string }) {
  const app = useApp();
  const { answer } = useAnswer("GoalAPI.Digest", since);
  const close = () => app.set({ digestSince: "" });
  if (!answer) return null;
  const first = firstOf(answer);
  return (
    <Dialog
      open
      title="While you were away"
      testid="digest"
      help="how-to/goals"
      description="What happened to your goals, and what to do next"
      className="w-[680px]"
      onClose={close}
      onKeyDown={(e) => {
        if (e.code !== "Enter" || e.target !== e.currentTarget || !first) return;
        e.preventDefault();
        open(app, first);
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint" data-testid="digest-sum">
            Since {new Date(answer.since).toLocaleString()} · {plural(answer.running, "goal")} running ·{" "}
            {money(answer.usd)}
          </span>
          <Button data-testid="digest-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {first ? null : <p className="text-text-muted">Nothing needs you, and no goal has ended.</p>}
      <Part title="Needs you" goals={answer.needs_you ?? []} action="Answer" first={first?.id ?? ""} />
      <Part title="Failed" goals={answer.failed ?? []} action="See why" first={first?.id ?? ""} hasChanges />
      <Part title="Done" goals={answer.done ?? []} action="Review changes" first={first?.id ?? ""} />
    </Dialog>
  );
}

/** The goal that is opened first. */
function firstOf(d: Digest): GoalCard | undefined {
  return d.needs_you?.[0] ?? d.failed?.[0] ?? d.done?.[0];
}

function open(app: App, card: GoalCard, tab: GoalTab = card.status === "completed" ? "changes" : "log"): void {
  app.set({ digestSince: "" });
  app.openGoal(card.id, tab);
}

const shownAtFirst = 3;

interface PartProps {
  title: string;
  goals: readonly GoalCard[];
  action: string;
  /** The goal that Enter opens. */
  first: string;
  /** What they changed is one click away. */
  hasChanges?: boolean;
}

function Part({ title, goals, action, first, hasChanges = false }: PartProps) {
  const app = useApp();
  const [isWhole, setWhole] = useState(false);
  if (goals.length === 0) return null;
  const shown = isWhole ? goals : goals.slice(0, shownAtFirst);
  return (
    <section className="mb-4" aria-label={title}>
      <Caption as="h3" className="mb-1.5">
        {title} ({goals.length})
      </Caption>
      <ul className="rounded-lg border border-border bg-surface">
        {shown.map((card) => (
          <li
            key={card.id}
            data-testid="digest-goal"
            data-goal={card.id}
            className="flex flex-wrap items-center gap-2 border-b border-border px-3 py-2 last:border-b-0"
          >
            <div className="min-w-0 flex-1 max-[640px]:basis-full">
              <p className="truncate font-medium">{stripControl(card.objective)}</p>
              <p className="truncate text-xs text-text-faint">{factOf(card)}</p>
            </div>
            <Button look={card.id === first ? "primary" : "plain"} onClick={() => open(app, card)}>
              {action}
            </Button>
            {hasChanges ? (
              <Button look="quiet" data-testid="digest-changes" onClick={() => open(app, card, "changes")}>
                Changes
              </Button>
            ) : null}
          </li>
        ))}
        {goals.length > shown.length ? (
          <li className="px-3 py-1.5">
            <Button look="quiet" data-testid="digest-all" onClick={() => setWhole(true)}>
              Show all
            </Button>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

/** The one thing to know about a goal. */
function factOf(card: GoalCard): string {
  const words = card.status === "completed" ? (assuranceOf(card)?.words ?? "") : card.reason;
  const asks = card.asks ? `${plural(card.asks, "request")} waiting for your answer` : "";
  const facts = [asks || words, card.aftermath ?? "", `${card.checks_passed}/${card.checks} checks`];
  if (card.usd > 0) facts.push(money(card.usd));
  return stripControl(facts.filter(Boolean).join(" · "));
}
