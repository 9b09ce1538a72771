package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/fault"
)

// raceCommand gives one goal to several engines or models, and takes the changes of one.
type raceCommand struct{ program Program }

// raceFlags holds the flags of race as the user wrote them.
type raceFlags struct {
	runFlags

	engines []string
	models  []string
	times   int
	json    bool
}

func (rc raceCommand) race() *cobra.Command {
	var f raceFlags
	c := &cobra.Command{
		Use: "race [flags] OBJECTIVE", Short: "Give one goal to several engines or models, and take one result",
		Long: "Give one goal to two to four engines or models. Each works in a git worktree of its own at the same " +
			"commit, or in a copy of a folder that is in no repository, with the same checks and limits. They run in " +
			"parallel as far as the settings allow. The checks decide; race show compares those that passed, and race " +
			"take puts the changes of one into the folder.",
		Example: "  " + rc.program.Name + " race --engine goalpost,claude --check 'npm test' 'Fix the cart'\n  " +
			rc.program.Name + " race --model fast --model openai/gpt-5 --check 'npm test' 'Fix the cart'\n  " +
			rc.program.Name + " race take 01k3abcd 2",
	}
	fl := c.Flags()
	fl.StringSliceVar(&f.engines, "engine", nil,
		"what drives the runners, separated by commas: goalpost for models, or external agents that engines lists")
	fl.StringArrayVar(&f.models, "model", nil,
		"a runner's PROVIDER/MODEL, PROVIDER, or a model of the active provider; repeatable")
	fl.IntVar(&f.times, "times", 1, "how many runners each of them gets")
	setGroup(fl, goal.UsualFlags, "engine", "model", "times")
	bindFlags(fl, f.in.Flags(), "check", "dir", "risk", "allow-host", "wall-clock", "max-usd", "with", "any", "allow",
		"protect", "max-iterations")
	fl.StringVar(&f.criterion, "criterion", "", "read the checks from this YAML file, which is shown before the start")
	setGroup(fl, goal.CheckFlags, "criterion")
	fl.BoolVar(&f.yes, "yes", false, "skip the confirmation of --criterion")
	fl.BoolVar(&f.detach, "detach", false, "start the race, print its id and exit; it keeps running in the host process")
	fl.BoolVar(&f.json, "json", false, "the comparison as JSON, when all runners have stopped")
	setGroup(fl, goal.ProcessFlags, "yes", "detach", "json")
	groupFlagsInHelp(c)
	c.RunE = func(c *cobra.Command, args []string) error { return rc.start(c.Context(), f, args) }
	c.AddCommand(rc.show(), inHost(rc.take(), useHost), inHost(rc.undo(), useHost))
	return c
}

// runners combines the flags: each external agent is a runner, and Goalpost's own loop is one for each model.
func (rf raceFlags) runners() (list []api.RunnerChoice) {
	engines := rf.engines
	if len(engines) == 0 {
		engines = []string{lifecycle.OwnLoop}
	}
	for range rf.times {
		for _, engine := range engines {
			if engine = strings.TrimSpace(engine); engine != "goalpost" && engine != lifecycle.OwnLoop {
				list = append(list, api.RunnerChoice{Engine: engine})
				continue
			}
			models := rf.models
			if len(models) == 0 {
				models = []string{""}
			}
			for _, model := range models {
				list = append(list, api.RunnerChoice{Engine: lifecycle.OwnLoop, Model: model})
			}
		}
	}
	return list
}

func (rc raceCommand) start(ctx context.Context, f raceFlags, args []string) error {
	if f.in.Dir == "" {
		f.in.Dir = "."
	}
	in, err := f.request(rc.program, args)
	if err == nil {
		err = runCommand(rc).loadCriterion(f.runFlags, &in)
	}
	if err != nil {
		return err
	}
	preflight := preflightPrinter{program: rc.program}
	return rc.program.withApp(ctx, app.Options{Attended: rc.program.isTerminal(0)}, func(a *app.App) error {
		if err := rc.program.recover(ctx, a); err != nil {
			return err
		}
		rc.program.confirmRunOutside(&in)
		signals, stop := rc.program.signals()
		defer stop()
		const buffer = 4096
		sub := a.Events(buffer) // before the goals start
		defer sub.Close()
		var out api.RaceOutput
		_, err := liveView(rc).startGoal(ctx, signals, func(ctx context.Context) (runningGoal, error) {
			defer preflight.announceSlow()()
			var err error
			out, err = a.Goals.Races.Start(api.WithPreflighted(ctx, preflight.print),
				api.RaceInput{Request: in, Runners: f.runners()})
			preflight.stop()
			return runningGoal{id: goal.ID(out.RaceID)}, err
		})
		if err != nil {
			return err
		}
		id := goal.ID(out.RaceID).Short()
		rc.program.errorf("race %s: %s; %s race show %s compares them\n", id,
			goal.FormatCount(len(out.Goals), "runner"), rc.program.Name, id)
		if f.detach {
			return rc.program.printf("%s\n", out.RaceID)
		}
		if err := rc.follow(ctx, a, sub, out); err != nil {
			return err
		}
		return rc.printEnd(a.RaceAPI(ctx), out.RaceID, f.json)
	})
}

