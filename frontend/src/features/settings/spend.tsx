import { useEffect, useState } from "react";
import type { Problem, Settings, SpendBy, SpendReport, SpendRow, SpendToday } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { cx } from "@/ui/cx";
import { rowWords } from "./places";
import { Choice, MoneyRow } from "./rows";

interface SpendProps {
  settings: Settings;
  save: (part: Partial<Settings>) => Promise<Problem | null>;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The daily limit and the cost of models. */
export function Spend({ settings, save }: SpendProps) {
  const [by, setBy] = useState<SpendBy>("day");
  const [days, setDays] = useState<"30" | "all">("30");
  const [since] = useState(() => new Date(Date.now() - 30 * dayMs).toISOString());
  const { answer, problem, reload } = useCall("SpendAPI.Report", { by, since: days === "all" ? "" : since });
  const unpriced = useAppState((s) => s.providers).filter((p) => !p.has_price);
  useEffect(() => {
    void reload();
  }, [reload, settings.daily_limit_usd]);
  return (
    <div className="mb-7 rounded-lg border border-border bg-surface" data-testid="spending">
      <MoneyRow
        {...rowWords("Daily limit")}
        testid="daily-limit"
        value={settings.daily_limit_usd}
        onSave={(daily_limit_usd) => save({ daily_limit_usd })}
        aside={answer ? <TodayBar today={answer.today} /> : null}
      />
      {settings.daily_limit_usd > 0 && unpriced.length > 0 ? (
        <p className="border-b border-border px-4 py-2 text-xs text-warn" data-testid="daily-limit-cannot-hold">
          No price is known for {unpriced.map((p) => p.model || p.id).join(", ")}: the limit is not enforced for it. To
          enter a price, choose Edit under Models.
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-3 px-4 py-2.5">
        <Choice
          name="spend-by"
          value={by}
          choices={[
            { value: "day", title: "Day" },
            { value: "goal", title: "Goal" },
            { value: "provider", title: "Provider" },
            { value: "model", title: "Model" },
          ]}
          onChange={setBy}
        />
        <span className="flex-1" />
        <Choice
          name="spend-days"
          value={days}
          choices={[
            { value: "30", title: "30 days" },
            { value: "all", title: "All" },
          ]}
          onChange={setDays}
        />
      </div>
      {problem ? (
        <p role="alert" className="px-4 pb-3 text-xs text-bad">
          {problem.message}
        </p>
      ) : answer ? (
        <SpendTable report={answer} />
      ) : null}
    </div>
  );
}

/** The used share of the daily limit. */
function TodayBar({ today }: { today: SpendToday }) {
  const { usd, limit_usd: limit } = today;
  const part = limit > 0 ? usd / limit : 0;
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-text-muted" data-testid="spend-today">
      {limit > 0 ? (
        <span className="h-1 w-24 overflow-hidden rounded-full bg-surface-hover" aria-hidden="true">
          <span
            className={cx("block h-full", part >= 1 ? "bg-bad" : part >= 0.8 ? "bg-warn" : "bg-accent")}
            style={{ width: `${Math.min(100, 100 * part)}%` }}
          />
        </span>
      ) : null}
      <span className="tabular-nums">{money(usd)} today</span>
    </span>
  );
}

const headings: Record<SpendBy, string> = { day: "Day", goal: "Goal", provider: "Provider", model: "Model" };

function SpendTable({ report }: { report: SpendReport }) {
  const rows = report.rows ?? [];
  if (rows.length === 0) {
    return (
      <p className="px-4 pb-3 text-xs text-text-faint" data-testid="spend-empty">
        No model was used in this period.
      </p>
    );
  }
  const cell = "px-4 py-1.5 text-right whitespace-nowrap tabular-nums";
  return (
    <div className="sideways max-h-80 overflow-auto" tabIndex={0} role="region" aria-label="Spending">
      <table className="w-full text-xs" data-testid="spend-table">
        <thead className="text-text-faint">
          <tr>
            <th scope="col" className="px-4 py-1.5 text-left font-medium">
              {headings[report.by]}
            </th>
            <th scope="col" className={cx(cell, "font-medium")}>
              Spent
            </th>
            <th scope="col" className={cx(cell, "font-medium")}>
              Turns
            </th>
            <th scope="col" className={cx(cell, "font-medium")}>
              Tokens in
            </th>
            <th scope="col" className={cx(cell, "font-medium")}>
              Tokens out
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <Line key={r.key} row={r} name={nameRow(report.by, r)} />
          ))}
        </tbody>
        <tfoot className="font-medium">
          <Line row={report.total} name="Total" />
        </tfoot>
      </table>
    </div>
  );
}

function Line({ row, name }: { row: SpendRow; name: string }) {
  const cell = "px-4 py-1.5 text-right whitespace-nowrap tabular-nums";
  return (
    <tr className="border-t border-border" data-testid="spend-row" data-key={row.key}>
      <th scope="row" className="max-w-0 w-full truncate px-4 py-1.5 text-left font-normal" title={name}>
        {name}
      </th>
      <td className={cell}>
        {row.usd === 0 && row.turns > 0 ? <span title="free, or no price is known">–</span> : money(row.usd)}
      </td>
      <td className={cell}>{count(row.turns)}</td>
      <td className={cell}>{count(row.tokens_in)}</td>
      <td className={cell}>{count(row.tokens_out)}</td>
    </tr>
  );
}

function nameRow(by: SpendBy, r: SpendRow): string {
  if (by === "goal") return r.key === "" ? "Outside of goals" : r.label || "Deleted goal";
  if (r.key === "") return "Unknown";
  if (by !== "day") return r.key;
  const [year = 0, month = 1, day = 1] = r.key.split("-").map(Number);
  return new Date(year, month - 1, day).toLocaleDateString("en", { weekday: "short", day: "numeric", month: "short" });
}
