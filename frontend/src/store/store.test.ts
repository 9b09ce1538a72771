import { describe, expect, test } from "vitest";
import { blankView, browserPane, terminalPane } from "@/bridge/fake/fixtures";
import type { GoalCard, GoalEvent, PaneEvent, StepRow } from "@/bridge/types";
import { cardAfterEvent, canPause, canResume, groupOf, isLive } from "./goalcards";
import { emptyDetail, withGoalEvent, withJournalPage, withSteps, withView, type DetailState } from "./goaldetail";
import { grouped, noGoals, elapsedNow, withCard, withEvent, withoutCard, withPage } from "./goals";
import { noPanes, withPane, withPaneEvent, withPaneList } from "./panes";

const card = (part: Partial<GoalCard> = {}): GoalCard => ({
  ...blankView,
  id: "g",
  seq: 3,
  status: "running",
  ...part,
});
const head = (seq: number) => ({ goal_id: "g", seq, at: "2026-01-01T00:00:10.000Z" });
const iteration = (seq: number, n: number): GoalEvent => ({ ...head(seq), type: "iteration", n });

describe("goals", () => {
  const state = withPage(noGoals, { goals: [card()], total: 1, counts: {} }, {}, 1_000);

  test("the next event is applied", () => {
    const next = withEvent(state, iteration(4, 9));
    expect(next.byId.g?.card).toMatchObject({ iterations: 9, seq: 4 });
    expect(next.stale).toEqual({});
  });

  test("an old event and its duplicate change nothing", () => {
    expect(withEvent(state, iteration(3, 9))).toBe(state);
    const once = withEvent(state, iteration(4, 9));
    expect(withEvent(once, iteration(4, 9))).toBe(once);
  });

  test("a gap and an unknown goal ask for a snapshot, once", () => {
    const gap = withEvent(state, iteration(6, 9));
    expect(gap.stale).toEqual({ g: 6 });
    expect(gap.byId.g?.card.iterations).toBe(0);
    expect(withEvent(gap, iteration(7, 9)).stale).toEqual({ g: 7 });
    expect(withEvent(noGoals, iteration(1, 1)).stale).toEqual({ g: 1 });
  });

  test("a snapshot ends a gap, and an older one does not take anything back", () => {
    const gap = withEvent(state, iteration(6, 9));
    const fresh = withCard(gap, card({ seq: 8, iterations: 11 }), 2_000);
    expect(fresh.stale).toEqual({});
    expect(fresh.byId.g?.card.iterations).toBe(11);
    expect(withCard(fresh, card({ seq: 5 }), 3_000).byId.g?.card.seq).toBe(8);
    expect(
      withPage(fresh, { goals: [card({ seq: 5 })], total: 1, counts: {} }, fresh.byId, 3_000).byId.g?.card.seq,
    ).toBe(8);
  });

  test("a snapshot that is older than a received event ends no gap, nor does a list without the goal", () => {
    const gap = withEvent(withEvent(state, iteration(6, 9)), iteration(7, 10));
    expect(withCard(gap, card({ seq: 6 }), 2_000).stale).toEqual({ g: 7 });
    expect(withCard(gap, card({ seq: 7 }), 2_000).stale).toEqual({});
    const unknown = withEvent(noGoals, iteration(1, 1));
    expect(withPage(unknown, { goals: [], total: 0, counts: {} }, {}, 0).stale).toEqual({ g: 1 });
    expect(withoutCard(unknown, "g").stale).toEqual({});
  });

  test("what ends or pauses a goal is shown at once and asked for again", () => {
    const ended: GoalEvent = {
      ...head(4),
      type: "ended",
      status: "completed",
      exit: "done",
      verified: true,
      report: ["because"],
    };
    const next = withEvent(state, ended);
    expect(next.byId.g?.card).toMatchObject({ status: "completed", verified: true, reason: "because" });
    expect(next.stale).toEqual({ g: 4 });
  });

  test("a first page forgets what is no longer there", () => {
    const next = withPage(state, { goals: [card({ id: "h" })], total: 1, counts: {} }, state.byId, 0);
    expect(Object.keys(next.byId)).toEqual(["h"]);
    expect(withoutCard(next, "h")).toMatchObject({ byId: {}, total: 0 });
  });

  test("a first page keeps what came after it was asked for, and a later page what is there", () => {
    const born = withCard(state, card({ id: "new", seq: 1 }), 0);
    const next = withPage(born, { goals: [card({ id: "h" })], total: 1, counts: {} }, state.byId, 0);
    expect(Object.keys(next.byId).sort()).toEqual(["h", "new"]);
    expect(next.total).toBe(2);
    const more = withPage(next, { goals: [card()], total: 4, counts: {} }, null, 0);
    expect(Object.keys(more.byId).sort()).toEqual(["g", "h", "new"]);
    expect(more.total).toBe(4);
  });

  test("time continues from the snapshot while a goal runs", () => {
    expect(elapsedNow({ card: card({ spent_ms: 500 }), asOf: 1_000 }, 3_000)).toBe(2_500);
    expect(elapsedNow({ card: card({ spent_ms: 500, status: "paused" }), asOf: 1_000 }, 3_000)).toBe(500);
    expect(elapsedNow({ card: card({ spent_ms: 500, asks: 1 }), asOf: 1_000 }, 3_000)).toBe(500);
  });

  test("time between two runs does not count, whenever the next snapshot comes", () => {
    let s = withCard(noGoals, card({ seq: 10, spent_ms: 136_000, status: "failed", exit: "error" }), 0);
    const id = card().id;
    const spent = (now: number) => {
      const known = s.byId[id];
      return known ? elapsedNow(known, now) : -1;
    };
    const apply = (seq: number, now: number, e: Partial<GoalEvent> & Pick<GoalEvent, "type">) =>
      (s = withEvent(s, { ...head(seq), goal_id: id, ...e } as GoalEvent, now));
    const half = 32 * 60_000;
    apply(11, half, { type: "resumed" });
    expect(spent(half + 5_000)).toBe(141_000);
    apply(12, half + 5_000, { type: "approval_requested" });
    expect(spent(half + 60_000)).toBe(141_000);
    apply(13, half + 60_000, { type: "approval_resolved" });
    expect(spent(half + 61_000)).toBe(142_000);
    apply(14, half + 61_000, { type: "paused", exit: "user_paused", reason: "" });
    expect(spent(2 * half)).toBe(142_000);
  });

  test("a goal that was resumed waits in the queue until it begins or leaves it", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const applied = (c: GoalCard, e: Partial<GoalEvent>) => cardAfterEvent(c, { goal_id: "g", at, ...e } as GoalEvent);
    const waits = applied(card({ status: "failed", exit: "limit_reached", queued: "" }), {
      type: "queued",
      reason: "3 goals are already running",
    });
    expect(waits).toMatchObject({ status: "failed", queued: "3 goals are already running" });
    expect([groupOf(waits), isLive(waits), canPause(waits), canResume(waits)]).toEqual(["queued", true, true, false]);
    const left = applied(waits, { type: "queued", reason: "the user paused the goal", left: "user_paused" });
    expect(left).toMatchObject({ status: "failed", exit: "limit_reached", queued: "" });
    expect([groupOf(left), isLive(left), canPause(left)]).toEqual(["failed", false, false]);
    const parked = { ...waits, status: "paused", exit: "parked" } as const;
    expect(applied(parked, { type: "queued", reason: "the user paused the goal", left: "user_paused" }).exit).toBe(
      "user_paused",
    );
    const away = { type: "paused", exit: "parked", reason: "unreachable" } as const;
    const since = applied(applied(parked, { ...away, at: "1" }), { ...away, at: "2" });
    expect(since.parked_since).toBe("1");
    expect(applied(since, { type: "usage", tokens_in: 1, tokens_out: 1, usd: 0 }).parked_since).toBe("");
    expect(applied(waits, { type: "resumed" })).toMatchObject({ status: "running", queued: "" });
    expect(canPause(card({ status: "pending", queued: "3 goals are already running" }))).toBe(false);
  });

  test("groups, newest first", () => {
    expect(groupOf({ status: "paused", exit: "needs_user", queued: "" })).toBe("needs_you");
    expect(groupOf({ status: "paused", exit: "stuck", queued: "" })).toBe("needs_you");
    expect(groupOf({ status: "paused", exit: "parked", queued: "" })).toBe("paused");
    expect(groupOf({ status: "failed", exit: "limit_reached", queued: "3 goals are already running" })).toBe("queued");
    const by = grouped([
      card({ id: "a", created_at: "2026-01-01T00:00:00Z" }),
      card({ id: "b", created_at: "2026-01-02T00:00:00Z" }),
      card({ id: "c", status: "failed" }),
      card({ id: "d", status: "aborted", exit: "user_aborted" }),
      card({ id: "e", status: "aborted", exit: "gave_up", created_at: "2025-01-03T00:00:00Z" }),
    ]);
    expect(by.running.map((c) => c.id)).toEqual(["b", "a"]);
    expect(by.failed.map((c) => c.id)).toEqual(["c", "e"]);
    expect(by.aborted.map((c) => c.id)).toEqual(["d"]);
    expect(by.done).toEqual([]);
  });
});

