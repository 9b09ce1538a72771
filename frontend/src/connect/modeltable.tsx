import { useState } from "react";
import type { ModelView } from "@/bridge/types";
import { Badge } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { PictureIcon, SparkIcon, WrenchIcon } from "@/ui/icons";
import { Input } from "@/ui/input";

interface ModelTableProps {
  models: readonly ModelView[];
  chosen: string;
  onChoose: (model: string) => void;
}

const shownAtFirst = 60;

/** Formats a context window: `200 k`, `1.05 M`. An unknown window is marked. */
function formatWindow(m: ModelView): string {
  const n = m.context_window;
  const short = n < 1_000_000 ? `${Math.round(n / 1_000)} k` : `${Number((n / 1_000_000).toFixed(2))} M`;
  return m.window_from === "assumed" ? `${short} ?` : short;
}

function formatPrice(m: ModelView, usd: number): string {
  if (m.free) return "free";
  return usd > 0 ? `$${usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}` : "–";
}

/** The models of a server with windows, prices and abilities; one of them is selected. */
export function ModelTable({ models, chosen, onChoose }: ModelTableProps) {
  const [words, setWords] = useState("");
  const [isAll, setIsAll] = useState(false);
  const wanted = words.trim().toLowerCase();
  const fitting = models.filter((m) =>
    wanted ? m.id.toLowerCase().includes(wanted) : isAll || !m.other || m.id === chosen || m.recommended,
  );
  const shown = fitting.slice(0, isAll || wanted ? undefined : shownAtFirst);
  const rest = models.length - shown.length;
  return (
    <section className="mt-4">
      <div className="mb-1.5 flex items-center gap-2">
        <h3 className="text-xs font-medium">Model</h3>
        <span className="flex-1 text-xs text-text-faint">
          <span className="max-[640px]:hidden">USD per million tokens</span>
        </span>
        <Input
          data-testid="connect-filter"
          aria-label="Filter models"
          placeholder="Filter models"
          className="w-44 py-1"
          value={words}
          onChange={(e) => setWords(e.target.value)}
        />
      </div>
      <div className="overflow-hidden rounded-md border border-border bg-bg">
        <div className="max-h-[208px] overflow-y-auto" role="radiogroup" aria-label="Model">
          <div
            aria-hidden
            className={cx(columns, "sticky top-0 z-10 border-b border-border bg-bg py-1 text-2xs text-text-faint")}
          >
            <span />
            <span>Model</span>
            <span className="text-right">Context</span>
            <span className="text-right max-[640px]:hidden">Input</span>
            <span className="text-right max-[640px]:hidden">Output</span>
            <span className="text-right">Supports</span>
          </div>
          {shown.map((m) => (
            <ModelRow key={m.id} model={m} chosen={m.id === chosen} onChoose={() => onChoose(m.id)} />
          ))}
          {shown.length === 0 ? <p className="px-3 py-2 text-xs text-text-faint">No model matches.</p> : null}
        </div>
        <div className="flex items-center gap-3 border-t border-border px-3 py-1 text-2xs text-text-faint">
          {rest > 0 && !wanted ? (
            <button type="button" data-testid="connect-more" className="hover:text-text" onClick={() => setIsAll(true)}>
              Show {rest} more {rest === 1 ? "model" : "models"}
            </button>
          ) : null}
          <span className="flex-1" />
          <Legend icon={<PictureIcon size={12} />}>images</Legend>
          <Legend icon={<WrenchIcon size={12} />}>tools</Legend>
          <Legend icon={<SparkIcon size={12} />}>thinking</Legend>
        </div>
      </div>
    </section>
  );
}

const columns = cx(
  "grid grid-cols-[16px_minmax(0,1fr)_64px_60px_60px_64px] items-center gap-2 px-3",
  "max-[640px]:grid-cols-[16px_minmax(0,1fr)_52px_56px]",
);

function ModelRow({ model: m, chosen, onChoose }: { model: ModelView; chosen: boolean; onChoose: () => void }) {
  return (
    <label
      data-testid="connect-model"
      data-id={m.id}
      data-chosen={chosen}
      className={cx(
        columns,
        "cursor-pointer border-b border-border py-1.5 text-xs last:border-b-0",
        chosen ? "bg-accent-bg" : "hover:bg-surface-hover",
      )}
    >
      <input type="radio" name="connect-model" checked={chosen} onChange={onChoose} aria-label={m.id} />
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium" title={m.id}>
          {m.id}
        </span>
        {m.recommended ? (
          <span className="max-[640px]:hidden">
            <Badge tone="accent">Recommended</Badge>
          </span>
        ) : null}
      </span>
      <span
        className="text-right text-text-muted tabular-nums"
        title={m.window_from === "assumed" ? "Unknown; this size is assumed" : undefined}
      >
        {formatWindow(m)}
      </span>
      <span className="text-right text-text-muted tabular-nums max-[640px]:hidden">
        {formatPrice(m, m.input_price)}
      </span>
      <span className="text-right text-text-muted tabular-nums max-[640px]:hidden">
        {formatPrice(m, m.output_price)}
      </span>
      <span className="flex justify-end gap-1.5">
        <Ability state={m.images} name="image input" icon={<PictureIcon size={13} />} />
        <Ability state={m.tools} name="tool calls" icon={<WrenchIcon size={13} />} />
        <Ability state={m.reasoning} name="thinking" icon={<SparkIcon size={13} />} />
      </span>
    </label>
  );
}

interface AbilityProps {
  state: ModelView["images"];
  name: string;
  icon: React.ReactNode;
}

function Ability({ state, name, icon }: AbilityProps) {
  const words = { yes: `Supports ${name}`, no: `No ${name}`, "": `Unknown: ${name}` }[state];
  return (
    <span title={words} className={state === "yes" ? "text-text-muted" : "text-text-faint opacity-35"}>
      {icon}
      <span className="sr-only">{words}</span>
    </span>
  );
}

function Legend({ icon, children }: { icon: React.ReactNode; children: string }) {
  return (
    <span aria-hidden className="flex items-center gap-1">
      {icon} {children}
    </span>
  );
}
