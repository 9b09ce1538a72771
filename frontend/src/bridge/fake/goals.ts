import type { GoalEvent, GoalView, StepRow } from "@/bridge/types";
import type { Body } from "./demoevents";

/** One goal of the fake bridge, as Go would store it. */
export class FakeGoal {
  readonly events: GoalEvent[] = [];
  readonly steps: StepRow[] = [];

  constructor(readonly view: GoalView) {}

  /** Appends an event to the journal, as Go does before it sends the event. */
  record(body: Body, at: number): GoalEvent {
    const head = { goal_id: this.view.id, at: new Date(at).toISOString() };
    if (body.type === "delta") return { ...head, ...body };
    this.view.seq++;
    const event = { ...head, run_id: "r1", seq: this.view.seq, ...body } as GoalEvent;
    this.events.push(event);
    this.apply(event, at);
    return event;
  }

  private apply(event: GoalEvent, at: number) {
    const v = this.view;
    const since = v.started_at ? at - Date.parse(v.started_at) : 0;
    if (v.status === "running") v.spent_ms = Math.max(v.spent_ms, since);
    switch (event.type) {
      case "started":
      case "resumed":
      case "reopened":
        v.status = "running";
        v.exit = "";
        v.reason = "";
        v.started_at ||= event.at;
        break;
      case "iteration":
        v.iterations = event.n;
        break;
      case "usage":
        v.tokens_in += event.tokens_in;
        v.tokens_out += event.tokens_out;
        v.usd += event.usd;
        break;
      case "step_started":
        v.steps = event.step_id;
        this.steps.push({
          n: event.step_id,
          at_ms: since,
          tool: event.tool,
          arguments: event.arguments,
          outcome: "",
          ms: 0,
          preview: "",
          image_sha256: "",
          effect: event.effect.risk,
        });
        break;
      case "step": {
        const row = this.steps.find((s) => s.n === event.step_id);
        if (row) Object.assign(row, { outcome: event.outcome, ms: event.ms, preview: event.preview });
        v.activity = [...(v.activity ?? []), 1 + ((event.step_id * 7) % 5)].slice(-24);
        break;
      }
      case "claim":
        v.checks_passed = 0;
        break;
      case "verdict": {
        const check = v.check_states?.[event.check];
        const { outcome, detail, tail = "", ms, claim } = event;
        if (check) Object.assign(check, { outcome, detail, tail, ms, claim });
        if (outcome === "pass") v.checks_passed++;
        break;
      }
      case "verification_failed":
        v.marks = [
          ...(v.marks ?? []),
          { at_ms: since, what: "verify:fail", detail: event.detail, claim: event.claim, step: 0 },
        ];
        break;
      case "todos":
        v.todos = event.items;
        v.notes = event.notes ?? [];
        break;
      case "critic":
        v.marks = [
          ...(v.marks ?? []),
          {
            at_ms: since,
            what: `critic:${event.verdict.toLowerCase()}`,
            detail: event.reason,
            claim: 0,
            step: event.step,
          },
        ];
        break;
      case "model_changed":
        v.provider = event.provider;
        v.model = event.model;
        v.options = { ...v.options, fallbacks: event.fallbacks ?? [] };
        break;
      case "limits_changed":
        v.wall_clock_ms = event.wall_clock_ms;
        v.max_iterations = event.iterations;
        break;
      case "lease":
        v.panes = [...(v.panes ?? []).filter((p) => p !== event.pane), ...(event.held ? [event.pane] : [])];
        break;
      case "paused":
        Object.assign(v, { status: "paused", exit: event.exit, reason: event.reason, report: event.report });
        break;
      case "accepted":
        delete v.assurance_words;
        delete v.reopen_note;
        if (event.assurance_basis) v.assurance_basis = event.assurance_basis;
        break;
      case "ended":
        Object.assign(v, {
          status: event.status,
          exit: event.exit,
          verified: event.verified,
          judged: event.judged ?? false,
          ...(event.assurance ? { assurance: event.assurance } : {}),
          ...(event.assurance_reason ? { assurance_reason: event.assurance_reason } : {}),
          report: event.report,
        });
        v.reason = event.report?.[0] ?? "";
        v.ended_at = event.at;
        if (event.verified) {
          v.marks = [
            ...(v.marks ?? []),
            { at_ms: since, what: "verify:pass", detail: "every check passed", claim: 2, step: 0 },
          ];
        }
        break;
      default:
        break;
    }
  }
}
