import { useState, type RefObject } from "react";
import { asProblem } from "@/bridge/problem";
import type { LibraryEntry, Problem } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Menu, type MenuItem } from "@/ui/menu";
import type { AdvancedProps } from "./advancedprops";
import { fromInput } from "./input";

/** The templates that count in a folder, each name once. */
function useTemplates(dir: string): readonly LibraryEntry[] {
  const { answer } = useAnswer("LibraryAPI.List", dir);
  const usable = (answer ?? []).filter((e) => e.kind === "template" && e.trusted && e.problem === "");
  return usable.filter((e, i) => usable.findIndex((other) => other.name === e.name) === i);
}

/** The menu of templates, which asks for the values of the chosen one. */
export function TemplateMenu({ dir }: { dir: string }) {
  const app = useApp();
  const items: MenuItem[] = [
    ...useTemplates(dir).map((e) => ({
      id: `template-${e.name}`,
      label: e.name,
      hint: e.description,
      run: () => app.set({ newGoalTemplate: e.name }),
    })),
    null,
    { id: "template-edit", label: "Edit templates…", takesFocus: true, run: () => app.openSettings("Templates") },
  ];
  return (
    <Menu items={items}>
      <Button look="quiet" data-testid="templates">
        From a template
      </Button>
    </Menu>
  );
}

interface FieldsProps extends Pick<AdvancedProps, "set"> {
  dir: string;
  /** Gets the focus when the fields are gone. */
  objective: RefObject<HTMLTextAreaElement | null>;
}

/** The parameters of the chosen template, above the draft that they fill. */
export function TemplateFields({ dir, set, objective }: FieldsProps) {
  const name = useAppState((s) => s.newGoalTemplate);
  const entry = useTemplates(dir).find((e) => e.name === name);
  return entry ? <Fields key={name} entry={entry} dir={dir} set={set} objective={objective} /> : null;
}

function Fields({ entry, dir, set, objective }: FieldsProps & { entry: LibraryEntry }) {
  const app = useApp();
  const parameters = entry.parameters ?? [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(parameters.map((p) => [p.name, p.default ?? ""])),
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    app.set({ newGoalTemplate: "" });
    objective.current?.focus();
  };
  const fill = async () => {
    try {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
      const request = await app.bridge.call("LibraryAPI.FillTemplate", entry.name, dir, given);
      set(fromInput({ ...request, dir: request.dir || dir }));
      close();
    } catch (reason) {
      setProblem(asProblem(reason));
    }
  };
  return (
    <fieldset
      data-testid="template-fields"
      className="flex flex-col gap-2 rounded-lg border border-border bg-surface p-3"
      onKeyDown={(e) => {
        if (e.code !== "Enter" || e.ctrlKey || e.metaKey || !(e.target instanceof HTMLInputElement)) return;
        e.preventDefault();
        void fill();
      }}
    >
      <legend className="px-1 text-xs font-medium">{entry.name}</legend>
      <p className="text-xs text-text-muted">{entry.description}</p>
      {parameters.map((p, i) => (
        <Field key={p.name} label={p.description || p.name} name={`parameter-${p.name}`}>
          {(c) => (
            <Input
              {...c}
              data-testid={`parameter-${p.name}`}
              autoFocus={i === 0}
              inputMode={p.number ? "decimal" : undefined}
              value={values[p.name] ?? ""}
              onChange={(e) => setValues({ ...values, [p.name]: e.target.value })}
            />
          )}
        </Field>
      ))}
      {problem ? (
        <p role="alert" data-testid="template-problem" className="text-xs text-bad">
          {problem.message} <span className="text-text-muted">{problem.hint}</span>
        </p>
      ) : null}
      <div className="flex items-center gap-2">
        <Button data-testid="template-fill" onClick={() => void fill()}>
          Fill in
        </Button>
        <Button look="quiet" onClick={close}>
          Cancel
        </Button>
        <span className="text-xs text-text-faint">replaces what is written below</span>
      </div>
    </fieldset>
  );
}
