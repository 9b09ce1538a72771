import { useEffect, useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ChevronIcon } from "@/ui/icons";
import { Input, Select, TextArea } from "@/ui/input";
import { Menu } from "@/ui/menu";
import { Checks, type TryResult } from "./checks";
import { emptyDraft, saveDraft, savedDraft, type Draft } from "./draft";
import { emptyCheck } from "./draftcheck";
import { errorsOf, moreFields, overridesFor, validate, type Errors } from "./errors";
import { fromInput, toInput, toTryInput } from "./input";
import { FolderInfo } from "./folder";
import { AdvancedOptions } from "./advanced";
import { Risks } from "./risks";
import { describeAllowed, describeExtraAccess, hostsWithoutEffect, templates, type Template } from "./labels";

/** Starts goals. What is written stays when it is closed, and goes when the goal has started. */
export function NewGoalDialog() {
  const open = useAppState((s) => s.newGoal.open);
  return open ? <Form /> : null;
}

function Form() {
  const app = useApp();
  const from = useAppState((s) => s.newGoal.from);
  const findings = useAppState((s) => s.findings);
  const [draft, setDraft] = useState<Draft>(() => (from ? fromInput(from) : savedDraft(localStorage)));
  const [tried, setTried] = useState<readonly TryResult[]>([]);
  const [errors, setErrors] = useState<Errors>({});
  const [more, setMore] = useState(false);
  const [busy, setBusy] = useState(false);
  const objective = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (!from) saveDraft(localStorage, draft);
  }, [draft, from]);

  const set = (part: Partial<Draft>) => {
    setDraft((d) => ({ ...d, ...part }));
    setErrors({});
  };
  const close = () => app.closeNewGoal();

  const tryCheck = async (index: number) => {
    const check = draft.checks[index];
    if (!check) return;
    const put = (t: TryResult) => setTried((all) => draft.checks.map((_, i) => (i === index ? t : (all[i] ?? null))));
    put({ state: "running" });
    try {
      const out = await app.bridge.call("GoalAPI.Try", toTryInput(draft, check));
      put({ state: "done", out });
    } catch (reason) {
      const problem = asProblem(reason);
      put({ state: "failed", text: problem.hint ? `${problem.message} · ${problem.hint}` : problem.message });
    }
  };

  const start = async () => {
    if (busy) return;
    const wrong = validate(draft);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) {
      if (wrong.objective) objective.current?.focus();
      if (wrong.limits || wrong.critic_every || wrong.allow_local) setMore(true);
      return;
    }
    setBusy(true);
    try {
      const { goal_id } = await app.bridge.call("GoalAPI.Start", toInput(draft));
      if (!from) saveDraft(localStorage, null);
      close();
      app.openGoal(goal_id);
    } catch (reason) {
      const refused = errorsOf(asProblem(reason));
      setErrors(refused);
      if (moreFields.some((name) => refused[name])) setMore(true);
    } finally {
      setBusy(false);
    }
  };

  const fill = (t: Template) => set({ objective: t.objective, checks: [{ ...emptyCheck, ...t.check }], any: false });

  const outs = tried.map((t) => (t?.state === "done" ? t.out : null));
  const ticks = overridesFor(outs, errors.criterion);
  const hosts = draft.allowHosts.split(/[\s,]+/).filter(Boolean);
  const idle = hostsWithoutEffect(draft.risk, hosts);
  const sandbox = findings.find((f) => f.id === "sandbox");

  return (
    <Dialog
      open
      onClose={close}
      title="New goal"
      testid="new-goal"
      description="Describe what should be true at the end and add a check"
      onOpenAutoFocus={(e) => {
        e.preventDefault();
        objective.current?.focus();
      }}
      onKeyDown={(e) => {
        if (e.code !== "Enter" || !(e.ctrlKey || e.metaKey) || e.shiftKey) return;
        e.preventDefault();
        void start();
      }}
      aside={
        <>
          <Button look="quiet" data-testid="draft-clear" onClick={() => set(emptyDraft)}>
            Clear
          </Button>
          <Menu items={templates.map((t) => ({ id: `template-${t.id}`, label: t.title, run: () => fill(t) }))}>
            <Button look="quiet" data-testid="templates">
              Templates
            </Button>
          </Menu>
        </>
      }
      footer={
        <>
          <p className="min-w-0 flex-1 text-xs text-text-muted" data-testid="allowed-words">
            {describeAllowed(draft.risk, draft.dir, hosts)}
            {describeExtraAccess(draft) ? <span className="text-warn"> {describeExtraAccess(draft)}</span> : null}
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
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" data-testid="start-goal" disabled={busy} onClick={() => void start()}>
            {busy ? "Starting…" : "Start goal"}
            <Kbd onAccent>Ctrl↵</Kbd>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Objective" name="objective" error={errors.objective?.message} hint={errors.objective?.hint}>
          {(c) => (
            <TextArea
              {...c}
              ref={objective}
              data-testid="field-objective"
              rows={2}
              placeholder="Run the test suite, find the failure, fix it, and repeat until it is green"
              className="block resize-y"
              value={draft.objective}
              onChange={(e) => set({ objective: e.target.value })}
            />
          )}
        </Field>
        <Checks
          checks={draft.checks}
          any={draft.any}
          tried={tried}
          error={errors.criterion}
          onChange={(checks) => {
            set({ checks });
            // A changed command has not been tried.
            setTried((all) => checks.map((k, i) => (k === draft.checks[i] ? (all[i] ?? null) : null)));
          }}
          onAny={(any) => set({ any })}
          onTry={(i) => void tryCheck(i)}
        />
        {ticks.passing || draft.allowPassing ? (
          <Checkbox
            testid="allow-passing"
            on={draft.allowPassing}
            onChange={(allowPassing) => set({ allowPassing })}
            text="Start anyway (check already passes; it only guards against regressions)"
          />
        ) : null}
        {ticks.missing || draft.allowMissing ? (
          <Checkbox
            testid="allow-missing"
            on={draft.allowMissing}
            onChange={(allowMissing) => set({ allowMissing })}
            text="Start anyway (the agent must create what the check needs)"
          />
        ) : null}
        <Risks risk={draft.risk} error={errors.risk} onChange={(risk) => set({ risk })} />
        <BasicFields draft={draft} set={set} errors={errors} />
        <FolderInfo draft={draft} set={set} />
        <div>
          <button
            type="button"
            data-testid="more"
            aria-expanded={more}
            className="flex items-center gap-1.5 text-xs text-text-faint hover:text-text"
            onClick={() => setMore(!more)}
          >
            <ChevronIcon size={12} className={more ? "rotate-90" : ""} />
            Advanced options: {draft.criticEvery ? `critic every ${draft.criticEvery} steps` : "no critic"} ·{" "}
            {draft.iterations ? plural(Number(draft.iterations), "turn") : "no turn limit"} · tools · hosts · files
          </button>
          {more ? <AdvancedOptions draft={draft} set={set} errors={errors} /> : null}
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

interface BasicsProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  errors: Errors;
}

function BasicFields({ draft, set, errors }: BasicsProps) {
  const app = useApp();
  const providers = useAppState((s) => s.providers);
  const active = providers.find((p) => p.active);
  const chosen = providers.find((p) => p.id === draft.provider) ?? active;
  // A duplicate may bring a word that the provider in use does not have: it stays in sight, and Go refuses it.
  const words = chosen?.efforts ?? [];
  const efforts = draft.effort && !words.includes(draft.effort) ? [...words, draft.effort] : words;
  return (
    <>
      <div className="grid grid-cols-[1fr_92px_92px] gap-3">
        <Field label="Folder" name="dir" error={errors.dir?.message} hint={errors.dir?.hint}>
          {(c) => (
            <Input
              {...c}
              data-testid="field-dir"
              spellCheck={false}
              className="font-mono text-xs"
              placeholder={
                app.bridge.connection.work_dir ? `new, in ${app.bridge.connection.work_dir}` : "a new folder"
              }
              value={draft.dir}
              onChange={(e) => set({ dir: e.target.value })}
            />
          )}
        </Field>
        <Field label="Time" note="min" error={errors.limits ? "" : undefined}>
          {(c) => (
            <Input
              {...c}
              data-testid="field-minutes"
              inputMode="decimal"
              placeholder="no limit"
              value={draft.minutes}
              onChange={(e) => set({ minutes: e.target.value })}
            />
          )}
        </Field>
        <Field label="Money" note="$" error={errors.limits ? "" : undefined}>
          {(c) => (
            <Input
              {...c}
              data-testid="field-usd"
              inputMode="decimal"
              placeholder="no limit"
              value={draft.usd}
              onChange={(e) => set({ usd: e.target.value })}
            />
          )}
        </Field>
      </div>
      {errors.limits ? (
        <p role="alert" data-testid="error-limits" className="-mt-3 text-xs text-bad">
          {errors.limits.message} <span className="text-text-muted">· {errors.limits.hint}</span>
        </p>
      ) : null}
      <div className="grid grid-cols-3 gap-3">
        <Field
          label="Provider"
          name="provider"
          error={errors.provider?.message}
          hint={errors.provider?.hint ?? (chosen?.ready === false ? chosen.note : undefined)}
        >
          {(c) => (
            <Select
              {...c}
              data-testid="field-provider"
              value={draft.provider}
              onChange={(e) => set({ provider: e.target.value, model: "", effort: "" })}
            >
              <option value="">{active ? `${active.id} (default)` : "Default provider"}</option>
              {providers
                .filter((p) => !p.active)
                .map((p) => (
                  <option key={p.id} value={p.id}>
                    {p.id}
                    {p.scripted ? " · scripted, no AI" : p.ready ? "" : " · not ready"}
                  </option>
                ))}
            </Select>
          )}
        </Field>
        <Field
          label="Model"
          name="model"
          error={errors.model?.message}
          hint={errors.model?.hint ?? (chosen?.scripted ? "scripted, no AI" : undefined)}
        >
          {(c) => (
            <Input
              {...c}
              data-testid="field-model"
              spellCheck={false}
              placeholder={chosen?.model ?? ""}
              value={draft.model}
              onChange={(e) => set({ model: e.target.value })}
            />
          )}
        </Field>
        <Field label="Effort" name="effort" error={errors.effort?.message} hint={errors.effort?.hint}>
          {(c) => (
            <Select
              {...c}
              data-testid="field-effort"
              disabled={efforts.length === 0}
              value={draft.effort}
              onChange={(e) => set({ effort: e.target.value })}
            >
              <option value="">Default</option>
              {efforts.map((word) => (
                <option key={word}>{word}</option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </>
  );
}

interface TickProps {
  testid: string;
  on: boolean;
  onChange: (on: boolean) => void;
  text: string;
}

function Checkbox({ testid, on, onChange, text }: TickProps) {
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
