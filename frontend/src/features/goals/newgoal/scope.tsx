import type { CheckOutput } from "@/bridge/types";
import { Field } from "@/ui/field";
import { Select } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import { DraftInput } from "./draftinput";
import { paths, plainText } from "./formats";
import { roundGlob, toInput } from "./input";

/** What the agent may change in the folder. */
export function WorkField({ draft, set, errors }: AdvancedProps) {
  const rounded = draft.work.filter((p) => roundGlob(p) !== p);
  return (
    <div>
      <DraftInput
        draft={draft}
        set={set}
        errors={errors}
        mono
        as={paths}
        name="work"
        label="The agent may change"
        placeholder="the whole folder"
        hint={
          errors.work?.hint ?? "folders and existing files in the folder, comma-separated; everything else is read-only"
        }
      />
      {rounded.length > 0 ? (
        <p className="mt-1 text-xs text-warn" data-testid="work-rounded">
          {rounded.map((p) => `${p} means all of ${roundGlob(p)}`).join("; ")}: the sandbox grants folders and files,
          not patterns.
        </p>
      ) : null}
    </div>
  );
}

/** A folder that is hidden from the agent. */
export function CheckDir(all: AdvancedProps) {
  return (
    <DraftInput
      {...all}
      mono
      as={plainText}
      name="check_dir"
      label="Only the checks can read"
      hint={all.errors.check_dir?.hint ?? "a folder; checks find it in $GOALPOST_CHECK_DIR"}
      placeholder="/home/you/hidden-tests"
    />
  );
}

/** How much of a failure the agent sees. */
export function CheckOutputField({ draft, set, errors }: AdvancedProps) {
  return (
    <Field label="Shown to the agent if a check fails" name="check_output" error={errors.check_output?.message}>
      {(c) => (
        <Select
          {...c}
          data-testid="field-checkOutput"
          value={draft.check_output ?? ""}
          onChange={(e) => set({ check_output: e.target.value as CheckOutput })}
        >
          <option value="">{draft.check_dir.trim() ? "exit code (default)" : "whole output (default)"}</option>
          <option value="exit">exit code</option>
          <option value="names">names of failed tests</option>
          <option value="full">whole output</option>
        </Select>
      )}
    </Field>
  );
}

/** The confirmation that checks outside the sandbox need. */
export function RunOutside({ draft, set, errors }: AdvancedProps) {
  if (!toInput(draft).checks.some((c) => c.where === "host")) return null;
  return (
    <label className="-mt-2 flex cursor-pointer items-start gap-2 rounded-md bg-warn-bg px-3 py-2 text-xs">
      <input
        type="checkbox"
        data-testid="run-outside"
        className="mt-0.5 accent-(--accent)"
        checked={draft.run_outside}
        onChange={(e) => set({ run_outside: e.target.checked })}
      />
      <span>
        Run these checks outside the sandbox. Code that the agent wrote then runs with your permissions: your files,
        your network, your logins.
        {errors.run_outside ? (
          <span role="alert" data-testid="error-run_outside" className="mt-1 block text-bad">
            {errors.run_outside.message} <span className="text-text-muted">{errors.run_outside.hint}</span>
          </span>
        ) : null}
      </span>
    </label>
  );
}