describe("detail", () => {
  const view = {
    ...blankView,
    id: "g",
    status: "running" as const,
    seq: 10,
    checks: 1,
    started_at: "2026-01-01T00:00:00.000Z",
    check_states: [
      { type: "shell" as const, name: "t", words: "", outcome: "" as const, detail: "", tail: "", ms: 0, claim: 0 },
    ],
  };
  const row: StepRow = {
    n: 1,
    at_ms: 0,
    tool: "read_file",
    arguments: "{}",
    outcome: "ok",
    ms: 1,
    preview: "",
    image_sha256: "",
    effect: "",
  };
  const journal = Array.from({ length: 10 }, (_, i) => iteration(i + 1, 1));
  const ready = (): DetailState =>
    withJournalPage(
      withSteps(withView(emptyDetail("g"), view, 0), { steps: [row], total: 1, seq: 10 }, true),
      journal,
      true,
    );
  const started: GoalEvent = {
    ...head(11),
    type: "step_started",
    step_id: 2,
    tool: "edit_file",
    arguments: "{}",
    effect: { risk: "write_local" },
  };
  const stepped: GoalEvent = {
    ...head(12),
    type: "step",
    step_id: 2,
    tool: "edit_file",
    outcome: "failed",
    ms: 7,
    preview: "no",
  };

  test("events after the snapshots build on them", () => {
    const d = [started, stepped].reduce(withGoalEvent, ready());
    expect(d.steps).toHaveLength(2);
    expect(d.steps[1]).toMatchObject({ n: 2, at_ms: 10_000, outcome: "failed", ms: 7, effect: "write_local" });
    expect(d.view?.seq).toBe(12);
    expect(d.gap).toBe(false);
  });

  test("events that arrive before the snapshots are kept and then applied in order", () => {
    let d = withGoalEvent(emptyDetail("g"), started);
    d = withView(d, { ...view, seq: 11 }, 0);
    d = withGoalEvent(d, stepped);
    // This snapshot was taken before the step began, and the view's snapshot afterwards.
    d = withSteps(d, { steps: [row], total: 1, seq: 10 }, true);
    expect(d.steps).toHaveLength(1);
    d = withJournalPage(d, journal, true);
    expect(d.steps[1]).toMatchObject({ n: 2, outcome: "failed" });
    expect(d.early).toEqual([]);
    expect(d.gap).toBe(false);
  });

  test("a duplicate changes nothing and a gap is marked", () => {
    const d = withGoalEvent(ready(), started);
    expect(withGoalEvent(d, started)).toBe(d);
    expect(withGoalEvent(d, iteration(14, 2)).gap).toBe(true);
  });

  test("events of other goals are not this one's business", () => {
    const d = ready();
    expect(withGoalEvent(d, { ...started, goal_id: "other" })).toBe(d);
  });

  test("a claim gathers its verdicts at the step that made it", () => {
    const verdict = { check: 0, name: "t", exit_code: 1, ms: 5, claim: 1, detail: "exit 1", evidence: "ff" };
    const d = [
      started,
      { ...head(12), type: "claim", n: 1, rationale: "done" } as GoalEvent,
      { ...head(13), type: "verdict", outcome: "fail", tail: "x", ...verdict } as GoalEvent,
      { ...head(14), type: "verification_failed", claim: 1, detail: "t: exit 1" } as GoalEvent,
    ].reduce(withGoalEvent, ready());
    expect(d.journal.claims).toMatchObject([
      { n: 1, afterStep: 2, failed: "t: exit 1", verdicts: [{ outcome: "fail" }] },
    ]);
    expect(d.view?.check_states?.[0]).toMatchObject({ outcome: "fail", claim: 1 });
    expect(d.view?.marks).toMatchObject([{ what: "verify:fail", at_ms: 10_000 }]);
  });

  test("plan, critic and review are shown where they were said", () => {
    const items = [
      { text: "Build", done: true },
      { text: "Serve", done: false },
    ];
    const d = [
      { ...head(11), type: "todos", items } as GoalEvent,
      { ...head(12), type: "critic", verdict: "STUCK", reason: "in a circle", step: 1 } as GoalEvent,
      { ...head(13), type: "claim", n: 1, rationale: "x", by: "critic" } as GoalEvent,
      { ...head(14), type: "review", claim: 1, confirmed: false, reason: "no proof" } as GoalEvent,
    ].reduce(withGoalEvent, ready());
    expect(d.view?.todos).toEqual(items);
    expect(d.view?.marks).toMatchObject([
      { what: "critic:stuck", step: 1, detail: "in a circle", at_ms: 10_000 },
      { what: "review:rejected", claim: 1 },
    ]);
    expect(d.journal.claims[0]?.by).toBe("critic");
    expect(d.journal.notes.map((n) => [n.kind, n.text])).toEqual([
      ["todos", "1 of 2 done, next: Serve"],
      ["critic", "sees no progress: in a circle"],
      ["review", "rejected: no proof"],
    ]);
  });

  test("what the agent notes is shown beside the plan", () => {
    const notes = [{ n: 2, text: "port 7443" }];
    const d = [
      { ...head(11), type: "todos", items: [], notes, note: 2 } as GoalEvent,
      { ...head(12), type: "todos", items: [], notes, note: 1 } as GoalEvent,
      { ...head(13), type: "claim", n: 1, rationale: "x", open_todos: 3 } as GoalEvent,
    ].reduce(withGoalEvent, ready());
    expect(d.view?.notes).toEqual(notes);
    expect(d.journal.notes.map((n) => [n.what, n.text])).toEqual([
      ["note", "port 7443"],
      ["note", "note 1 was removed"],
    ]);
    expect(d.journal.claims[0]?.openTodos).toBe(3);
  });

  test("a note tells whether a user or another goal said it", () => {
    const d = [
      { ...head(11), type: "steered", text: "use tabs" } as GoalEvent,
      { ...head(12), type: "steered", text: "I am done", from: "child" } as GoalEvent,
    ].reduce(withGoalEvent, ready());
    expect(d.journal.notes.map((n) => [n.text, n.from])).toEqual([
      ["use tabs", undefined],
      ["I am done", "child"],
    ]);
  });

  test("new limits hold at once, and a goal that continues has no report", () => {
    const limits = { wall_clock_ms: 7_200_000, iterations: 9, claims_per_check: 4, tokens: 5, usd: 2 };
    const d = [
      {
        ...head(11),
        type: "paused",
        exit: "parked",
        reason: "later",
        report: ["why"],
        account: "mine",
        until: "2026-01-01T01:00:00.000Z",
      } as GoalEvent,
      { ...head(12), type: "limits_changed", ...limits } as GoalEvent,
    ].reduce(withGoalEvent, ready());
    expect(d.view).toMatchObject({
      account: "mine",
      parked_until: "2026-01-01T01:00:00.000Z",
      max_iterations: 9,
      max_claims: 4,
    });
    const on = withGoalEvent(d, { ...head(13), type: "resumed", note: "go" });
    expect(on.view).toMatchObject({ status: "running", parked_until: "", account: "", report: [] });
  });

  test("a goal that is reopened is no longer verified", () => {
    const before = withView(ready(), { ...view, status: "completed", exit: "done", verified: true }, 0);
    const d = withGoalEvent(before, { ...head(11), type: "reopened", note: "more" });
    expect(d.view).toMatchObject({ status: "running", exit: "", verified: false });
    expect(d.journal.notes[0]).toMatchObject({ kind: "reopened", text: "more" });
  });

  test("an undo, a redo and the checks after them have their own words", () => {
    const undone = (seq: number, redo?: boolean): GoalEvent => ({
      ...head(seq),
      type: "changes_undone",
      to: "the start of the goal",
      count: 1,
      files: ["a"],
      ...(redo ? { redo } : {}),
    });
    const verdicts = [{ outcome: "pass" }, { outcome: "fail" }];
    const checked = { ...head(12), type: "rechecked", result: "not_met", passed: 1, verdicts } as GoalEvent;
    const d = [undone(11), checked, undone(13, true)].reduce(withGoalEvent, ready());
    expect(d.journal.notes.map((n) => n.text)).toEqual([
      "1 file restored to the start of the goal",
      "1 passed, 1 failed",
      "1 file undone before",
    ]);
  });

  test("spend adds up over the turns", () => {
    const usage = (seq: number, usd: number): GoalEvent => ({
      ...head(seq),
      type: "usage",
      tokens_in: 10,
      tokens_out: 1,
      usd,
    });
    const d = [usage(11, 0.5), usage(12, 0.25)].reduce(withGoalEvent, ready());
    expect(d.journal.usage.map((u) => [u.tokens, u.usd])).toEqual([
      [11, 0.5],
      [22, 0.75],
    ]);
    expect(d.view?.usd).toBe(0.75);
  });
});

