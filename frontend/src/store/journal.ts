import type { GoalEvent, Note, Reasoning, Todo, Verdict } from "@/bridge/types";
import { failureLines, plural } from "@/lib/text";

/** A claim with its verdicts, at its position in the step log. */
export interface ClaimFact {
  n: number;
  at: string;
  /** Who claimed: the critic, the user, or `""` for the agent. */
  by: string;
  rationale: string;
  /** How many todos of the agent's plan were not done. */
  openTodos: number;
  /** The last step that began before the claim. */
  afterStep: number;
  verdicts: Verdict[];
  failed: string;
}

/** A message or decision between steps. */
export interface NoteFact {
  seq: number;
  kind:
    | "steered"
    | "warning"
    | "paused"
    | "looked"
    | "resumed"
    | "queued"
    | "reopened"
    | "limits_changed"
    | "model_changed"
    | "created"
    | "critic"
    | "review"
    | "accepted"
    | "changes_undone"
    | "taken"
    | "race_ranked"
    | "rechecked"
    | "message"
    | "todos"
    | "approval_requested"
    | "approval_resolved"
    | "ended";
  at: string;
  text: string;
  afterStep: number;
  /** The subject of a warning (sandbox, network, iterations …), or "note" of a plan whose notes were changed. */
  what?: string;
  /** The goal whose agent wrote it, if the user did not. */
  from?: string;
  /** For a message of the agent: its thinking and the cost of the turn. */
  reasoning?: string;
  cost?: TurnCost;
  /** For an approval: whether it was given. */
  allowed?: boolean;
}

/** The cost of one turn. */
export interface TurnCost {
  tokens: number;
  usd: number;
}

/** The total spending of a goal at a moment. */
export interface UsagePoint {
  at: number;
  tokens: number;
  usd: number;
}

/** The parts of a journal that the dashboard shows, without the conversation. */
export interface Journal {
  seq: number;
  step: number;
  claims: readonly ClaimFact[];
  notes: readonly NoteFact[];
  usage: readonly UsagePoint[];
  /** The error lines of failed steps, by number. */
  failures: Readonly<Record<number, readonly string[]>>;
  /** Since when the model's answer is awaited, `""` if something else runs. Streamed text is not in the journal. */
  turnSince: string;
  /** The targets of steps on a page, by number, if their arguments have only an element number. */
  touched: Readonly<Record<number, string>>;
}

export const emptyJournal: Journal = {
  seq: 0,
  step: 0,
  claims: [],
  notes: [],
  usage: [],
  failures: {},
  touched: {},
  turnSince: "",
};

