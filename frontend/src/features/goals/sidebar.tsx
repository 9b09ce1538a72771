import { lazy, Suspense } from "react";
import type { GoalView } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { stripControl } from "@/lib/text";
import { clock, span } from "@/lib/time";
import { isStopped } from "@/store/goalcards";
import { useAppState } from "@/store/context";
import { AgentText } from "@/agent/text";
import { useElapsed } from "./card";
import { ChangedFiles } from "./done/changedfiles";
import { CheckList } from "./why/checklist";
import { Network } from "./network";
import { agentResult } from "./resultcard";
import { Section } from "./section";
import { Timeline } from "./timeline";

const Spend = lazy(() => import("./spend"));

/** A line of the report in the agent's words, which are Markdown. */
const agentLine = /^(The agent said|The agent gave up|What was learned): /;

/** What decides the selected goal, and what it has cost so far. */
export function GoalSidebar({ view }: { view: GoalView }) {
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
          <p className="mb-1 text-xs text-text-faint">{view.any ? "One must pass" : "All must pass"}</p>
        ) : null}
        <CheckList key={`${view.id} ${checks.filter((c) => c.why).length}`} view={view} short />
        {isStopped(view) ? <ChangedFiles goal={view.id} most={8} /> : null}
      </Section>
      {report.length > 0 ? (
        <Section title="Report" testid="report">
          <ReportLines lines={report} />
          {view.account && view.account !== agentResult(view) ? (
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
    </aside>
  );
}

/** The report of the host about a stopped goal. */
export function ReportLines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="selectable flex flex-col gap-1 text-xs text-text-muted">
      {lines.map((line, i) => (
        <li key={i} className={i === 0 ? "font-medium text-text" : "pl-3"}>
          {agentLine.test(line) ? <AgentText text={line} /> : stripControl(line)}
        </li>
      ))}
    </ul>
  );
}

function criticLabel(view: GoalView): string {
  const every = view.options.critic_every ?? 0;
  if (every === 1) return "critic every turn";
  return every > 0 ? `critic every ${every} turns` : "no critic";
}

export function SpendSection({ view }: { view: GoalView }) {
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