// follow shows what the runners need and how they stop, until all have stopped. A signal pauses them.
func (rc raceCommand) follow(ctx context.Context, a *app.App, sub *event.Subscription, out api.RaceOutput) error {
	signals, stop := rc.program.signals()
	defer stop()
	numbers := map[goal.ID]int{}
	stopped := make(chan struct{}, len(out.Goals))
	for i, id := range out.Goals {
		numbers[goal.ID(id)] = i + 1
		go func() {
			<-a.Done(goal.ID(id))
			stopped <- struct{}{}
		}()
	}
	events := sub.C
	for running := len(out.Goals); running > 0; {
		select {
		case <-stopped:
			running--
		case e, ok := <-events:
			if !ok { // too many events at once: the comparison at the end has what counts
				events = nil
			} else if n := numbers[e.GoalID]; n > 0 {
				rc.printProgress(n, e)
			}
		case <-rc.program.gone(): // the runners keep running
			return exitCode(exitInterrupted)
		case <-ctx.Done(): // the host process ends, and pauses the runners
			return exitCode(exitInterrupted)
		case sig := <-signals:
			at := time.Now()
			liveView(rc).announceSignal(sig, signals, "pausing the runners")
			return rc.interrupt(ctx, a, at, out)
		}
	}
	return nil
}

// interrupt pauses all runners after a signal that came at a time.
func (rc raceCommand) interrupt(ctx context.Context, a *app.App, at time.Time, out api.RaceOutput) error {
	exit := rc.program.exitAfterSignal(exitInterrupted, at)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), exit.by.Add(-finalWait))
	defer cancel()
	var errs []error
	for _, id := range out.Goals {
		errs = append(errs, a.Interrupt(ctx, goal.ID(id)))
	}
	if err := errors.Join(errs...); err != nil {
		rc.program.errorf("%s: a runner could not be paused in time; its programs were ended: %v\n", rc.program.Name, err)
	}
	for _, id := range out.Goals {
		rc.program.errorf("  %s resume %s continues it\n", rc.program.Name, goal.ID(id).Short())
	}
	return exit
}

// printProgress shows one event of a runner, if it is about more than a step.
func (rc raceCommand) printProgress(n int, e event.Event) {
	say := func(text string) { rc.program.errorf("runner %d (%s): %s\n", n, e.GoalID.Short(), oneLine(text)) }
	switch b := e.Body.(type) {
	case *event.Started:
		say("started")
	case *event.Queued:
		say("waiting: " + b.Reason)
	case *event.Claim:
		say(fmt.Sprintf("claim %d", b.N))
	case *event.Ended:
		say(string(b.Status) + "/" + string(b.Exit))
	case *event.Paused:
		say("paused: " + b.Reason)
	case *event.ApprovalRequested:
		rc.program.errorf("%s",
			approvalCommands(rc).formatApprovals([]calls.ApprovalView{calls.NewApprovalView(e.GoalID, b.Approval)}))
	}
}

// printEnd prints the comparison. Without a runner that passed, the exit code is that of the first one.
func (rc raceCommand) printEnd(races *calls.RaceAPI, id string, asJSON bool) error {
	v, err := races.Rank(id)
	if err != nil {
		return err
	}
	if asJSON {
		err = rc.program.json(v)
	} else {
		err = rc.print(v)
	}
	if err != nil {
		return err
	}
	for _, one := range v.Runners {
		if one.Rank > 0 {
			return nil
		}
	}
	return exitCodeError(v.Runners[0].Goal.Exit)
}