/** Adds one event to the journal. Events that are not newer change nothing. */
export function withFact(j: Journal, event: GoalEvent): Journal {
  const seq = event.seq ?? 0;
  if (seq <= j.seq) return j;
  const next: Journal = { ...j, seq, turnSince: turnSince(j, event) };
  switch (event.type) {
    case "step_started":
      return { ...next, step: Math.max(j.step, event.step_id) };
    case "claim":
      return {
        ...next,
        claims: [
          ...j.claims,
          {
            n: event.n,
            at: event.at,
            by: event.by ?? "",
            rationale: event.rationale,
            openTodos: event.open_todos ?? 0,
            afterStep: j.step,
            verdicts: [],
            failed: "",
          },
        ],
      };
    case "verdict":
      return {
        ...next,
        claims: updateClaim(j.claims, event.claim, (c) => ({ ...c, verdicts: [...c.verdicts, event] })),
      };
    case "verification_failed":
      return { ...next, claims: updateClaim(j.claims, event.claim, (c) => ({ ...c, failed: event.detail })) };
    case "usage":
      return { ...next, notes: event.by ? j.notes : withCost(j, event), usage: [...j.usage, point(j.usage, event)] };
    case "step":
      if (!event.point?.words) return next;
      return { ...next, touched: { ...j.touched, [event.step_id]: event.point.words } };
    case "message":
      return withMessage(next, event);
    case "todos":
      return event.note
        ? note(next, event, keptText(event.note, event.notes ?? []), { what: "note" })
        : note(next, event, planText(event.items ?? []));
    case "approval_requested":
      return note(next, event, event.why, { what: event.tool });
    case "approval_resolved":
      return note(next, event, event.why ?? "", { allowed: event.allowed });
    case "ended":
      return note(next, event, event.report?.[0] ?? event.exit, { what: event.exit });
    case "steered":
      return note(next, event, event.text, event.from ? { from: event.from } : {});
    case "warning":
      return note(next, event, event.text, { what: event.what });
    case "queued":
      return note(next, event, event.left ? `left the queue: ${event.reason}` : event.reason);
    case "paused":
      return note(next, event, event.reason || event.exit);
    case "looked":
      return note(next, event, `${plural(event.n, "look")} so far, the last one: ${event.text}`);
    case "resumed":
      return note(next, event, event.note ?? "");
    case "reopened":
      return note(next, event, event.note);
    case "model_changed":
      return note(next, event, [`${event.provider} ${event.model}`, ...(event.fallbacks ?? [])].join(", then "));
    case "created":
      return event.roles ? note(next, event, rolesText(event.roles)) : next;
    case "limits_changed":
      return note(next, event, limitsText(event));
    case "critic":
      return note(next, event, criticText(event));
    case "accepted":
      return note(next, event, event.assurance_reason ?? "");
    case "changes_undone":
      return note(next, event, undoneText(event), event.redo ? { what: "redo" } : {});
    case "taken":
      return note(next, event, takenText(event), event.undone ? { what: "undone" } : {});
    case "race_ranked":
      return note(next, event, rankedText(event));
    case "rechecked":
      return note(next, event, recheckText(event.verdicts ?? []));
    case "review":
      return note(
        next,
        event,
        `${event.error ? "error" : event.confirmed ? "confirmed" : "rejected"}: ${event.reason}`,
      );
    default:
      return next;
  }
}

/** A turn begins with its iteration, and is over with the answer, its first call, or the end of the run. */
function turnSince(j: Journal, event: GoalEvent): string {
  if (event.type === "iteration") return event.at;
  return ["message", "step_started", "claim", "paused", "ended"].includes(event.type) ? "" : j.turnSince;
}

/** The agent's text is a note; of the messages to the agent, only the reason of a failed step is kept. */
function withMessage(j: Journal, event: Extract<GoalEvent, { type: "message" }>): Journal {
  const { role, text, step, reasoning } = event.message;
  if (role === "assistant") {
    const thought = reasoning ? reasoningText(reasoning) : "";
    if (!text.trim() && !thought) return j;
    return note(j, event, text.trim(), thought ? { reasoning: thought } : {});
  }
  if (role !== "tool" || !step || !text.startsWith('{"ok":false')) return j;
  return { ...j, failures: { ...j.failures, [step]: failureLines(text) } };
}

/** The readable part of a model's reasoning, like Go's DisplayText: `""` if all of it is encrypted. */
function reasoningText(r: Reasoning): string {
  if (r.text) return r.text.trim();
  const parts = (r.items ?? []).flatMap((item) => {
    const { summary, thinking, text } = (item ?? {}) as Record<string, unknown>;
    const summaries = Array.isArray(summary)
      ? summary.map((s: unknown) => (s as { text?: unknown } | null)?.text)
      : [summary];
    return [...summaries, thinking, text];
  });
  return parts.filter((p): p is string => typeof p === "string" && p.trim() !== "").join("\n\n");
}

/** A turn's cost follows its message immediately. */
function withCost(j: Journal, event: Extract<GoalEvent, { type: "usage" }>): readonly NoteFact[] {
  const last = j.notes[j.notes.length - 1];
  if (last?.kind !== "message" || last.seq !== j.seq) return j.notes;
  const cost = { tokens: event.tokens_in + event.tokens_out, usd: event.usd };
  return [...j.notes.slice(0, -1), { ...last, cost }];
}

/** `1 of 4 done, next: Serve` */
function planText(items: readonly Todo[]): string {
  const done = items.filter((t) => t.done).length;
  const next = items.find((t) => !t.done);
  return `${done} of ${items.length} done${next ? `, next: ${next.text}` : ""}`;
}

