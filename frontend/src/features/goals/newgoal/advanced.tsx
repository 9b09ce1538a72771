import type { ReactNode } from "react";
import { Caption } from "@/ui/caption";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { CheckLocation, Panes, Secrets } from "./access";
import type { AdvancedProps } from "./advancedprops";
import { DependencyPicker } from "./after";
import { DraftInput } from "./draftinput";
import { accessFields, limitFields } from "./linefields";
import { HiddenChecks } from "./scope";
import { Supervision } from "./supervision";

/** Options that have a sensible default and are rarely changed. */
export function AdvancedOptions({ draft, set, errors }: AdvancedProps) {
  const all = { draft, set, errors };
  return (
    <div className="mt-3 flex flex-col gap-4">
      <Group title="Limits">
        {limitFields.map((f) => (
          <DraftInput key={f.name} {...all} {...f} />
        ))}
      </Group>
      <Group title="Supervision">
        <Supervision {...all} />
      </Group>
      <Group title="Tools, hosts, files">
        <Access {...all} />
      </Group>
      <Secrets {...all} />
      <DependencyPicker {...all} />
      <Panes {...all} />
      <Unconfined {...all} />
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Caption className="mb-1.5">{title}</Caption>
      <div className="grid grid-cols-3 gap-3 max-[640px]:grid-cols-1">{children}</div>
    </section>
  );
}

function Access({ draft, set, errors }: AdvancedProps) {
  return (
    <>
      {accessFields.map((f) => (
        <DraftInput key={f.name} draft={draft} set={set} errors={errors} mono {...f} />
      ))}
      <HiddenChecks draft={draft} set={set} errors={errors} />
      <CheckFolder draft={draft} set={set} />
      <CheckLocation draft={draft} set={set} />
    </>
  );
}

function CheckFolder({ draft, set }: Pick<AdvancedProps, "draft" | "set">) {
  return (
    <Field label="Working folder of checks" hint="inside the goal's folder">
      {(c) => (
        <Input
          {...c}
          data-testid="field-check-dir"
          spellCheck={false}
          placeholder="."
          className="font-mono text-xs"
          value={draft.checks[0]?.dir ?? ""}
          onChange={(e) => set({ checks: draft.checks.map((k) => ({ ...k, dir: e.target.value })) })}
        />
      )}
    </Field>
  );
}

function Unconfined({ draft, set, errors }: AdvancedProps) {
  return (
    <label className="flex items-start gap-2 rounded-md bg-warn-bg px-3 py-2 text-xs">
      <input
        type="checkbox"
        data-testid="field-unconfined"
        className="mt-0.5 accent-(--accent)"
        checked={draft.unconfined}
        onChange={(e) => set({ unconfined: e.target.checked })}
      />
      <span>
        Run without the sandbox, with your full permissions and network access. This is logged.
        {errors.sandbox ? (
          <span role="alert" data-testid="error-sandbox" className="mt-1 block text-bad">
            {errors.sandbox.message} <span className="text-text-muted">{errors.sandbox.hint}</span>
          </span>
        ) : null}
      </span>
    </label>
  );
}
