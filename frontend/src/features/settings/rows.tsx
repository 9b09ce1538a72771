import { useId, useState, type ReactNode } from "react";
import type { Problem, Settings } from "@/bridge/types";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { Input } from "@/ui/input";

export interface SectionProps {
  settings: Settings;
  /** Saves a setting, and returns the problem if it was refused. */
  save: (part: Partial<Settings>) => Promise<Problem | null>;
  /** The same for a row that shows the problem itself. */
  saveRow: (part: Partial<Settings>) => Promise<Problem | null>;
}

interface GroupProps {
  /** "" if the heading of the page is enough. */
  title: string;
  children: ReactNode;
}

/** The frame around the rows of a section. */
export function Group({ title, children }: GroupProps) {
  return (
    <>
      {title === "" ? null : (
        <Caption as="h2" className="mb-2">
          {title}
        </Caption>
      )}
      <div className="mb-7 rounded-lg border border-border bg-surface">{children}</div>
    </>
  );
}

interface RowProps {
  title: string;
  text: string;
  /** The error of the value, shown instead of the text. */
  error?: ReactNode;
  /** A label, if a click anywhere in the row is one on its control. */
  as?: "div" | "label";
  children: ReactNode;
}

export function Row({ title, text, error, as: Tag = "div", children }: RowProps) {
  return (
    <Tag
      data-setting={title}
      className={
        "flex items-center gap-4 border-b border-border px-4 py-2.5 last:border-b-0 " +
        "max-[640px]:flex-wrap max-[640px]:gap-y-2"
      }
    >
      <div className={cx("min-w-0 flex-1", Tag === "div" && "max-[640px]:basis-full")}>
        <span className="block font-medium">{title}</span>
        <span className="block text-xs text-text-faint">{error ?? text}</span>
      </div>
      {children}
    </Tag>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  value: T;
  choices: readonly { value: T; title: string }[];
  onChange: (value: T) => void;
}

/** A few options side by side, one of them selected. */
export function Choice<T extends string>({ name, value, choices, onChange }: ChoiceProps<T>) {
  return (
    <div role="radiogroup" aria-label={name} className="flex max-w-full flex-wrap rounded-md bg-surface-hover p-0.5">
      {choices.map((c) => (
        <label
          key={c.value}
          data-testid={`${name}-${c.value}`}
          className={cx(
            "relative cursor-pointer rounded-sm px-3 py-1 text-xs font-medium text-text-muted",
            "has-checked:bg-surface has-checked:text-text has-focus-visible:outline-2",
            "has-focus-visible:outline-accent",
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={value === c.value}
            onChange={() => onChange(c.value)}
          />
          {c.title}
        </label>
      ))}
    </div>
  );
}

interface NumberRowProps {
  title: string;
  text: string;
  testid: string;
  value: number;
  min: number;
  max: number;
  onSave: (value: number) => void;
}

/** A number that is saved when the user finishes it, if it is allowed. */
export function NumberRow({ title, text, testid, value, min, max, onSave }: NumberRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const n = Number(typed);
  const wrong = typed !== null && !(Number.isInteger(n) && n >= min && n <= max);
  const finish = () => {
    if (typed === null) return;
    if (!wrong && n !== value) onSave(n);
    setTyped(null);
  };
  return (
    <Row title={title} text={text} error={wrong ? `Enter a whole number from ${min} to ${max}` : undefined}>
      <Input
        data-testid={testid}
        aria-label={title}
        aria-invalid={wrong}
        inputMode="numeric"
        className="w-24 text-right tabular-nums"
        value={typed ?? String(value)}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={finish}
        onKeyDown={(e) => {
          if (e.code === "Enter") finish();
          if (e.code === "Escape") setTyped(null);
        }}
      />
    </Row>
  );
}

interface MoneyRowProps {
  title: string;
  text: string;
  testid: string;
  /** USD; 0 is shown as an empty field. */
  value: number;
  onSave: (value: number) => Promise<Problem | null>;
  /** Beside the field. */
  aside?: ReactNode;
}

/** An amount in USD that is saved when the user finishes it, if it is a number. */
export function MoneyRow({ title, text, testid, value, onSave, aside }: MoneyRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const n = Number((typed ?? "").trim().replace(/^\$/, "").replace(",", "."));
  const wrong = typed !== null && !(Number.isFinite(n) && (n === 0 || n >= 0.01) && n <= 1_000_000);
  const finish = () => {
    if (typed === null) return;
    if (!wrong && n !== value) void onSave(n);
    setTyped(null);
  };
  return (
    <Row title={title} text={text} error={wrong ? "Enter an amount in dollars, such as 5 or 2.50" : undefined}>
      {aside}
      <Input
        data-testid={testid}
        aria-label={title}
        aria-invalid={wrong}
        inputMode="decimal"
        placeholder="no limit"
        className="w-24 text-right tabular-nums"
        value={typed ?? (value > 0 ? `$${value.toFixed(2)}` : "")}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={finish}
        onKeyDown={(e) => {
          if (e.code === "Enter") finish();
          if (e.code === "Escape") setTyped(null);
        }}
      />
    </Row>
  );
}

interface TextRowProps {
  title: string;
  text: string;
  testid: string;
  value: string;
  /** Saves the value, and returns the problem if it was refused. */
  onSave: (value: string) => Promise<Problem | null>;
}

/**
 * A line of text that is saved when the user finishes it. A refused value stays in its field with the
 * error.
 */
export function TextRow({ title, text, testid, value, onSave }: TextRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState<Problem | null>(null);
  const words = useId();
  const finish = async () => {
    if (typed === null) return;
    const line = typed.trim();
    setTyped(null);
    const refused = line === value ? null : await onSave(line);
    setWrong(refused);
    if (refused) setTyped((since) => since ?? line);
  };
  const error = wrong ? (
    <span id={words} data-testid={`error-${testid}`} className="selectable text-bad">
      {wrong.message}
      {wrong.hint ? <span className="text-text-muted"> · {wrong.hint}</span> : null}
    </span>
  ) : undefined;
  return (
    <Row title={title} text={text} error={error}>
      <Input
        data-testid={testid}
        aria-label={title}
        aria-invalid={wrong !== null}
        aria-describedby={wrong ? words : undefined}
        spellCheck={false}
        className="w-56"
        value={typed ?? value}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={() => void finish()}
        onKeyDown={(e) => {
          if (e.code === "Enter") void finish();
          if (e.code !== "Escape") return;
          setTyped(null);
          setWrong(null);
        }}
      />
    </Row>
  );
}

interface SwitchRowProps {
  title: string;
  text: string;
  testid: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

/** A setting that is on or off. */
export function SwitchRow({ title, text, testid, on, onChange }: SwitchRowProps) {
  return (
    <Row title={title} text={text} as="label">
      <input
        type="checkbox"
        role="switch"
        data-testid={testid}
        aria-label={title}
        checked={on}
        onChange={(e) => onChange(e.target.checked)}
      />
    </Row>
  );
}
