import { Button, IconButton } from "@/ui/button";
import { CloseIcon } from "@/ui/icons";
import { CheckFields, checkTabs } from "./checkfields";
import { isFilled, type DraftCheck } from "./draftcheck";
import { TryResultLine } from "./tryresult";
import type { NewGoalForm } from "./usenewgoal";

/** The check types that a program decides, and that can therefore be tried. */
export const programChecks = new Set(["shell", "http", "file", "json_predicate"]);

interface CheckRowsProps {
  form: NewGoalForm;
  /** Indices of the checks that the user writes. */
  own: readonly number[];
}

/** The checks that the user writes: programs, models or the user decide them. */
export function CheckRows({ form, own }: CheckRowsProps) {
  const { draft, setChecks, set, errors } = form;
  const isOne = draft.checks.length === 1;
  const change = (i: number, part: Partial<DraftCheck>) =>
    setChecks(draft.checks.map((c, at) => (at === i ? { ...c, ...part } : c)));
  return own.map((i) => {
    const c = draft.checks[i];
    if (!c) return null;
    const of = isOne ? "" : ` of check ${i + 1}`;
    const tried = form.triedOf(c);
    return (
      <div
        key={i}
        data-testid="check-row"
        data-type={c.type}
        className="border-t border-border px-3 py-2 first:border-0"
      >
        <Tabs check={c} of={of} onChange={(type) => change(i, { type })} />
        <div className="flex items-center gap-1.5 max-[640px]:flex-wrap">
          <CheckFields
            check={c}
            of={of}
            invalid={errors.criterion !== undefined}
            onChange={(part) => change(i, part)}
          />
          {programChecks.has(c.type) ? (
            <Button
              data-testid="check-try"
              className="h-[33px]"
              disabled={!isFilled(c) || tried?.state === "running"}
              onClick={() => void form.tryCheck(i)}
            >
              Try it
            </Button>
          ) : null}
          {isOne ? null : (
            <IconButton
              label={`Remove check ${i + 1}`}
              className="h-[33px]"
              onClick={() => setChecks(draft.checks.filter((_, at) => at !== i))}
            >
              <CloseIcon size={14} />
            </IconButton>
          )}
        </div>
        <TryResultLine tried={tried} shell={c.type === "shell"} work={draft.work} onWork={(work) => set({ work })} />
      </div>
    );
  });
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
