import type { RefObject } from "react";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ChevronIcon } from "@/ui/icons";
import { TextArea } from "@/ui/input";
import { Menu } from "@/ui/menu";
import { AdvancedOptions } from "./advanced";
import type { AdvancedProps } from "./advancedprops";
import { BasicFields } from "./basicfields";
import { Checks } from "./checks";
import type { Draft } from "./draft";
import { emptyCheck } from "./draftcheck";
import { overridesFor } from "./errors";
import { FolderInfo } from "./folder";
import { FolderField } from "./folderfield";
import {
  describeAllowed,
  describeExtraAccess,
  describeWork,
  hostsWithoutEffect,
  templates,
  type Template,
} from "./labels";
import { Risks } from "./risks";
import { RunOutside } from "./scope";
import { Suggestions } from "./suggestions";
import type { TryResult } from "./tryresult";
import { useNewGoal } from "./usenewgoal";

/** Starts goals. Closing it keeps the draft; starting the goal discards it. */
export function NewGoalDialog() {
  const open = useAppState((s) => s.newGoal.open);
  return open ? <Form /> : null;
}

function Form() {
  const app = useApp();
  const form = useNewGoal();
  const { draft, set, errors } = form;
  const close = () => app.closeNewGoal();
  return (
    <Dialog
      open
      onClose={close}
      title="New goal"
      testid="new-goal"
      help="guide/first-goal"
      description="Describe what should be true at the end and add a check"
      onOpenAutoFocus={(e) => {
        e.preventDefault();
        const field = form.objective.current;
        field?.focus();
        field?.setSelectionRange(field.value.length, field.value.length); // a saved draft is continued at its end
      }}
      onKeyDown={(e) => {
        if (e.code === "KeyS" && e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
          e.preventDefault();
          if (draft.objective.trim() && form.suggestions.state !== "looking") void form.suggestions.suggest();
          return;
        }
        if (e.code !== "Enter" || !(e.ctrlKey || e.metaKey) || e.shiftKey) return;
        e.preventDefault();
        void form.start();
      }}
      aside={<DraftButtons set={set} clear={form.clear} />}
      footer={
        <>
          <Permissions draft={draft} />
          {form.suggestions.list.length > 0 ? (
            <span className="text-xs whitespace-nowrap text-text-faint" data-testid="suggestions-left">
              {plural(form.suggestions.list.length, "suggestion")} not added
            </span>
          ) : null}
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" data-testid="start-goal" disabled={form.busy} onClick={() => void form.start()}>
            {form.busy ? "Starting…" : "Start goal"}
            <Kbd onAccent>Ctrl↵</Kbd>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Objective draft={draft} set={set} errors={errors} field={form.objective} />
        <FolderField
          label="Folder"
          name="dir"
          value={draft.dir}
          onChange={(dir) => set({ dir })}
          placeholder={app.bridge.connection.work_dir ? `new, in ${app.bridge.connection.work_dir}` : "a new folder"}
          error={errors.dir}
          note={form.folderFrom}
        />
        <SuggestButton draft={draft} suggestions={form.suggestions} />
        <Checks
          checks={draft.checks}
          any={draft.any}
          tried={form.tried}
          error={errors.criterion}
          onChange={form.setChecks}
          onAny={(any) => set({ any })}
          onTry={(i) => void form.tryCheck(i)}
          work={draft.work}
          onWork={(work) => set({ work })}
        />
        <Suggestions
          {...form.suggestions}
          onAdd={form.acceptSuggestion}
          onEdit={(s) => {
            form.acceptSuggestion(s);
            requestAnimationFrame(() => focusLastCheck());
          }}
          onDrop={form.suggestions.drop}
        />
        <Overrides draft={draft} set={set} errors={errors} tried={form.tried} />
        <RunOutside draft={draft} set={set} errors={errors} />
        <Risks risk={draft.risk} error={errors.risk} onChange={(risk) => set({ risk })} />
        <BasicFields draft={draft} set={set} errors={errors} />
        <FolderInfo draft={draft} set={set} observed={form.observed} />
        <div>
          <AdvancedButton draft={draft} open={form.advanced} onClick={() => form.setAdvanced(!form.advanced)} />
          {form.advanced ? <AdvancedOptions draft={draft} set={set} errors={errors} /> : null}
        </div>
        {errors.form ? (
          <p role="alert" data-testid="error-form" className="rounded-md bg-bad-bg px-3 py-2 text-xs text-bad">
            {errors.form.message} <span className="text-text-muted">{errors.form.hint}</span>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}

/** Moves the cursor to the newest check. */
function focusLastCheck() {
  const rows = document.querySelectorAll<HTMLElement>('[data-testid="check-row"]');
  rows[rows.length - 1]?.querySelector<HTMLElement>("input, textarea")?.focus();
}

interface SuggestButtonProps {
  draft: Draft;
  suggestions: ReturnType<typeof useNewGoal>["suggestions"];
}

function SuggestButton({ draft, suggestions }: SuggestButtonProps) {
  const isLooking = suggestions.state === "looking";
  return (
    <div className="-mt-2.5 flex items-center justify-end gap-2 text-xs text-text-faint">
      {suggestions.list.length > 0 ? (
        <span role="status">
          {suggestions.list.length} suggested from the objective{draft.dir.trim() ? ` and ${draft.dir.trim()}` : ""}
        </span>
      ) : null}
      <Button
        data-testid="suggest-checks"
        title="Alt+S"
        disabled={isLooking || draft.objective.trim() === ""}
        onClick={() => void suggestions.suggest()}
      >
        {isLooking ? "Looking…" : "Suggest checks"}
      </Button>
    </div>
  );
}

function DraftButtons({ set, clear }: Pick<AdvancedProps, "set"> & { clear: () => void }) {
  const fill = (t: Template) => set({ objective: t.objective, checks: [{ ...emptyCheck, ...t.check }], any: false });
  return (
    <>
      <Button look="quiet" data-testid="draft-clear" onClick={clear}>
        Clear
      </Button>
      <Menu items={templates.map((t) => ({ id: `template-${t.id}`, label: t.title, run: () => fill(t) }))}>
        <Button look="quiet" data-testid="templates">
          Templates
        </Button>
      </Menu>
    </>
  );
}

/** A summary of the goal's permissions. */
function Permissions({ draft }: { draft: Draft }) {
  const sandbox = useAppState((s) => s.findings.find((f) => f.id === "sandbox"));
  const idle = hostsWithoutEffect(draft.risk, draft.allow_hosts);
  const work = describeWork(draft);
  const extra = describeExtraAccess(draft);
  return (
    <p className="min-w-0 flex-1 text-xs text-text-muted max-[640px]:basis-full" data-testid="allowed-words">
      {describeAllowed(draft.risk, draft.dir, draft.allow_hosts)}
      {work ? <span data-testid="work-words"> {work}</span> : null}
      {extra ? <span className="text-warn"> {extra}</span> : null}
      {idle ? (
        <span className="text-warn" data-testid="idle-hosts">
          {" "}
          {idle}
        </span>
      ) : null}
      {draft.unconfined ? (
        <span className="text-warn"> No sandbox: programs run with your full permissions.</span>
      ) : null}
      {sandbox?.state === "bad" && !draft.unconfined ? (
        <span className="text-warn"> The sandbox is unavailable on this machine.</span>
      ) : null}
    </p>
  );
}

interface ObjectiveProps extends AdvancedProps {
  field: RefObject<HTMLTextAreaElement | null>;
}

function Objective({ draft, set, errors, field }: ObjectiveProps) {
  return (
    <Field label="Objective" name="objective" error={errors.objective?.message} hint={errors.objective?.hint}>
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

/** Starts although a try or a refusal reported a problem with the checks. */
function Overrides({ draft, set, errors, tried }: AdvancedProps & { tried: readonly TryResult[] }) {
  const outs = tried.map((t) => (t?.state === "done" ? t.out : null));
  const offered = overridesFor(outs, errors.criterion);
  return (
    <>
      {offered.passing || draft.allow_passing ? (
        <Checkbox
          testid="allow-passing"
          on={draft.allow_passing}
          onChange={(on) => set({ allow_passing: on })}
          text="Start anyway (check already passes; it only guards against regressions)"
        />
      ) : null}
      {offered.missing || draft.allow_missing ? (
        <Checkbox
          testid="allow-missing"
          on={draft.allow_missing}
          onChange={(on) => set({ allow_missing: on })}
          text="Start anyway (the agent must create what the check needs)"
        />
      ) : null}
    </>
  );
}

function AdvancedButton({ draft, open, onClick }: { draft: Draft; open: boolean; onClick: () => void }) {
  const critic = draft.critic_every ? `critic every ${draft.critic_every} turns` : "no critic";
  const turns = draft.iterations ? plural(draft.iterations, "turn") : "no turn limit";
  return (
    <button
      type="button"
      data-testid="more"
      aria-expanded={open}
      className="flex items-center gap-1.5 text-xs text-text-faint hover:text-text"
      onClick={onClick}
    >
      <ChevronIcon size={12} className={open ? "rotate-90" : ""} />
      Advanced options: {critic} · {turns} · tools · hosts · files
    </button>
  );
}

interface CheckboxProps {
  testid: string;
  on: boolean;
  onChange: (on: boolean) => void;
  text: string;
}

function Checkbox({ testid, on, onChange, text }: CheckboxProps) {
  return (
    <label className="-mt-2 flex cursor-pointer items-start gap-2 rounded-md bg-warn-bg px-3 py-2 text-xs">
      <input
        type="checkbox"
        data-testid={testid}
        className="mt-0.5 accent-(--accent)"
        checked={on}
        onChange={(e) => onChange(e.target.checked)}
      />
      {text}
    </label>
  );
}