describe("panes", () => {
  const event = (rev: number, pane = terminalPane("t1"), closed = false): PaneEvent => ({
    type: "pane",
    at: "",
    rev,
    pane,
    closed,
  });
  const state = withPaneList(noPanes, { ...noPanes, rev: 5, panes: [terminalPane("t1")] });

  test("an event before the list asks for the list again", () => {
    expect(withPaneEvent(noPanes, event(1))).toEqual({ ...noPanes, gap: true });
  });

  test("panes open, change in place and close", () => {
    let s = withPaneEvent(state, event(6, browserPane("b1")));
    s = withPaneEvent(s, event(7, terminalPane("t1", { title: "make" })));
    expect(s.panes.map((p) => [p.id, p.title])).toEqual([
      ["t1", "make"],
      ["b1", "New page"],
    ]);
    s = withPaneEvent(s, event(8, terminalPane("t1"), true));
    expect(s.panes.map((p) => p.id)).toEqual(["b1"]);
  });

  test("a pane that an agent wants to be seen is said once", () => {
    const s = withPaneEvent(state, { ...event(6), focus: true });
    expect(s.shown).toEqual({ id: "t1", rev: 6 });
    expect(withPaneEvent(s, event(7)).shown).toBe(s.shown);
    expect(withPaneList(s, { ...noPanes, rev: 9, panes: [] }).shown).toBe(s.shown);
  });

  test("old revisions are dropped and a gap is marked until the list is here", () => {
    expect(withPaneEvent(state, event(5))).toBe(state);
    const gap = withPaneEvent(state, event(9));
    expect(gap.gap).toBe(true);
    expect(withPaneList(gap, { ...noPanes, rev: 9, panes: [] })).toMatchObject({ gap: false, panes: [], rev: 9 });
  });

  test("a pane that a call answered with is not there twice", () => {
    const s = withPane(state, terminalPane("t2"));
    expect(withPaneEvent(s, event(6, terminalPane("t2"))).panes).toHaveLength(2);
    expect(withPane(s, terminalPane("t2"))).toBe(s);
  });
});
