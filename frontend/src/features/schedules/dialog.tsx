import { useEffect, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Plan, Problem, Timetable } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { planOf, type Scheduling } from "@/store/schedules";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input, Select } from "@/ui/input";
import { dueWords } from "./words";

/** When a goal starts again: for a new schedule, or to change the times of one. */
export function ScheduleDialog() {
  const scheduling = useAppState((s) => s.scheduling);
  return scheduling ? <Form scheduling={scheduling} /> : null;
}

/** Times that are used often. */
const presets: readonly { label: string; cron: string }[] = [
  { label: "Every hour", cron: "0 * * * *" },
  { label: "Every night", cron: "0 3 * * *" },
  { label: "Every morning", cron: "0 7 * * *" },
  { label: "Monday to Friday", cron: "0 7 * * 1-5" },
  { label: "Every Monday", cron: "0 7 * * 1" },
  { label: "Every month", cron: "0 7 1 * *" },
];

function Form({ scheduling }: { scheduling: Scheduling }) {
  const app = useApp();
  const [plan, setPlan] = useState<Plan>(scheduling.plan);
  const [problem, setProblem] = useState<Problem | null>(null);
  const described = useTimetable(plan.cron, plan.zone);
  const set = (part: Partial<Plan>) => {
    setPlan((p) => ({ ...p, ...part }));
    setProblem(null);
  };
  const close = () => app.set({ scheduling: null });
  const save = async () => {
    try {
      const saved = await app.bridge.call("ScheduleAPI.Save", scheduling.id, planOf(plan));
      close();
      scheduling.onSaved?.();
      app.set({ schedule: saved.id, route: "schedules", schedulesRevision: app.state.schedulesRevision + 1 });
    } catch (reason) {
      setProblem(asProblem(reason));
    }
  };
  const errorOf = (field: string) =>
    problem?.field === field ? problem : described.problem?.field === field ? described.problem : null;
  const cron = errorOf("cron");
  const zone = errorOf("zone");
  const other = problem && !["cron", "zone"].includes(problem.field) ? problem : null;
  return (
    <Dialog
      open
      title={scheduling.id ? "Change the times" : "Repeat this goal"}
      testid="schedule-dialog"
      help="guide/schedules"
      description="Says when the goal starts again and again"
      onClose={close}
      onKeyDown={(e) => {
        if (e.code !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
        e.preventDefault();
        void save();
      }}
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            look="primary"
            data-testid="schedule-save"
            disabled={described.problem !== null}
            onClick={() => void save()}
          >
            {scheduling.id ? "Save" : "Add schedule"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-1.5" role="group" aria-label="Usual times">
          {presets.map((p) => (
            <Button
              key={p.cron}
              data-testid="schedule-preset"
              aria-pressed={plan.cron === p.cron}
              look={plan.cron === p.cron ? "primary" : "plain"}
              onClick={() => set({ cron: p.cron })}
            >
              {p.label}
            </Button>
          ))}
        </div>
        <div className="grid grid-cols-2 gap-3 max-[480px]:grid-cols-1">
          <Field
            label="Cron"
            name="cron"
            note="minute, hour, day, month, weekday"
            error={cron?.message}
            hint={cron?.hint}
          >
            {(c) => (
              <Input
                {...c}
                className="font-mono"
                data-testid="schedule-cron"
                value={plan.cron}
                onChange={(e) => set({ cron: e.target.value })}
              />
            )}
          </Field>
          <Field label="Time zone" name="zone" error={zone?.message} hint={zone?.hint}>
            {(c) => (
              <Input
                {...c}
                data-testid="schedule-zone"
                placeholder="that of this computer"
                value={plan.zone}
                onChange={(e) => set({ zone: e.target.value })}
              />
            )}
          </Field>
        </div>
        <p className="text-xs text-text-muted" data-testid="schedule-words" aria-live="polite">
          {described.table
            ? `Starts ${described.table.when}. Next: ${(described.table.upcoming ?? []).map(dueWords).join(" · ")}`
            : ""}
        </p>
        <div className="grid grid-cols-2 gap-3 max-[480px]:grid-cols-1">
          <Field label="Times that were missed">
            {(c) => (
              <Select
                {...c}
                data-testid="schedule-missed"
                value={plan.missed}
                onChange={(e) => set({ missed: e.target.value === "skip" ? "skip" : "once" })}
              >
                <option value="once">One run makes up for them</option>
                <option value="skip">Skip them</option>
              </Select>
            )}
          </Field>
          <Field label="If the run before has not ended">
            {(c) => (
              <Select
                {...c}
                data-testid="schedule-overlap"
                value={plan.overlap}
                onChange={(e) => set({ overlap: e.target.value === "queue" ? "queue" : "skip" })}
              >
                <option value="skip">Skip this time</option>
                <option value="queue">Wait for its end</option>
              </Select>
            )}
          </Field>
          <Field label="Most that a month may cost" note="US dollars; 0 is no limit">
            {(c) => (
              <Input
                {...c}
                type="number"
                min={0}
                step="any"
                data-testid="schedule-month"
                value={plan.month_usd}
                onChange={(e) => set({ month_usd: Number(e.target.value) })}
              />
            )}
          </Field>
        </div>
        {other ? (
          <p role="alert" data-testid="schedule-problem" className="rounded-md bg-bad-bg px-3 py-2 text-xs text-bad">
            {other.message} <span className="text-text-muted">{other.hint}</span>
          </p>
        ) : null}
        {scheduling.id ? null : (
          <p className="text-xs text-text-faint">
            It begins with dry runs, in copies of the folder. Three failures in a row turn it off.
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** The times in words, or what is wrong with them. */
function useTimetable(cron: string, zone: string) {
  const app = useApp();
  const [state, setState] = useState<{ table: Timetable | null; problem: Problem | null }>({
    table: null,
    problem: null,
  });
  useEffect(() => {
    let isNewest = true;
    app.bridge.call("ScheduleAPI.Describe", cron, zone).then(
      (table) => isNewest && setState({ table, problem: null }),
      (reason: unknown) => isNewest && setState({ table: null, problem: asProblem(reason) }),
    );
    return () => {
      isNewest = false;
    };
  }, [app, cron, zone]);
  return state;
}
