import { Suspense, type ReactNode } from "react";
import type { GoalView } from "@/bridge/types";
import { AgentText } from "@/agent/text";
import { assuranceOf } from "@/features/goals/assurancelabel";
import { goalStatusLabel, questionOf } from "@/features/goals/labels";
import { Receipt } from "@/features/goals/receipt";
import Replay from "@/features/goals/replay/replay";
import { agentResult } from "@/features/goals/resultcard";
import { ReportLines, SpendSection } from "@/features/goals/sidebar";
import { count, money } from "@/lib/bytes";
import { riskLabel } from "@/lib/risk";
import { capitalize, stripControl } from "@/lib/text";
import { clock } from "@/lib/time";
import { Badge, toneText } from "@/ui/badge";
import { Activity, showStep } from "./activity";
import { Changes } from "./changes";
import { Checks, VerdictOutput } from "./checks";
import { OutputsContext } from "./outputs";
import type { ExportData } from "./data";

const sections = ["Result", "Checks", "Changes", "Activity", "Replay", "Receipt"] as const;

/** An exported goal. */
export function ExportPage({ data }: { data: ExportData }) {
  return (
    <OutputsContext value={data.outputs}>
      <div className="mx-auto max-w-[1100px] px-6 pb-16 max-[640px]:px-4" data-testid="export">
        <Headline data={data} />
        <Contents />
        <main className="flex flex-col gap-8">
          <Part title="Result">
            <Result view={data.view} />
          </Part>
          <Part title="Checks">
            <Checks data={data} />
          </Part>
          <Part title="Changes">
            <Changes data={data} />
          </Part>
          <Part title="Activity">
            <Activity data={data} />
          </Part>
          <Part title="Replay">
            <div className="flex h-[620px] flex-col overflow-hidden rounded-lg border border-border max-[640px]:h-[480px]">
              <Replay view={data.view} at={0} before={null} onStep={showStep} />
            </div>
          </Part>
          <Part title="Receipt">
            <Receipt receipt={data.receipt} lines={VerdictOutput} />
          </Part>
        </main>
        <footer className="mt-10 border-t border-border pt-4 text-xs text-text-faint">
          Exported by Goalpost {stripControl(data.version)} on {data.at.replace("T", " ").slice(0, 16)} UTC. Values of
          secrets are hidden. This file loads nothing.
        </footer>
        <p id="status" role="status" className="fixed right-4 bottom-4 text-xs text-text-muted no-print" />
      </div>
    </OutputsContext>
  );
}

/** The status in the product's words, the objective, and what is missing in the file. */
function Headline({ data: { view, left_out: leftOut } }: { data: ExportData }) {
  const said = goalStatusLabel(view);
  const proof = assuranceOf(view);
  const facts = [
    questionOf(view.model || view.provider, view.options.effort),
    riskLabel(view.policy.risk),
    view.options.engine ? `by ${view.options.engine}` : "",
    view.policy.dir,
  ].filter(Boolean);
  return (
    <header className="pt-8 pb-4">
      <div className="flex flex-wrap items-center gap-2">
        {proof && view.aftermath ? null : <Badge tone={said.tone}>{said.words}</Badge>}
        {!proof && view.aftermath ? <Badge tone="calm">{capitalize(view.aftermath)}</Badge> : null}
        {proof ? (
          <Badge tone={proof.tone} testid="export-assurance">
            {proof.words}
          </Badge>
        ) : null}
        {view.scripted ? <Badge tone="calm">Scripted, no AI</Badge> : null}
        <span className="min-w-0 text-xs wrap-anywhere text-text-faint">{stripControl(facts.join(" · "))}</span>
      </div>
      {proof?.reason ? <p className={`mt-1 text-xs ${toneText[proof.tone]}`}>{proof.reason}</p> : null}
      <h1 className="mt-3 text-base font-semibold wrap-anywhere whitespace-pre-wrap">{stripControl(view.objective)}</h1>
      {leftOut.length > 0 ? (
        <div
          data-testid="export-left-out"
          className="mt-3 rounded-md border border-border bg-warn-bg px-3 py-2 text-xs text-warn"
        >
          <p className="font-medium">Left out, because a file of an export has at most 20 MB:</p>
          <ul className="list-disc pl-5">
            {leftOut.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </div>
      ) : null}
    </header>
  );
}

function Contents() {
  return (
    <nav
      aria-label="Sections"
      className="sticky top-0 z-10 mb-6 flex gap-1 overflow-x-auto border-b border-border bg-bg py-2 text-xs no-print"
    >
      {sections.map((title) => (
        <a
          key={title}
          href={`#${title.toLowerCase()}`}
          className="rounded-md px-2.5 py-1 text-text-muted hover:bg-surface-hover hover:text-text max-[640px]:py-2"
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

interface PartProps {
  title: (typeof sections)[number];
  children: ReactNode;
}

function Part({ title, children }: PartProps) {
  const id = title.toLowerCase();
  return (
    <section id={id} aria-labelledby={`${id}-title`} data-testid={`export-${id}`}>
      <h2 id={`${id}-title`} className="mb-3 text-sm font-semibold">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** What the agent says it reached, what the host says, and what it has cost. */
function Result({ view }: { view: GoalView }) {
  const result = agentResult(view);
  const report = view.report ?? [];
  const tokens = view.tokens_in + view.tokens_out;
  const facts: [string, string][] = [
    ["Time", clock(view.spent_ms)],
    ["Turns", String(view.iterations)],
    ["Steps", String(view.steps)],
    ["Tokens", tokens > 0 ? count(tokens) : "none"],
    ["Cost", view.usd > 0 ? money(view.usd) : "none"],
  ];
  return (
    <div className="flex flex-col gap-4">
      {result ? (
        <div className="rounded-lg border border-border bg-surface-raised px-4 py-3">
          <p className="caption mb-1">
            {view.result ? "Result, in the agent's words" : "What the agent said, not verified"}
          </p>
          <AgentText text={result} className="max-w-[100ch] text-text-muted" />
        </div>
      ) : null}
      {report.length > 0 ? <ReportLines lines={report} /> : null}
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-xs" data-testid="export-cost">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-text-faint">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <Suspense fallback={null}>
        <SpendSection view={view} />
      </Suspense>
    </div>
  );
}
