package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// scheduleCommands manage the schedules, which start goals again and again.
type scheduleCommands struct{ program Program }

func (p Program) schedule() *cobra.Command {
	sc := scheduleCommands{p}
	return newCommandGroup("schedule", "Start goals again and again, at set times",
		inHost(sc.list(), useHost), inHost(sc.show(), useHost), inHost(sc.add(), startHost), inHost(sc.edit(), startHost),
		inHost(sc.run(), startHost),
		inHost(sc.promote(), startHost), inHost(sc.dryRun(), startHost), inHost(sc.off(), useHost),
		inHost(sc.remove(), useHost))
}

// scheduleFlags holds what add and edit know about a schedule beside its goal.
type scheduleFlags struct {
	runFlags

	plan schedule.Plan
}

// add adds the flags about the times.
func (sf *scheduleFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&sf.plan.Cron, "cron", "",
		"when: minute, hour, day of the month, month and weekday, such as '0 7 * * 1-5', or @daily")
	fl.StringVar(&sf.plan.Zone, "zone", "", "time zone, such as Europe/Berlin (default: that of this computer)")
	fl.StringVar((*string)(&sf.plan.Missed), "missed", string(schedule.RunOnce),
		"times at which Goalpost was not running: once (one run makes up for them) or skip")
	fl.StringVar((*string)(&sf.plan.Overlap), "overlap", string(schedule.SkipOverlap),
		"a time at which the run before has not ended: skip, or queue (start when it has ended)")
	fl.Float64Var(&sf.plan.MonthUSD, "month-usd", 0,
		"what all runs of a month may cost, in US dollars (default: no limit)")
	setGroup(fl, goal.UsualFlags, "cron", "zone", "missed", "overlap", "month-usd")
}

func (sc scheduleCommands) add() *cobra.Command {
	var f scheduleFlags
	c := &cobra.Command{
		Use: "add [flags] OBJECTIVE", Short: "Add a schedule, which begins with dry runs",
		Long: "Add a schedule. It begins with dry runs: each works in a copy of the folder, and its network only reads. " +
			"When one is done, look at what it changed (diff), and promote the schedule: from then on its runs work in the " +
			"folder. The host process starts the runs; host install starts it with your session.",
		Example: "  " + sc.program.Name +
			" schedule add --cron '0 7 * * 1-5' --dir ~/shop --check 'npm run audit' 'Update what has known faults'",
	}
	f.add(c)
	fl := c.Flags()
	bindFlags(fl, f.in.Flags(), "check", "dir", "risk", "allow-host", "wall-clock", "max-usd", "with", "any", "allow",
		"protect", "max-iterations", "model", "engine")
	fl.StringVar(&f.criterion, "criterion", "", "read the checks from this YAML file, which is shown before the start")
	setGroup(fl, goal.CheckFlags, "criterion")
	fl.BoolVar(&f.yes, "yes", false, "skip the confirmation of --criterion")
	addJSON(c)
	setGroup(fl, goal.ProcessFlags, "yes", "json")
	groupFlagsInHelp(c)
	c.RunE = sc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
		if f.plan.Cron == "" {
			return fault.Invalid("cron", "a schedule needs a time", "give it with --cron, such as --cron '0 7 * * 1-5'")
		}
		if f.in.Dir == "" {
			f.in.Dir = "."
		}
		in, err := f.request(sc.program, args)
		if err == nil {
			err = runCommand(sc).loadCriterion(f.runFlags, &in)
		}
		if err != nil {
			return err
		}
		f.plan.Request = in
		v, err := a.ScheduleAPI(c.Context()).Save("", f.plan)
		return sc.program.printResult(c, v, err, func() error {
			return sc.program.printf("%s%s schedule run %s tries it now.\n", sc.format(v), sc.program.Name, shortID(v.ID))
		})
	})
	return c
}

func (sc scheduleCommands) edit() *cobra.Command {
	var f scheduleFlags
	c := &cobra.Command{
		Use: "edit [flags] ID", Short: "Change when a schedule starts its goal",
		Example: "  " + sc.program.Name + " schedule edit --cron '0 9 * * 1' 01k3abcd",
	}
	f.add(c)
	addJSON(c)
	c.RunE = sc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
		schedules := a.ScheduleAPI(c.Context())
		before, err := schedules.Get(args[0])
		if err != nil {
			return err
		}
		plan := before.Plan
		for name, change := range map[string]func(){
			"cron":      func() { plan.Cron = f.plan.Cron },
			"zone":      func() { plan.Zone = f.plan.Zone },
			"missed":    func() { plan.Missed = f.plan.Missed },
			"overlap":   func() { plan.Overlap = f.plan.Overlap },
			"month-usd": func() { plan.MonthUSD = f.plan.MonthUSD },
		} {
			if c.Flags().Changed(name) {
				change()
			}
		}
		v, err := schedules.Save(string(before.ID), plan)
		return sc.program.printResult(c, v, err, func() error { return sc.program.printf("%s", sc.format(v)) })
	})
	return c
}

func (sc scheduleCommands) list() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the schedules",
		RunE: sc.program.runWithApp(func(c *cobra.Command, a *app.App, _ []string) error {
			list, err := a.ScheduleAPI(c.Context()).List()
			return sc.program.printResult(c, list, err, func() error { return sc.print(list) })
		}),
	})
}

