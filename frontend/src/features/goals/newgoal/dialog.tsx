import type { RefObject } from "react";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ChevronIcon } from "@/ui/icons";
import { TextArea } from "@/ui/input";
import type { AdvancedProps } from "./advancedprops";
import { AttachedChat, Attachment } from "./attachment";
import { DoneWhen } from "./donewhen";
import type { Panel } from "./errors";
import { FolderInfo } from "./folder";
import { FolderField } from "@/folders/folderfield";
import { Options, useNeedsModel } from "./options";
import { RunOutside } from "./scope";
import { firstRunners, Runners } from "./runners";
import { Sentence } from "./sentence";
import { TemplateFields, TemplateMenu } from "./templates";
import { useNewGoal, type NewGoalForm } from "./usenewgoal";
import { WorktreeField } from "./worktree";

/** Starts goals. Closing it keeps the draft; starting the goal discards it. */
export function NewGoalDialog() {
  const open = useAppState((s) => s.newGoal.open);
  return open ? <Form /> : null;
}

function Form() {
  const app = useApp();
  const form = useNewGoal();
  const { draft, set, errors } = form;
  const needsModel = useNeedsModel(draft);
  const close = () => app.closeNewGoal();
  if (form.busy) return null; // the dashboard shows what is tried
  return (
    <Dialog
      open
      onClose={close}
      title={form.save ? "Change the goal of the schedule" : "New goal"}
      testid="new-goal"
      help="guide/first-goal"
      description="Say what should be true at the end, and where; then tick or add a check"
      onOpenAutoFocus={(e) => {
        e.preventDefault();
        const field = form.objective.current;
        field?.focus();
        field?.setSelectionRange(field.value.length, field.value.length); // a saved draft is continued at its end
      }}
      onKeyDown={(e) => {
        if (e.code === "KeyS" && e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
          e.preventDefault();
          if (draft.objective.trim() && form.suggestions.state !== "looking") void form.suggestions.suggest(true);
          return;
        }
        if (e.code !== "Enter" || !(e.ctrlKey || e.metaKey) || e.shiftKey) return;
        e.preventDefault();
        if (needsModel) app.providers.openConnect({ preset: "" });
        else void (form.save ?? form.start)();
      }}
      aside={
        form.save ? undefined : (
          <>
            <Button look="quiet" data-testid="draft-clear" onClick={form.clear}>
              Clear
            </Button>
            <TemplateMenu dir={draft.dir} />
          </>
        )
      }
      footer={
        <>
          <MoreButton panel={form.panel} onPanel={form.setPanel} />
          <span className="flex-1" />
          {form.runners === null && !form.save ? (
            <>
              <Button look="quiet" data-testid="race-on" onClick={() => form.setRunners([...firstRunners])}>
                Race…
              </Button>
              <Button look="quiet" data-testid="repeat-goal" onClick={form.repeat}>
                Repeat…
              </Button>
            </>
          ) : null}
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          {needsModel ? (
            <Button
              look="primary"
              data-testid="connect-model"
              onClick={() => app.providers.openConnect({ preset: "" })}
            >
              Connect a model
            </Button>
          ) : (
            <SubmitButton form={form} />
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TemplateFields dir={draft.dir} set={set} objective={form.objective} />
        <Objective draft={draft} set={set} errors={errors} field={form.objective} />
        <AttachedChat />
        <Attachment draft={draft} set={set} error={errors.attached?.message} />
        <FolderField
          label="Folder"
          name="dir"
          value={draft.dir}
          onChange={(dir) => set({ dir })}
          placeholder={app.bridge.connection.work_dir ? `new, in ${app.bridge.connection.work_dir}` : "a new folder"}
          error={errors.dir}
          note={form.folderFrom}
        />
        <DoneWhen form={form} />
        <RunOutside draft={draft} set={set} errors={errors} />
        <Sentence draft={draft} set={set} errors={errors} panel={form.panel} onPanel={form.setPanel} />
        {form.runners === null ? (
          <WorktreeField draft={draft} set={set} errors={errors} />
        ) : (
          <Runners runners={form.runners} onChange={form.setRunners} error={form.raceError} />
        )}
        <FolderInfo draft={draft} set={set} observed={form.observed} />
        {form.panel === "options" ? <Options draft={draft} set={set} errors={errors} /> : null}
        {form.save ? (
          <p className="text-xs text-text-faint">
            With another goal, the schedule does dry runs again, until one is done and you promote it.
          </p>
        ) : null}
        {errors.form ? (
          <p role="alert" data-testid="error-form" className="rounded-md bg-bad-bg px-3 py-2 text-xs text-bad">
            {errors.form.message} <span className="text-text-muted">{errors.form.hint}</span>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}

/** Starts the goal or the race, or saves the goal of a schedule. */
function SubmitButton({ form }: { form: NewGoalForm }) {
  const [testid, label] = form.save
    ? ["scheduled-goal-save", "Save"]
    : ["start-goal", form.runners === null ? "Start goal" : "Start race"];
  return (
    <Button look="primary" data-testid={testid} onClick={() => void (form.save ?? form.start)()}>
      {label}
      <Kbd onAccent>Ctrl↵</Kbd>
    </Button>
  );
}

function MoreButton({ panel, onPanel }: { panel: Panel; onPanel: (panel: Panel) => void }) {
  const isOpen = panel === "options";
  return (
    <button
      type="button"
      data-testid="more"
      aria-expanded={isOpen}
      className="flex items-center gap-1.5 text-xs text-text-muted hover:text-text"
      onClick={() => onPanel(isOpen ? "" : "options")}
    >
      <ChevronIcon size={12} className={isOpen ? "rotate-90" : ""} />
      More options
    </button>
  );
}

interface ObjectiveProps extends AdvancedProps {
  field: RefObject<HTMLTextAreaElement | null>;
}

function Objective({ draft, set, errors, field }: ObjectiveProps) {
  return (
    <Field
      label="What should be true at the end?"
      name="objective"
      error={errors.objective?.message}
      hint={errors.objective?.hint}
    >
      {(c) => (
        <TextArea
          {...c}
          ref={field}
          data-testid="field-objective"
          rows={2}
          placeholder="Run the test suite, find the failure, fix it, and repeat until it is green"
          className="block resize-y"
          value={draft.objective}
          onChange={(e) => set({ objective: e.target.value })}
        />
      )}
    </Field>
  );
}
