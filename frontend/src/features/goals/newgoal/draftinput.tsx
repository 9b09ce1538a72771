import { useState, type ReactNode } from "react";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import { jsonType, type Draft } from "./draft";
import type { FieldError } from "./errors";
import type { TextFormat } from "./formats";

/** The fields of a draft whose values have a type. */
type NameOf<T> = {
  [K in keyof Draft]-?: NonNullable<Draft[K]> extends T ? (T extends NonNullable<Draft[K]> ? K : never) : never;
}[keyof Draft];

interface FieldOf<T> {
  name: NameOf<T>;
  as: TextFormat<T>;
}

type Value = string | number | string[] | number[];

/** A field of the draft that is one line of text. */
export type LineField = (FieldOf<string> | FieldOf<number> | FieldOf<string[]> | FieldOf<number[]>) & {
  label: string;
  note?: ReactNode;
  hint?: string | undefined;
  placeholder?: string | undefined;
  /** The test id without field-, if it is not the name in camel case. */
  testid?: string;
  /** Uses the code font, for paths, hosts and tool names. */
  mono?: boolean;
};

interface DraftInputProps extends AdvancedProps {
  /** The error, if it is not the one of the field. */
  error?: FieldError | undefined;
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** One line of the draft with its label. It shows the user's own text while that means the draft's value. */
export function DraftInput({ draft, set, errors, name, as, mono, ...props }: LineField & DraftInputProps) {
  const { label, note, hint, placeholder, testid = camelCase(name), error = errors[name] } = props;
  const [text, setText] = useState("");
  const format: TextFormat<Value> = as;
  const empty = format.parse("") ?? "";
  // A saved draft may have another type.
  const value = jsonType(draft[name]) === jsonType(empty) ? (draft[name] ?? empty) : empty;
  const isCurrent = JSON.stringify(format.parse(text)) === JSON.stringify(value);
  const change = (input: string) => {
    setText(input);
    const next = format.parse(input);
    set(next === null ? { invalid: { ...draft.invalid, [name]: input } } : { [name]: next });
  };
  return (
    <Field label={label} note={note} hint={hint} name={name} error={error?.message}>
      {(c) => (
        <Input
          {...c}
          data-testid={`field-${testid}`}
          spellCheck={false}
          inputMode={jsonType(empty) === "number" ? "decimal" : undefined}
          placeholder={placeholder}
          className={mono ? "font-mono text-xs" : ""}
          value={draft.invalid[name] ?? (isCurrent ? text : format.format(value))}
          onChange={(e) => change(e.target.value)}
        />
      )}
    </Field>
  );
}
