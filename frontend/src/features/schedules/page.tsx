import { useEffect, useRef } from "react";
import type { Mode, ScheduleView } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { shortPath, stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button, Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { hasOpenDialog } from "@/ui/opendialogs";
import { Runs } from "./runs";
import { byNextTime, dueWords, modeWords } from "./words";

/** All schedules: when each is due next, what became of its runs, and what it may do. */
export function SchedulesPage() {
  const app = useApp();
  const revision = useAppState((s) => s.schedulesRevision);
  const wanted = useAppState((s) => s.schedule);
  const { answer, reload } = useAnswer("ScheduleAPI.List");
  useReload(revision, reload);
  const list = byNextTime(answer ?? []);
  const shown = list.find((s) => s.id === wanted) ?? list[0];
  useEscape(() => app.go("workspace"));
  return (
    <div className="flex h-full flex-col" data-testid="schedules">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-border bg-surface px-4">
        <h1 className="text-base font-semibold">Schedules</h1>
        <span className="flex-1" />
        <Button look="primary" data-testid="schedule-new" onClick={() => app.newGoal()}>
          New goal…
        </Button>
        <Button look="quiet" data-testid="schedules-close" onClick={() => app.go("workspace")}>
          Close <Kbd>Esc</Kbd>
        </Button>
      </header>
      {answer && list.length === 0 ? <Empty /> : null}
      {shown ? (
        <div className="flex min-h-0 flex-1 max-[800px]:flex-col">
          <ul
            aria-label="All schedules"
            className="w-80 shrink-0 overflow-y-auto border-r border-border p-2 max-[800px]:max-h-56 max-[800px]:w-full"
          >
            {list.map((s) => (
              <Row key={s.id} schedule={s} isShown={s.id === shown.id} />
            ))}
          </ul>
          <Details key={shown.id} schedule={shown} revision={revision} onChange={reload} />
        </div>
      ) : null}
    </div>
  );
}

/** Escape closes the page, unless a dialog is open. */
function useEscape(close: () => void) {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.code === "Escape" && !e.defaultPrevented && !hasOpenDialog()) latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Loads again what schedules have changed since. */
export function useReload(revision: number, reload: () => Promise<void>) {
  const first = useRef(revision);
  useEffect(() => {
    if (revision !== first.current) void reload();
  }, [revision, reload]);
}

function Empty() {
  const app = useApp();
  return (
    <div
      className="flex flex-1 flex-col items-center justify-center gap-3 p-8 text-center"
      data-testid="schedules-empty"
    >
      <p className="font-medium">No schedules yet</p>
      <p className="max-w-md text-text-muted">
        A schedule starts a goal again and again, such as each night. Describe the goal, then choose{" "}
        <strong>Repeat…</strong> instead of starting it.
      </p>
      <Button look="primary" onClick={() => app.newGoal()}>
        New goal…
      </Button>
    </div>
  );
}

function Row({ schedule, isShown }: { schedule: ScheduleView; isShown: boolean }) {
  const app = useApp();
  const mode = modeWords[schedule.mode];
  const next = schedule.upcoming?.[0];
  return (
    <li>
      <button
        type="button"
        data-testid="schedule"
        data-id={schedule.id}
        data-mode={schedule.mode}
        aria-current={isShown}
        className={cx(
          "block w-full rounded-md px-3 py-2 text-left hover:bg-surface-hover",
          isShown && "bg-surface-hover",
        )}
        onClick={() => app.set({ schedule: schedule.id })}
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">{stripControl(schedule.request.objective)}</span>
          <Badge tone={mode.tone} live={schedule.running}>
            {mode.label}
          </Badge>
        </span>
        <span className="block truncate text-xs text-text-faint">{next ? dueWords(next) : schedule.when}</span>
      </button>
    </li>
  );
}

interface DetailsProps {
  schedule: ScheduleView;
  revision: number;
  onChange: () => Promise<void>;
}

function Details({ schedule, revision, onChange }: DetailsProps) {
  const mode = modeWords[schedule.mode];
  const upcoming = (schedule.upcoming ?? []).map(dueWords);
  return (
    <section aria-label="The schedule" className="min-w-0 flex-1 overflow-y-auto p-5" data-testid="schedule-details">
      <h2 className="selectable text-base font-semibold break-words">{stripControl(schedule.request.objective)}</h2>
      <p className="mt-1 text-text-muted">
        <Badge tone={mode.tone}>{mode.label}</Badge> {schedule.when} in{" "}
        <span className="font-mono text-xs">{shortPath(schedule.request.dir)}</span>
      </p>
      {schedule.mode === "dry_run" ? (
        <p className="mt-2 rounded-md bg-warn-bg px-3 py-2 text-xs" data-testid="schedule-note">
          {schedule.tried
            ? "A dry run was done. Look at what it changed in its copy of the folder, then promote the schedule."
            : "Runs work in a copy of the folder, and their network only reads. After one is done, the schedule can be promoted."}
        </p>
      ) : null}
      {schedule.mode === "off" && schedule.failures > 0 ? (
        <p className="mt-2 rounded-md bg-bad-bg px-3 py-2 text-xs" data-testid="schedule-note">
          It was turned off because {schedule.failures} runs in a row failed.
        </p>
      ) : null}
      <Actions schedule={schedule} onChange={onChange} />
      <dl className="my-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        <dt className="text-text-faint">Next</dt>
        <dd data-testid="schedule-next">{upcoming.length > 0 ? upcoming.join(" · ") : "nothing"}</dd>
        <dt className="text-text-faint">This month</dt>
        <dd>
          {money(schedule.spent_usd)}
          {schedule.month_usd > 0 ? ` of ${money(schedule.month_usd)}` : ""}
        </dd>
        <dt className="text-text-faint">Missed times</dt>
        <dd>{schedule.missed === "skip" ? "are skipped" : "one run makes up for them"}</dd>
        <dt className="text-text-faint">A run that has not ended</dt>
        <dd>{schedule.overlap === "queue" ? "the next one waits for it" : "the next one is skipped"}</dd>
      </dl>
      <Caption as="h3" className="mb-2">
        Runs
      </Caption>
      <Runs schedule={schedule.id} revision={revision} />
    </section>
  );
}

function Actions({ schedule, onChange }: { schedule: ScheduleView; onChange: () => Promise<void> }) {
  const app = useApp();
  const setMode = async (mode: Mode) => {
    if (await app.ask("ScheduleAPI.SetMode", schedule.id, mode)) await onChange();
  };
  const run = async () => {
    if (await app.ask("ScheduleAPI.Run", schedule.id)) await onChange();
  };
  const remove = () =>
    app.confirm({
      title: "Delete this schedule?",
      text: "Its goals stay, with all that they changed. A run that works now continues.",
      yes: "Delete",
      danger: true,
      run: async () => {
        if (await app.ask("ScheduleAPI.Delete", schedule.id)) await onChange();
      },
    });
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {schedule.mode === "dry_run" ? (
        <Button
          look={schedule.tried ? "primary" : "plain"}
          data-testid="schedule-promote"
          disabled={!schedule.tried}
          onClick={() => void setMode("active")}
        >
          Promote
        </Button>
      ) : null}
      {schedule.mode === "off" ? (
        <Button data-testid="schedule-on" onClick={() => void setMode(schedule.tried ? "active" : "dry_run")}>
          Turn on
        </Button>
      ) : null}
      <Button data-testid="schedule-run" disabled={schedule.running} onClick={() => void run()}>
        Run now
      </Button>
      <Button data-testid="schedule-edit" onClick={() => app.set({ scheduling: { id: schedule.id, plan: schedule } })}>
        Change times…
      </Button>
      <Button data-testid="schedule-goal" onClick={() => app.changeGoalOf(schedule)}>
        Change goal…
      </Button>
      {schedule.mode === "active" ? (
        <Button look="quiet" data-testid="schedule-dry" onClick={() => void setMode("dry_run")}>
          Back to dry run
        </Button>
      ) : null}
      {schedule.mode === "off" ? null : (
        <Button look="quiet" data-testid="schedule-off" onClick={() => void setMode("off")}>
          Turn off
        </Button>
      )}
      <Button look="quiet" data-testid="schedule-delete" onClick={remove}>
        Delete…
      </Button>
    </div>
  );
}
