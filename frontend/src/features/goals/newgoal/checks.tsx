import { Button, IconButton } from "@/ui/button";
import { CloseIcon, PlusIcon } from "@/ui/icons";
import { CheckFields, checkTabs } from "./checkfields";
import { emptyCheck, isFilled, type DraftCheck } from "./draftcheck";
import type { FieldError } from "./errors";
import { TryResultLine, type TryResult } from "./tryresult";

interface ChecksProps {
  checks: readonly DraftCheck[];
  any: boolean;
  tried: readonly TryResult[];
  error: FieldError | undefined;
  onChange: (checks: DraftCheck[]) => void;
  onAny: (any: boolean) => void;
  onTry: (index: number) => void;
  /** What the agent may change. */
  work: readonly string[];
  onWork: (work: string[]) => void;
}

/** The check types that a program decides, and that can therefore be tried. */
export const programChecks = new Set(["shell", "http", "file", "json_predicate"]);

/** The criterion: checks that programs, models or the user decide. */
export function Checks(p: ChecksProps) {
  const change = (i: number, part: Partial<DraftCheck>) =>
    p.onChange(p.checks.map((c, at) => (at === i ? { ...c, ...part } : c)));
  const many = p.checks.length > 1;
  const only = checkTabs.find((t) => t.type === p.checks[0]?.type);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex w-full flex-wrap items-baseline gap-x-2 text-xs">
        <span className="font-medium">Done when</span>
        {many ? (
          <select
            data-testid="criterion-any"
            aria-label="How many checks must pass"
            className="rounded-sm bg-transparent text-text-muted"
            value={p.any ? "any" : "all"}
            onChange={(e) => p.onAny(e.target.value === "any")}
          >
            <option value="all">all of these pass</option>
            <option value="any">one of these passes</option>
          </select>
        ) : (
          <span className="text-text-faint">{only?.line}</span>
        )}
        <span className="text-text-faint">· the agent cannot change this</span>
      </legend>
      <div className="flex flex-col gap-2.5">
        {p.checks.map((c, i) => (
          <div key={i} data-testid="check-row" data-type={c.type}>
            <Tabs check={c} of={many ? ` of check ${i + 1}` : ""} onChange={(type) => change(i, { type })} />
            <div className="flex items-center gap-1.5 max-[640px]:flex-wrap">
              <CheckFields
                check={c}
                of={many ? ` of check ${i + 1}` : ""}
                invalid={p.error !== undefined}
                onChange={(part) => change(i, part)}
              />
              {programChecks.has(c.type) ? (
                <Button
                  data-testid="check-try"
                  className="h-[33px]"
                  disabled={!isFilled(c) || p.tried[i]?.state === "running"}
                  onClick={() => p.onTry(i)}
                >
                  Try it
                </Button>
              ) : null}
              {many ? (
                <IconButton
                  label={`Remove check ${i + 1}`}
                  className="h-[33px]"
                  onClick={() => p.onChange(p.checks.filter((_, at) => at !== i))}
                >
                  <CloseIcon size={14} />
                </IconButton>
              ) : null}
            </div>
            <TryResultLine tried={p.tried[i] ?? null} shell={c.type === "shell"} work={p.work} onWork={p.onWork} />
          </div>
        ))}
      </div>
      {p.error ? (
        <p role="alert" data-testid="error-criterion" className="mt-1 text-xs text-bad">
          {p.error.message}
          {p.error.hint ? <span className="text-text-muted"> · {p.error.hint}</span> : null}
        </p>
      ) : null}
      <button
        type="button"
        data-testid="check-add"
        className="mt-1.5 inline-flex items-center gap-1 text-xs text-text-faint hover:text-text"
        onClick={() =>
          p.onChange([
            ...p.checks,
            { ...emptyCheck, where: p.checks[0]?.where ?? "", noRerun: p.checks[0]?.noRerun ?? false },
          ])
        }
      >
        <PlusIcon size={13} /> Add another check
      </button>
    </fieldset>
  );
}

interface TabsProps {
  check: DraftCheck;
  of: string;
  onChange: (type: DraftCheck["type"]) => void;
}

/** Who decides. The arrow keys move between the options, as in any radio group. */
function Tabs({ check, of, onChange }: TabsProps) {
  return (
    <div
      role="radiogroup"
      aria-label={`Check type${of}`}
      className="mb-1.5 inline-flex flex-wrap rounded-md bg-surface-hover p-0.5"
    >
      {checkTabs.map((t) => (
        <button
          key={t.type}
          type="button"
          role="radio"
          aria-checked={t.type === check.type}
          tabIndex={t.type === check.type ? 0 : -1}
          data-testid={`check-type-${t.type}`}
          title={t.line}
          className={`rounded-sm px-2.5 py-0.5 text-xs ${
            t.type === check.type ? "bg-bg font-medium text-text" : "text-text-muted hover:text-text"
          }`}
          onClick={() => onChange(t.type)}
          onKeyDown={(e) => {
            const by = e.code === "ArrowRight" ? 1 : e.code === "ArrowLeft" ? -1 : 0;
            if (by === 0) return;
            e.preventDefault();
            const at = checkTabs.findIndex((o) => o.type === check.type);
            const next = checkTabs[(at + by + checkTabs.length) % checkTabs.length];
            if (!next) return;
            onChange(next.type);
            e.currentTarget.parentElement
              ?.querySelector<HTMLElement>(`[data-testid="check-type-${next.type}"]`)
              ?.focus();
          }}
        >
          {t.title}
        </button>
      ))}
    </div>
  );
}