/** The critic's verdicts in words. A reply that could not be read decides nothing; it is in the transcript. */
const criticVerdicts: Record<Extract<GoalEvent, { type: "critic" }>["verdict"], string> = {
  PROGRESSING: "sees progress",
  STUCK: "sees no progress",
  ACHIEVED: "takes the goal for reached",
  MISLED: "sees the agent on a wrong track",
  unparsed: "gave no clear answer",
};

/** `critic a/small, judge b/large` */
function rolesText(roles: Readonly<Record<string, string>>): string {
  return Object.entries(roles)
    .map(([role, model]) => `${role} ${model}`)
    .join(", ");
}

function criticText({ verdict, reason }: Extract<GoalEvent, { type: "critic" }>): string {
  const words = criticVerdicts[verdict];
  return verdict === "unparsed" || !reason ? words : `${words}: ${reason}`;
}

/** The note that the agent wrote, replaced or removed. */
function keptText(n: number, notes: readonly Note[]): string {
  return notes.find((one) => one.n === n)?.text ?? `note ${n} was removed`;
}

function undoneText(e: Extract<GoalEvent, { type: "changes_undone" }>): string {
  const count = plural(e.count, "file");
  const files = e.redo ? `${count} undone before` : `${count} restored to ${e.to}`;
  return e.skipped ? `${files}; ${e.skipped} left alone` : files;
}

function rankedText(e: Extract<GoalEvent, { type: "race_ranked" }>): string {
  const places = (e.ranked ?? []).map((one, i) => `${i + 1}. runner ${one.runner}: ${one.reason}`);
  return places.length > 0 ? places.join("\n") : `The reviewer gave no order: ${e.problem ?? ""}`;
}

function takenText(e: Extract<GoalEvent, { type: "taken" }>): string {
  const count = plural(e.count, "file");
  if (e.undone) return `${count} in ${e.folder} restored`;
  return `${count} put into ${e.folder}${e.commit ? `, committed to ${e.branch ?? ""}` : ""}`;
}

/** `1 passed, 1 failed` */
function recheckText(verdicts: readonly Verdict[]): string {
  const counts = { passed: 0, failed: 0, "cannot run again": 0 };
  for (const { outcome } of verdicts) {
    if (outcome === "pass") counts.passed++;
    else if (outcome === "not_repeatable") counts["cannot run again"]++;
    else counts.failed++;
  }
  return Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what}`)
    .join(", ");
}

function limitsText(l: Extract<GoalEvent, { type: "limits_changed" }>): string {
  const or = (n: number, text: string) => (n > 0 ? text : "no limit");
  return [
    `time ${or(l.wall_clock_ms, `${Math.round(l.wall_clock_ms / 60_000)} min`)}`,
    `turns ${or(l.iterations, String(l.iterations))}`,
    `tokens ${or(l.tokens, String(l.tokens))}`,
    `money ${or(l.usd, `$${l.usd.toFixed(2)}`)}`,
  ].join(" · ");
}

function updateClaim(claims: readonly ClaimFact[], n: number, change: (c: ClaimFact) => ClaimFact): ClaimFact[] {
  return claims.map((c) => (c.n === n ? change(c) : c));
}

function point(
  usage: readonly UsagePoint[],
  event: { at: string; tokens_in: number; tokens_out: number; usd: number },
) {
  const last = usage[usage.length - 1];
  return {
    at: Date.parse(event.at),
    tokens: (last?.tokens ?? 0) + event.tokens_in + event.tokens_out,
    usd: (last?.usd ?? 0) + event.usd,
  };
}

function note(
  j: Journal,
  event: GoalEvent & { type: NoteFact["kind"] },
  text: string,
  more: Pick<NoteFact, "from" | "what" | "reasoning" | "allowed"> = {},
): Journal {
  const fact: NoteFact = { seq: j.seq, kind: event.type, at: event.at, text, afterStep: j.step, ...more };
  return { ...j, notes: [...j.notes, fact] };
}

/** Adds many events, for a page of the journal, without copying the lists for each of them. */
export function withFacts(j: Journal, events: readonly GoalEvent[]): Journal {
  return events.reduce(withFact, j);
}