func (rc raceCommand) show() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "show [RACE]", Short: "Compare the runners of a race, by default of the newest one",
		Example: "  " + rc.program.Name + " race show 01k3abcd",
		RunE: rc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			v, err := a.RaceAPI(c.Context()).Get(strings.Join(args, ""))
			return rc.program.printResult(c, v, err, func() error { return rc.print(v) })
		}),
	})
}

// print compares the runners in a table, and says what to do next.
func (rc raceCommand) print(v calls.RaceView) error {
	lines := []string{"RUNNER\tGOAL\tRANK\tSTATE\tCHECKS\tFILES\tTIME\tTOKENS\tMONEY"}
	var next []string
	id := goal.ID(v.ID).Short()
	for _, one := range v.Runners {
		g := one.Goal
		rank, state := "–", string(g.Status)+"/"+string(g.Exit)
		if one.Rank > 0 {
			rank, state = strconv.Itoa(one.Rank), g.AssuranceWords
		}
		files := fmt.Sprintf("%d, +%d −%d", len(one.Files), one.Added, one.Removed)
		if one.Unavailable != "" {
			files = "–"
		}
		lines = append(lines, fmt.Sprintf("%d %s %s\t%s\t%s\t%s\t%d/%d\t%s\t%s\t%d\t%s", one.Runner, oneLine(one.EngineName),
			oneLine(one.Model), goal.ID(g.ID).Short(), rank, oneLine(strings.TrimSuffix(state, "/")), g.ChecksPassed, g.Checks,
			files, goal.FormatDuration(time.Duration(g.SpentMS)*time.Millisecond), g.TokensIn+g.TokensOut, money(g.USD)))
		switch {
		case v.Taken != nil:
		case one.Rank > 0:
			next = append(next, fmt.Sprintf("race take %s %d   puts its changes into %s", id, one.Runner, singleLine(v.Folder)))
		case g.EndedAt == "" && g.Status == goal.Paused:
			next = append(next, fmt.Sprintf("resume %s   continues runner %d: %s", goal.ID(g.ID).Short(), one.Runner,
				oneLine(g.Reason)))
		}
	}
	if t := v.Taken; t != nil {
		next = append(next, fmt.Sprintf("race undo %s   restores the folder to what it was before runner %d was taken", id,
			t.Runner))
	}
	start := "a copy of " + singleLine(v.Folder)
	if v.Base != "" {
		start = fmt.Sprintf("%s at %.12s", singleLine(v.Folder), v.Base)
	}
	err := rc.program.printf("%s\n  each began with %s\n  done when %s\n", singleLine(v.Objective), start,
		singleLine(strings.Join(v.Checks, "; ")))
	if err = errors.Join(err, rc.program.printTable(lines)); err != nil {
		return err
	}
	if err := rc.printRanking(v); err != nil {
		return err
	}
	for _, words := range next {
		rc.program.errorf("  %s %s\n", rc.program.Name, words)
	}
	return nil
}

// printRanking says who ranked those that passed, and why.
func (rc raceCommand) printRanking(v calls.RaceView) error {
	if v.RankedBy == "" {
		if v.RankNote == "" {
			return nil
		}
		return rc.program.printf("  %s\n", singleLine(v.RankNote))
	}
	lines := []string{"  ranked by " + oneLine(v.RankedBy) + ", which saw the changes without names:"}
	for rank := 1; rank <= len(v.Runners); rank++ {
		for _, one := range v.Runners {
			if one.Rank == rank {
				lines = append(lines, fmt.Sprintf("  %d. runner %d: %s", rank, one.Runner, singleLine(one.Why)))
			}
		}
	}
	return rc.program.printf("%s\n", strings.Join(lines, "\n"))
}

// money formats what is known of a price.
func money(usd float64) string {
	if usd == 0 {
		return "–"
	}
	return fmt.Sprintf("$%.2f", usd)
}