func (sc scheduleCommands) print(list []api.ScheduleView) error {
	if len(list) == 0 {
		return sc.program.printf("No schedules. %s schedule add starts a goal again and again.\n", sc.program.Name)
	}
	lines := []string{"ID\tMODE\tNEXT\tWHEN\tOBJECTIVE"}
	for _, v := range list {
		next := "-"
		if len(v.Upcoming) > 0 {
			next = formatDue(v.Upcoming[0])
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", shortID(v.ID), modeWord(v.Mode), next, v.When,
			oneLine(text.Truncate(v.Request.Objective, 60))))
	}
	return sc.program.printTable(lines)
}

func (sc scheduleCommands) show() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "show ID", Short: "Show a schedule with its last runs",
		RunE: sc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			schedules := a.ScheduleAPI(c.Context())
			v, err := schedules.Get(args[0])
			if err != nil {
				return err
			}
			runs, err := schedules.Runs(string(v.ID))
			shown := struct {
				api.ScheduleView

				Runs []api.ScheduleRunView `json:"runs"`
			}{v, runs}
			return sc.program.printResult(c, shown, err, func() error {
				if err := sc.program.printf("%s", sc.format(v)); err != nil || len(runs) == 0 {
					return err
				}
				return sc.program.printTable(formatRuns(runs))
			})
		}),
	})
}

// format describes a schedule on a few lines.
func (sc scheduleCommands) format(v api.ScheduleView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", shortID(v.ID), oneLine(v.Request.Objective))
	fmt.Fprintf(&b, "  %s, %s in %s\n", modeWord(v.Mode), v.When, oneLine(v.Request.Dir))
	for _, at := range v.Upcoming {
		fmt.Fprintf(&b, "  next %s\n", formatDue(at))
	}
	if v.MonthUSD > 0 {
		fmt.Fprintf(&b, "  this month $%.2f of $%.2f\n", v.SpentUSD, v.MonthUSD)
	}
	if v.Failures > 0 {
		fmt.Fprintf(&b, "  %s in a row failed\n", goal.FormatCount(v.Failures, "run"))
	}
	return b.String()
}

func formatRuns(runs []api.ScheduleRunView) []string {
	lines := []string{"DUE\tMODE\tSTATE\tGOAL\tCOST\tWHY"}
	for _, r := range runs {
		id, mode := "-", "run"
		if r.Goal != "" {
			id = r.Goal.Short()
		}
		if r.DryRun {
			mode = "dry run"
		}
		state := string(r.State)
		if r.Status != "" {
			state = string(r.Status)
		}
		why := cmp.Or(r.Why, strings.ReplaceAll(string(r.Exit), "_", " "))
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t$%.2f\t%s", r.Due.Local().Format("2006-01-02 15:04"), mode, state,
			id, r.USD, oneLine(text.Truncate(why, 100))))
	}
	return lines
}

// changing is a command that changes one schedule and shows it.
func (sc scheduleCommands) changing(
	use, short string, change func(*calls.ScheduleAPI, string) (api.ScheduleView, error),
) *cobra.Command {
	return addJSON(&cobra.Command{
		Use: use + " ID", Short: short,
		RunE: sc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			v, err := change(a.ScheduleAPI(c.Context()), args[0])
			return sc.program.printResult(c, v, err, func() error { return sc.program.printf("%s", sc.format(v)) })
		}),
	})
}

func (sc scheduleCommands) promote() *cobra.Command {
	return sc.changing("promote", "Let the runs of a schedule work in its folder, after a dry run was done",
		func(s *calls.ScheduleAPI, id string) (api.ScheduleView, error) { return s.SetMode(id, schedule.Active) })
}

func (sc scheduleCommands) dryRun() *cobra.Command {
	return sc.changing("dry-run", "Let the runs of a schedule work in copies of its folder",
		func(s *calls.ScheduleAPI, id string) (api.ScheduleView, error) { return s.SetMode(id, schedule.DryRun) })
}

func (sc scheduleCommands) off() *cobra.Command {
	return sc.changing("off", "Turn a schedule off; promote and dry-run turn it on",
		func(s *calls.ScheduleAPI, id string) (api.ScheduleView, error) { return s.SetMode(id, schedule.Off) })
}

func (sc scheduleCommands) remove() *cobra.Command {
	return sc.changing("delete", "Delete a schedule, and print it; its goals stay", (*calls.ScheduleAPI).Delete)
}

func (sc scheduleCommands) run() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "run ID", Short: "Start a run now, and print the id of its goal",
		RunE: sc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			return sc.start(c.Context(), c, a, args[0])
		}),
	})
}

func (sc scheduleCommands) start(ctx context.Context, c *cobra.Command, a *app.App, part string) error {
	if sc.program.caller == nil {
		return fault.Invalid("", "a run needs the host process, in which its goal works", "leave out --no-host")
	}
	id, err := a.ScheduleAPI(ctx).Run(part)
	return sc.program.printResult(c, map[string]string{"goal": id}, err, func() error {
		return sc.program.printf("%s\n", id)
	})
}

func modeWord(m schedule.Mode) string { return strings.ReplaceAll(string(m), "_", " ") }

// shortID is enough of an id to find the schedule.
func shortID(id schedule.ID) string { return goal.ID(id).Short() }

// formatDue shows a time in the time zone of the schedule.
func formatDue(stamp string) string {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return at.Format("Mon 2006-01-02 15:04 -07:00")
}
