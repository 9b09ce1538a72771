import { lazy, Suspense, useState } from "react";
import type { GoalView } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { stripControl } from "@/lib/text";
import { clock, span } from "@/lib/time";
import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { AgentText } from "./agenttext";
import { assuranceOf } from "./assurancelabel";
import { useElapsed } from "./card";
import { CheckLine, useEvidence } from "./criterion";
import { Network } from "./network";
import { ReceiptDialog } from "./receipt";
import { Section } from "./section";
import { Timeline } from "./timeline";

const Spend = lazy(() => import("./spend"));

/** What decides the selected goal, and what it has cost so far. */
export function GoalSidebar({ view }: { view: GoalView }) {
  const evidence = useEvidence();
  const spent = useElapsed(view);
  const checks = view.check_states ?? [];
  const marks = view.marks ?? [];
  const report = view.report ?? [];
  return (
    <aside
      aria-label="About this goal"
      tabIndex={0}
      className="min-h-0 overflow-y-auto border-l border-border max-[900px]:border-l-0 max-[900px]:border-t"
      data-testid="goal-rail"
    >
      <Section
        title="Success criterion"
        aside={<span title={`SHA-256 ${view.criterion_sha256}`}>Locked</span>}
        testid="criterion"
      >
        {checks.length > 1 ? (
          <p className="mb-1 text-xs text-text-faint">{view.any ? "one must pass" : "all must pass"}</p>
        ) : null}
        {checks.map((c, i) => (
          <CheckLine key={i} check={c} evidence={view.aftermath ? "" : evidence(i)} />
        ))}
      </Section>
      {report.length > 0 ? (
        <Section title="Report" testid="report">
          <ul className="selectable flex flex-col gap-1 text-xs text-text-muted">
            {report.map((line, i) => (
              <li key={i} className={i === 0 ? "font-medium text-text" : "pl-3"}>
                {stripControl(line)}
              </li>
            ))}
          </ul>
          {view.account ? (
            <div className="mt-2 border-l-2 border-border-strong pl-3 text-xs" data-testid="account">
              <p className="text-text-faint">The agent's own summary, not verified</p>
              <div
                tabIndex={0}
                role="group"
                aria-label="The agent's summary"
                className="mt-0.5 max-h-64 overflow-y-auto"
              >
                <AgentText text={view.account} className="text-text-muted" />
              </div>
            </div>
          ) : null}
        </Section>
      ) : null}
      {marks.length > 0 ? (
        <Section title="Critic and verification" aside={criticLabel(view)} testid="verification">
          <Timeline marks={marks} length={spent} />
        </Section>
      ) : null}
      <SpendSection view={view} />
      <Section title="Limits" testid="limits">
        <Limits view={view} spent={spent} />
      </Section>
      <Network view={view} />
      <ReceiptSection view={view} />
    </aside>
  );
}

function criticLabel(view: GoalView): string {
  const every = view.options.critic_every ?? 0;
  if (every === 1) return "critic every turn";
  return every > 0 ? `critic every ${every} turns` : "no critic";
}

function SpendSection({ view }: { view: GoalView }) {
  const usage = useAppState((s) => s.detail.journal.usage);
  const unit = view.usd > 0 || view.max_usd > 0 ? "usd" : "tokens";
  const tokens = view.tokens_in + view.tokens_out;
  if (usage.length < 2 || (view.usd === 0 && tokens === 0)) return null;
  const limit = unit === "usd" ? view.max_usd : view.max_tokens;
  const show = (n: number) => (unit === "usd" ? money(n) : `${count(n)} tokens`);
  const now = unit === "usd" ? view.usd : tokens;
  return (
    <Section title="Spend" aside={limit > 0 ? `${show(now)} of ${show(limit)}` : show(now)} testid="spend">
      <Suspense fallback={<div className="h-[92px]" />}>
        <Spend usage={usage} startedAt={view.started_at} unit={unit} limit={limit} />
      </Suspense>
    </Section>
  );
}

function Limits({ view, spent }: { view: GoalView; spent: number }) {
  const rows = [
    {
      name: "time",
      now: clock(spent),
      limit: view.wall_clock_ms > 0 ? span(view.wall_clock_ms) : "",
      part: spent / view.wall_clock_ms,
    },
    {
      name: "turns",
      now: String(view.iterations),
      limit: view.max_iterations > 0 ? String(view.max_iterations) : "",
      part: view.iterations / view.max_iterations,
    },
    {
      name: "tokens",
      now: count(view.tokens_in + view.tokens_out),
      limit: view.max_tokens > 0 ? count(view.max_tokens) : "",
      part: (view.tokens_in + view.tokens_out) / view.max_tokens,
    },
    {
      name: "money",
      now: money(view.usd),
      limit: view.max_usd > 0 ? money(view.max_usd) : "",
      part: view.usd / view.max_usd,
    },
  ].filter((r) => r.limit !== "");
  if (rows.length === 0) return <p className="text-xs text-text-faint">none</p>;
  return (
    <dl className="flex flex-col gap-1.5 text-xs">
      {rows.map((r) => (
        <div key={r.name} className="grid grid-cols-[52px_1fr_auto] items-center gap-3">
          <dt className="text-text-faint">{r.name}</dt>
          <div className="h-1 overflow-hidden rounded-full bg-surface-hover" aria-hidden>
            <div
              className={`h-full rounded-full ${r.part > 0.8 ? "bg-warn" : "bg-accent"}`}
              style={{ width: `${Math.min(100, r.part * 100)}%` }}
            />
          </div>
          <dd className="text-text-muted tabular-nums">
            {r.now} <span className="text-text-faint">of {r.limit}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ReceiptSection({ view }: { view: GoalView }) {
  const [open, setOpen] = useState(false);
  const proof = assuranceOf(view);
  const claimed = useAppState((s) => s.detail.journal.claims.length > 0);
  if (!claimed && view.status !== "completed") return null;
  return (
    <Section title="Receipt" testid="receipt">
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 text-xs text-text-muted">
          {proof ? `${proof.words}.` : "Nothing has been verified yet."}
          {proof && view.assurance_reason ? (
            <span className="block text-text-faint">{stripControl(view.assurance_reason)}</span>
          ) : null}
        </p>
        <Button data-testid="receipt-open" onClick={() => setOpen(true)}>
          View receipt
        </Button>
      </div>
      {open ? <ReceiptDialog goal={view.id} onClose={() => setOpen(false)} /> : null}
    </Section>
  );
}