func (rc raceCommand) take() *cobra.Command {
	var in api.TakeInput
	c := &cobra.Command{
		Use: "take RACE N", Short: "Put the changes of a runner into the folder of its race",
		Long: "Put what a runner changed into the folder of its race, without ignored files. If a file is different there " +
			"from what the race began with, nothing is taken until --force or --keep names it; at a terminal you are asked. " +
			"race undo restores the folder. The folders of all runners are removed a week later.",
		Example: "  " + rc.program.Name + " race take 01k3abcd 2 --commit",
		RunE: rc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			runner, err := strconv.Atoi(args[1])
			if err != nil {
				return fault.Invalid("runner", fmt.Sprintf("%q is not the number of a runner", args[1]),
					"race show "+args[0]+" lists them")
			}
			races := a.RaceAPI(c.Context())
			out, err := races.Take(args[0], runner, in)
			if err == nil && rc.decide(&in, out) {
				out, err = races.Take(args[0], runner, in)
			}
			if err == nil && len(out.Conflicts) > 0 && !in.DryRun && !isJSON(c) {
				err = describeConflicts(out)
			}
			return rc.program.printResult(c, out, err, func() error { return rc.printTaken(args[0], in, out) })
		}),
	}
	fl := c.Flags()
	fl.BoolVar(&in.Commit, "commit", false, "also commit them, to the branch that is checked out in the folder")
	fl.StringVarP(&in.Message, "message", "m", "", "the message of the commit (default: the objective)")
	fl.StringArrayVar(&in.Force, "force", nil, "overwrite this file although it is different in the folder; repeatable")
	fl.StringArrayVar(&in.Keep, "keep", nil, "leave this file as it is in the folder; repeatable")
	fl.BoolVar(&in.DryRun, "dry-run", false, "change nothing, list what would be done")
	return addJSON(c)
}

// decide asks the user at the terminal about each conflict. It reports whether all are decided.
func (rc raceCommand) decide(in *api.TakeInput, out api.TakeOutput) bool {
	if len(out.Conflicts) == 0 || in.DryRun || !rc.program.isTerminal(0) {
		return false
	}
	for _, one := range out.Conflicts {
		question := fmt.Sprintf("%s: %s. Overwrite it? [y/N] ", singleLine(one.Path), singleLine(one.Why))
		if rc.program.confirmAtTerminal(question) {
			in.Force = append(in.Force, one.Path)
		} else {
			in.Keep = append(in.Keep, one.Path)
		}
	}
	return true
}

func describeConflicts(out api.TakeOutput) error {
	var names []string
	for _, one := range out.Conflicts {
		names = append(names, one.Path+" ("+one.Why+")")
	}
	return fault.New(fault.Conflict, "nothing was taken: "+singleLine(strings.Join(names, ", ")),
		"--force FILE overwrites one, --keep FILE leaves it as it is")
}

func (rc raceCommand) printTaken(id string, in api.TakeInput, out api.TakeOutput) error {
	var b strings.Builder
	for _, one := range out.Done {
		fmt.Fprintf(&b, "%-8s %s\n", one.Change, singleLine(one.Path))
	}
	for _, one := range append(out.Conflicts, out.Skipped...) {
		fmt.Fprintf(&b, "%-8s %s: %s\n", "left", singleLine(one.Path), singleLine(one.Why))
	}
	for _, one := range out.LeftOut {
		rc.program.errorf("%s: not committed: %s: %s\n", rc.program.Name, singleLine(one.Path), singleLine(one.Why))
	}
	count := goal.FormatCount(len(out.Done), "file")
	if in.DryRun {
		return rc.program.printf("%sNothing was changed. Without --dry-run, %s would be put into %s.\n", b.String(), count,
			singleLine(out.Folder))
	}
	committed := ""
	if out.Commit != "" {
		committed = fmt.Sprintf(", and committed to %s (%.12s)", singleLine(out.Branch), out.Commit)
	}
	return rc.program.printf("%s%s put into %s%s. %s race undo %s undoes that.\n", b.String(), count,
		singleLine(out.Folder), committed, rc.program.Name, id)
}

func (rc raceCommand) undo() *cobra.Command {
	var in api.UndoInput
	c := &cobra.Command{
		Use: "undo RACE", Short: "Restore the folder of a race to what it was before a result was taken",
		Long: "Restore the folder of a race to what it was before a result was taken. Files that were edited since are " +
			"listed and left alone, unless --force names them. A commit stays; git revert undoes it.",
		Example: "  " + rc.program.Name + " race undo 01k3abcd",
		RunE: rc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			out, err := a.RaceAPI(c.Context()).Undo(args[0], in)
			return rc.program.printResult(c, out, err, func() error { return rc.program.printf("%s", formatUndo(out, in)) })
		}),
	}
	fl := c.Flags()
	fl.StringArrayVar(&in.Force, "force", nil, "restore this file although it was edited since; repeatable")
	fl.BoolVar(&in.DryRun, "dry-run", false, "change nothing, list what would be done")
	return addJSON(c)
}
