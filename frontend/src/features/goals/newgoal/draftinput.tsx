import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import type { Draft } from "./draft";
import type { FieldError } from "./errors";

/** The fields of a draft that are one line of text. */
type TextField = {
  [K in keyof Draft]: Draft[K] extends string ? (string extends Draft[K] ? K : never) : never;
}[keyof Draft];

interface DraftInputProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  name: TextField;
  label: string;
  hint?: string;
  placeholder?: string;
  /** Uses the code font, for paths, hosts and tool names. */
  mono?: boolean;
  error?: FieldError | undefined;
}

/** One line of the draft with its label. */
export function DraftInput({ draft, set, name, label, hint, placeholder, mono, error }: DraftInputProps) {
  return (
    <Field label={label} hint={hint} name={name} error={error?.message}>
      {(c) => (
        <Input
          {...c}
          data-testid={`field-${name}`}
          spellCheck={false}
          placeholder={placeholder}
          className={mono ? "font-mono text-xs" : ""}
          value={draft[name]}
          onChange={(e) => set({ [name]: e.target.value })}
        />
      )}
    </Field>
  );
}
