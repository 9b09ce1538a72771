import type { TryOutput } from "@/bridge/types";
import { took } from "@/lib/time";
import { Dot, toneText } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon, PlusIcon } from "@/ui/icons";
import { checkSaid } from "@/features/goals/words";
import { emptyCheck, type DraftCheck, type FieldError } from "./draft";

/** What trying a check has come to. */
export type Tried = { state: "running" } | { state: "done"; out: TryOutput } | { state: "failed"; text: string } | null;

interface ChecksProps {
  checks: readonly DraftCheck[];
  any: boolean;
  tried: readonly Tried[];
  error: FieldError | undefined;
  onChange: (checks: DraftCheck[]) => void;
  onAny: (any: boolean) => void;
  onTry: (index: number) => void;
}

/** The criterion: commands whose exit codes decide. */
export function Checks(p: ChecksProps) {
  const change = (i: number, part: Partial<DraftCheck>) =>
    p.onChange(p.checks.map((c, at) => (at === i ? { ...c, ...part } : c)));
  const many = p.checks.length > 1;
  return (
    <fieldset>
      <legend className="mb-1 flex w-full items-baseline gap-2 text-xs">
        <span className="font-medium">Done when</span>
        {many ? (
          <select
            data-testid="criterion-any"
            aria-label="How many checks must pass"
            className="rounded-sm bg-transparent text-t2 outline-none"
            value={p.any ? "any" : "all"}
            onChange={(e) => p.onAny(e.target.value === "any")}
          >
            <option value="all">all of these pass</option>
            <option value="any">one of these passes</option>
          </select>
        ) : (
          <span className="text-t3">this command succeeds</span>
        )}
        <span className="text-t3">· the agent cannot change it</span>
      </legend>
      <div className="flex flex-col gap-2">
        {p.checks.map((c, i) => (
          <div key={i} data-testid="check-row">
            <div className="flex gap-1.5">
              <input
                data-testid="check-command"
                aria-label={many ? `Command of check ${i + 1}` : "Command"}
                aria-invalid={p.error !== undefined}
                spellCheck={false}
                autoComplete="off"
                placeholder="npm test"
                className="field min-w-0 flex-1 font-mono text-xs"
                value={c.command}
                onChange={(e) => change(i, { command: e.target.value })}
              />
              <label
                className="flex shrink-0 items-center gap-1.5 text-xs text-t3"
                title="The exit code that counts as passed"
              >
                exit
                <input
                  data-testid="check-exit"
                  aria-label={`Wanted exit code of check ${i + 1}`}
                  inputMode="numeric"
                  className="field w-11 px-1 text-center font-mono text-xs"
                  value={c.exitCode}
                  onChange={(e) => change(i, { exitCode: e.target.value })}
                />
              </label>
              <Button
                data-testid="check-try"
                className="h-[33px]"
                disabled={!c.command.trim() || p.tried[i]?.state === "running"}
                onClick={() => p.onTry(i)}
              >
                Try it
              </Button>
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
            <TriedLine tried={p.tried[i] ?? null} />
          </div>
        ))}
      </div>
      {p.error ? (
        <p role="alert" data-testid="error-criterion" className="mt-1 text-xs text-bad">
          {p.error.message}
          {p.error.hint ? <span className="text-t2"> · {p.error.hint}</span> : null}
        </p>
      ) : null}
      <button
        type="button"
        data-testid="check-add"
        className="mt-1.5 inline-flex items-center gap-1 text-xs text-t3 hover:text-t1"
        onClick={() => p.onChange([...p.checks, emptyCheck])}
      >
        <PlusIcon size={13} /> Another check
      </button>
    </fieldset>
  );
}

function TriedLine({ tried }: { tried: Tried }) {
  if (!tried) return null;
  if (tried.state === "running") {
    return (
      <p className="breathe mt-1 font-mono text-xs text-t3" role="status">
        running…
      </p>
    );
  }
  if (tried.state === "failed") {
    return (
      <p className="mt-1 text-xs text-bad" role="status" data-testid="try-result" data-outcome="failed">
        {tried.text}
      </p>
    );
  }
  const { out } = tried;
  const said = checkSaid(out.outcome);
  const aside = out.outcome === "fails_now" ? "as it should" : out.detail;
  return (
    <div className="mt-1.5 text-xs" role="status" data-testid="try-result" data-outcome={out.outcome}>
      <p className="flex items-center gap-2 font-mono">
        <Dot tone={said.tone} />
        <span className={toneText[said.tone]}>
          {said.words} (exit {out.exit_code}, {took(out.ms)})
        </span>
        <span className="min-w-0 truncate text-t3">{aside}</span>
      </p>
      {out.output.trim() ? (
        <pre className="mt-1 max-h-28 overflow-auto rounded-md border border-line bg-bg px-2.5 py-1.5 font-mono text-2xs break-words whitespace-pre-wrap text-t2">
          {out.output.trimEnd()}
        </pre>
      ) : null}
    </div>
  );
}
