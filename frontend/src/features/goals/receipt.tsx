import { useState, type ComponentType } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { ReceiptView, RecheckOutput, Verdict } from "@/bridge/types";
import { downloadText } from "@/lib/download";
import { stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { AgentText } from "@/agent/text";
import { assuranceOf } from "./assurancelabel";
import { VerdictLines } from "./claim";
import { questionOf, goalStatusLabel } from "./labels";

/** The receipt of a goal: its claims, their verdicts, and which claim decided. */
export function ReceiptDialog({ goal, onClose }: { goal: string; onClose: () => void }) {
  const app = useApp();
  const { answer: receipt, problem } = useCall("GoalAPI.Receipt", goal);
  const [again, setAgain] = useState<RecheckOutput | null>(null);
  const [checking, setChecking] = useState(false);
  const recheck = async () => {
    setChecking(true);
    const out = await app.ask("GoalAPI.Recheck", goal);
    setChecking(false);
    if (out) setAgain(out);
  };
  const json = receipt ? JSON.stringify(receipt, null, 2) : "";
  return (
    <Dialog
      open
      onClose={onClose}
      title="Receipt"
      className="w-[760px]"
      testid="receipt-dialog"
      help="guide/checks"
      description="What was claimed and how it was verified"
      footer={
        <>
          <Button data-testid="receipt-recheck" disabled={!receipt || checking} onClick={() => void recheck()}>
            {checking ? "Running…" : "Run checks again"}
          </Button>
          <span className="flex-1" />
          <Button
            data-testid="receipt-copy"
            disabled={!receipt}
            onClick={() => void writeClipboard(json).then((ok) => ok && app.notices.done("Receipt copied as JSON"))}
          >
            Copy JSON
          </Button>
          <Button
            data-testid="receipt-download"
            disabled={!receipt}
            onClick={() => downloadText(`receipt-${goal}.json`, "application/json", json)}
          >
            Download JSON
          </Button>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {problem ? <p className="text-bad">{problem.message}</p> : null}
      {again ? (
        <section className="mb-4" data-testid="recheck" data-passed={again.passed}>
          <h3 className="mb-1 flex items-center gap-2 text-xs font-medium">
            Checks run again
            <Badge tone={again.passed ? "ok" : again.open ? "calm" : "bad"}>
              {again.passed ? "all passed" : again.open ? "cannot be repeated" : "not all passed"}
            </Badge>
          </h3>
          <div className="rounded-md border border-border bg-surface px-3 py-2 font-mono text-xs">
            {(again.verdicts ?? []).map((v) => (
              <VerdictLines key={v.check} verdict={v} />
            ))}
            {(again.faults ?? []).map((fault) => (
              <p key={fault} className="text-bad">
                {fault}
              </p>
            ))}
            {again.tree_changed ? <p>The folder has changed since it was verified.</p> : null}
          </div>
        </section>
      ) : null}
      {receipt ? <Receipt receipt={receipt} lines={VerdictLines} /> : null}
    </Dialog>
  );
}

interface ReceiptProps {
  receipt: ReceiptView;
  /** Shows a verdict. */
  lines: ComponentType<{ verdict: Verdict }>;
}

/** What a receipt contains. */
export function Receipt({ receipt, lines: Lines }: ReceiptProps) {
  const said = goalStatusLabel(receipt);
  const proof = assuranceOf(receipt);
  const rows: [string, string][] = [
    ["Criterion", receipt.criterion],
    ["Model", receipt.scripted ? `${receipt.model} · scripted, no AI` : questionOf(receipt.model, receipt.effort)],
    ["Reviewed", receipt.reviewed ? "yes" : "no"],
    ["The agent could change", receipt.work?.length ? `only ${receipt.work.join(", ")}` : "the whole folder"],
    ...(receipt.check_dir ? [["Read by checks only", receipt.check_dir] as [string, string]] : []),
    ["Criterion sha256", receipt.criterion_sha256],
    ["Policy sha256", receipt.policy_sha256],
  ];
  return (
    <div className="selectable flex flex-col gap-4">
      <div>
        <div className="mb-1.5 flex gap-2">
          <Badge tone={said.tone}>{said.words}</Badge>
          <Badge tone={proof?.tone ?? "calm"} testid="receipt-assurance">
            {proof?.words ?? "Not verified"}
          </Badge>
        </div>
        {receipt.assurance_reason ? (
          <p className="mb-1 text-xs text-text-muted" data-testid="receipt-assurance-reason">
            {stripControl(receipt.assurance_reason)}
          </p>
        ) : null}
        <p className="text-base font-semibold whitespace-pre-wrap">{receipt.objective}</p>
      </div>
      {receipt.result ? (
        <section data-testid="receipt-result">
          <h3 className="mb-1 text-xs font-medium">Result, in the agent's words</h3>
          <AgentText text={receipt.result} className="text-xs text-text-muted" />
        </section>
      ) : null}
      <dl className="grid grid-cols-[130px_1fr] gap-x-3 gap-y-1 text-xs">
        {rows.map(([k, v]) => (
          <div key={k} className="contents">
            <dt className="text-text-faint">{k}</dt>
            <dd className={k.includes("sha256") ? "font-mono text-2xs break-all text-text-muted" : "text-text"}>{v}</dd>
          </div>
        ))}
      </dl>
      {receipt.protected ? (
        <section data-testid="receipt-protected">
          <h3 className="mb-1 text-xs font-medium">Protected files</h3>
          {receipt.protected.map((record) => (
            <p key={record.at + record.text} className="text-xs text-text-muted">
              <span className="text-text-faint">{record.at.replace("T", " ").slice(0, 19)} UTC</span>{" "}
              {stripControl(record.text)}
            </p>
          ))}
        </section>
      ) : null}
      {(receipt.claims ?? []).map((c) => (
        <section key={c.n} data-testid="receipt-claim" data-deciding={c.deciding}>
          <h3 className="mb-1 flex items-center gap-2 text-xs font-medium">
            Claim {c.n} {c.deciding ? <Badge tone="ok">final</Badge> : null}
            {c.by ? <Badge tone="calm">by the {c.by}</Badge> : null}
            {c.review ? (
              <Badge tone={c.review === "confirmed" ? "ok" : "bad"}>
                {c.review === "error" ? "review failed" : `${c.review} by the reviewer`}
              </Badge>
            ) : null}
            <span className="text-text-faint">{c.at.replace("T", " ").slice(0, 19)} UTC</span>
          </h3>
          <AgentText text={c.rationale} className="mb-1.5 text-xs text-text-muted" />
          {c.result && !(c.deciding && receipt.result) ? (
            <AgentText text={c.result} className="mb-1.5 text-xs text-text-muted" />
          ) : null}
          <div className="rounded-md border border-border bg-surface px-3 py-2 font-mono text-xs">
            {(c.verdicts ?? []).map((v) => (
              <Lines key={v.check} verdict={v} />
            ))}
            {(c.verdicts ?? []).length === 0 ? (
              <p className="text-text-faint">the checks were not run for this claim</p>
            ) : null}
            {c.review_reason ? <p className="py-0.5 font-sans text-text-muted">Review: {c.review_reason}</p> : null}
          </div>
        </section>
      ))}
    </div>
  );
}
