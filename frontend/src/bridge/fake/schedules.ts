import { CallError } from "@/bridge/problem";
import type { Mode, Plan, ScheduleRunView, ScheduleView, Timetable } from "@/bridge/types";
import { at } from "./fixtures";

const hour = 3_600_000;

/** The next times of each schedule of the fake: the same four for all. */
const upcoming = ["2026-03-13T07:00:00+01:00", "2026-03-16T07:00:00+01:00", "2026-03-17T07:00:00+01:00"];

const plan: Plan = {
  request: {
    objective: "Update the dependencies that have known vulnerabilities",
    dir: "/home/ada/shop",
    risk: "network_get",
    checks: [{ type: "shell", command: "npm audit --audit-level=high" }],
  } as Plan["request"],
  cron: "0 7 * * 1-5",
  zone: "Europe/Berlin",
  missed: "once",
  overlap: "skip",
  month_usd: 20,
};

function view(id: string, part: Partial<ScheduleView>): ScheduleView {
  return {
    ...plan,
    id,
    mode: "active",
    tried: true,
    failures: 0,
    created_at: at(-300 * hour),
    decided_to: at(-3 * hour),
    when: "at 7:00 from Monday to Friday (Europe/Berlin)",
    upcoming,
    spent_usd: 3.14,
    running: false,
    ...part,
  };
}

const run = (schedule: string, hours: number, part: Partial<ScheduleRunView>): ScheduleRunView => ({
  schedule,
  due: at(-hours * hour),
  decided_at: at(-hours * hour),
  state: "started",
  goal: "01m0verified0000000000000",
  dry_run: false,
  why: "",
  status: "completed",
  exit: "done",
  usd: 0.31,
  ...part,
});

/** The schedules of the fake bridge. */
export class FakeSchedules {
  list: ScheduleView[] = [
    view("01m0schedule00000audit001", {}),
    view("01m0schedule00000links002", {
      request: { ...plan.request, objective: "Repair the broken links of the guide", dir: "/home/ada/guide" },
      cron: "@weekly",
      when: "at 0:00 on Sunday (Europe/Berlin)",
      mode: "dry_run",
      tried: false,
      month_usd: 0,
      spent_usd: 0,
    }),
    view("01m0schedule00000flaky003", {
      request: { ...plan.request, objective: "Find a test that fails now and then, and mend its cause" },
      when: "every 6 hours, at minute 0 (Europe/Berlin)",
      cron: "0 */6 * * *",
      mode: "off",
      failures: 3,
      upcoming: [],
      spent_usd: 7.9,
    }),
  ];
  private runs: ScheduleRunView[] = [
    run("01m0schedule00000audit001", 3, {}),
    run("01m0schedule00000audit001", 27, {
      state: "skipped",
      goal: "",
      usd: 0,
      why: "there was nothing to do: check 1 (shell): it passes already",
    }),
    run("01m0schedule00000audit001", 51, { status: "failed", exit: "limit_reached", usd: 2 }),
    run("01m0schedule00000audit001", 123, { dry_run: true, usd: 0.28 }),
    run("01m0schedule00000flaky003", 6, { status: "failed", exit: "gave_up", usd: 2.4 }),
  ];
  private added = 0;

  find(id: string): ScheduleView {
    const found = this.list.find((s) => s.id === id);
    if (!found) {
      throw new CallError({
        code: "not_found",
        message: `there is no schedule "${id}"`,
        hint: "goalctl schedule list shows the schedules",
        field: "",
      });
    }
    return found;
  }

  runsOf(id: string): ScheduleRunView[] {
    return this.runs.filter((r) => r.schedule === this.find(id).id);
  }

  describe(cron: string): Timetable {
    if (cron.trim().split(/\s+/).length !== 5 && !cron.startsWith("@")) {
      throw new CallError({
        code: "invalid_argument",
        message: "a time needs five fields (minute, hour, day, month, weekday)",
        hint: "write 0 7 * * 1-5 for 7:00 from Monday to Friday",
        field: "cron",
      });
    }
    return { when: this.list.find((s) => s.cron === cron)?.when ?? `${cron} (Europe/Berlin)`, upcoming };
  }

  save(id: string, next: Plan): ScheduleView {
    const { when } = this.describe(next.cron);
    if (!id) {
      const made = view(`01m0schedule00000added00${++this.added}`, {
        ...next,
        when,
        mode: "dry_run",
        tried: false,
        spent_usd: 0,
      });
      this.list = [...this.list, made];
      return made;
    }
    const old = this.find(id);
    const isSame = JSON.stringify(old.request) === JSON.stringify(next.request);
    const mode = isSame || old.mode === "off" ? old.mode : "dry_run";
    return this.replace({ ...old, ...next, when, mode, tried: old.tried && isSame });
  }

  setMode(id: string, mode: Mode): ScheduleView {
    const old = this.find(id);
    if (mode === "active" && !old.tried) {
      throw new CallError({
        code: "conflict",
        message: "no dry run of this schedule was done yet",
        hint: "run it once, look at what it changed in the copy, then promote it",
        field: "",
      });
    }
    return this.replace({
      ...old,
      mode,
      failures: mode === "off" ? old.failures : 0,
      upcoming: mode === "off" ? [] : upcoming,
    });
  }

  start(id: string): string {
    const found = this.find(id);
    this.runs = [run(id, 0, { dry_run: found.mode !== "active", status: "running", exit: "", usd: 0 }), ...this.runs];
    this.replace({ ...found, running: true });
    return "01m0verified0000000000000";
  }

  delete(id: string): ScheduleView {
    const old = this.find(id);
    this.list = this.list.filter((s) => s.id !== id);
    return old;
  }

  private replace(changed: ScheduleView): ScheduleView {
    this.list = this.list.map((s) => (s.id === changed.id ? changed : s));
    return changed;
  }
}
