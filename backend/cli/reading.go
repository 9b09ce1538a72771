package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// readCommands show goals from the journal, without starting anything.
type readCommands struct{ Program }

func (p readCommands) list() *cobra.Command {
	var in api.ListInput
	c := &cobra.Command{
		Use: "list", Short: "List goals, newest first",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := validateFilter(in); err != nil {
				return err
			}
			return p.withReadOnlyStore(c.Context(), func(g *api.GoalAPI, s *store.Store) error {
				list, err := g.List(in)
				switch {
				case err != nil:
					return err
				case isJSON(c):
					return p.json(list)
				case len(list.Goals) == 0:
					return p.printf("No goals. Start one: %s run --demo\n", p.Name)
				}
				if n := len(list.Goals); list.Total > n {
					defer p.errorf("%d of %d goals; --limit %d shows all\n", n, list.Total, list.Total)
				}
				return errors.Join(p.table(list.Goals), approvalCommands(p).printPending(c.Context(), s, ""))
			})
		},
	}
	addJSON(c)
	c.Flags().StringVar(&in.Status, "status", "",
		"only goals with this status: pending, running, paused, completed, failed, aborted")
	c.Flags().BoolVar(&in.Resumable, "resumable", false, "only resumable goals")
	c.Flags().StringVar(&in.Search, "search", "", "only goals whose objective contains this text")
	c.Flags().IntVar(&in.Limit, "limit", 50, "how many")
	return c
}

// validateFilter refuses filters that match no goal.
func validateFilter(in api.ListInput) error {
	known := []goal.Status{"", goal.Pending, goal.Running, goal.Paused, goal.Completed, goal.Failed, goal.Aborted}
	switch {
	case !slices.Contains(known, goal.Status(in.Status)):
		return fault.Invalid("status", fmt.Sprintf("unknown status %q", in.Status),
			"use pending, running, paused, completed, failed or aborted")
	case in.Limit < 1:
		return fault.Invalid("limit", fmt.Sprintf("the limit %d is too small", in.Limit), "give 1 or more")
	}
	return nil
}

func (p readCommands) table(goals []api.GoalCard) error {
	lines := []string{"ID\tSTATE\tSTEPS\tCHECKS\tOBJECTIVE"}
	for _, g := range goals {
		state := string(g.Status)
		if g.Exit != "" {
			state += "/" + string(g.Exit)
		}
		switch {
		case g.Queued != "":
			state += fmt.Sprintf(", waits in pid %d: %s", g.PID, oneLine(g.Queued))
		case g.PID != 0:
			state += fmt.Sprintf(" in pid %d", g.PID)
		case g.Status == goal.Running || g.Status == goal.Pending:
			state += ", its process ended"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%d/%d\t%s", goal.ID(g.ID).Short(), state, g.Steps, g.ChecksPassed,
			g.Checks, oneLine(g.Objective)))
	}
	return p.printTable(lines)
}

func (p readCommands) show() *cobra.Command {
	var asJSON, transcript bool
	var search string
	c := &cobra.Command{
		Use: "show ID", Short: "Show a goal with its steps, or everything that was said and done",
		RunE: p.runWithStore(func(c *cobra.Command, g *api.GoalAPI, s *store.Store, args []string) error {
			if transcript || search != "" {
				return transcriptWriter{p.Program, asJSON}.write(g, args[0], search)
			}
			v, err := g.Get(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return p.json(v)
			}
			return errors.Join(p.showGoal(g, v), approvalCommands(p).printPending(c.Context(), s, v.ID))
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON; with --transcript one entry per line")
	c.Flags().BoolVar(&transcript, "transcript", false,
		"the whole transcript: the agent's words, its calls with their results, checks, critic, approvals and notes")
	c.Flags().StringVar(&search, "search", "", "the entries of the transcript that contain this text")
	return c
}

func (p readCommands) showGoal(g *api.GoalAPI, v api.GoalView) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s %s · %s · %s · %s\nfolder %s · %s\n", oneLine(v.Objective), v.Status, v.Exit,
		goal.FormatCount(v.Steps, "step"), goal.FormatCount(v.Iterations, "turn"),
		goal.FormatDuration(time.Duration(v.SpentMS)*time.Millisecond), v.Policy.Dir, v.Policy.Risk)
	b.WriteString(describeScope(v.Policy.DescribeWork(), v.Policy.CheckDir))
	b.WriteString(resultText(v.Result))
	switch {
	case v.Queued != "":
		fmt.Fprintf(&b, "waits in the queue of pid %d: %s\n", v.PID, oneLine(v.Queued))
	case v.PID != 0:
		fmt.Fprintf(&b, "runs in pid %d\n", v.PID)
	case v.Status == goal.Running:
		b.WriteString("the process that ran it has ended; use resume to continue\n")
	case v.Status == goal.Pending:
		b.WriteString("the process that queued it has ended; use resume to continue\n")
	}
	for _, c := range v.CheckStates {
		fmt.Fprintf(&b, "  check: %s: %s %s\n", oneLine(c.Words), c.Outcome, oneLine(c.Detail))
	}
	for i, t := range v.Todos {
		fmt.Fprintf(&b, "  todo %d: %s %s\n", i+1, map[bool]string{true: "[x]", false: "[ ]"}[t.Done], oneLine(t.Text))
	}
	for _, m := range v.Marks {
		if who, said, _ := strings.Cut(m.What, ":"); who != "verify" {
			fmt.Fprintf(&b, "  %s: %s  %s\n", who, said, oneLine(m.Detail))
		}
	}
	for _, line := range v.Report {
		b.WriteString(formatBullet(line))
	}
	for after := 0; ; {
		page, err := g.Steps(v.ID, after, 0)
		if err != nil {
			return err
		}
		for _, s := range page.Steps {
			fmt.Fprintf(&b, "%4d  %-20s %-8s %6d ms  %s\n", s.N, oneLine(s.Tool), s.Outcome, s.MS, oneLine(s.Preview))
			after = s.N
		}
		if after >= page.Total || len(page.Steps) == 0 {
			return p.printf("%s", b.String())
		}
	}
}

func (p readCommands) events() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "events ID", Short: "Print a goal's journal, one event per line",
		RunE: p.runWithStore(func(c *cobra.Command, _ *api.GoalAPI, s *store.Store, args []string) error {
			row, err := s.Find(c.Context(), args[0])
			if err != nil {
				return fmt.Errorf("events: %w", err)
			}
			return p.journal(c.Context(), s, row.ID, follow)
		}),
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow until the goal stops or Ctrl+C")
	return c
}

func (p readCommands) journal(ctx context.Context, s *store.Store, id goal.ID, follow bool) error {
	const page = 500
	seq, over := int64(0), false
	for {
		events, err := s.Events(ctx, id, seq, page)
		if err != nil {
			return fmt.Errorf("events: %w", err)
		}
		for _, e := range events {
			if err := p.printEvent(e); err != nil {
				return err
			}
			seq = e.Seq
			over = isStopEvent(e) || over && !isStartEvent(e)
		}
		if len(events) < page {
			break
		}
	}
	if !follow || over { // the status is not read: it may be newer than the printed events
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return p.followJournal(ctx, s, id, seq)
}

// followJournal prints a goal's events while another process writes them.
func (p readCommands) followJournal(ctx context.Context, s *store.Store, id goal.ID, seq int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	err := s.Follow(ctx, map[goal.ID]int64{id: seq}, func(goal.ID) int64 { return 0 }, func(e event.Event) {
		if e.GoalID != id || e.Seq <= seq {
			return
		}
		seq = e.Seq
		failed = errors.Join(failed, p.printEvent(e))
		if isStopEvent(e) {
			cancel()
		}
	})
	return errors.Join(err, failed)
}

// isStopEvent reports whether a goal does not continue automatically after an event.
func isStopEvent(e event.Event) bool {
	switch b := e.Body.(type) {
	case *event.Ended:
		return true
	case *event.Paused:
		return !b.Exit.IsParked()
	case *event.Queued:
		return b.Left != ""
	}
	return false
}

// isStartEvent reports whether a goal continues, or waits to continue, with an event.
func isStartEvent(e event.Event) bool {
	switch b := e.Body.(type) {
	case *event.Started, *event.Resumed, *event.Reopened:
		return true
	case *event.Queued:
		return b.Left == ""
	}
	return false
}

func (p readCommands) printEvent(e event.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return p.printf("%s\n", plainJSON(b))
}

func (p readCommands) report() *cobra.Command {
	return &cobra.Command{
		Use: "report ID", Short: "Print why a goal stopped",
		RunE: p.runWithStore(func(c *cobra.Command, g *api.GoalAPI, s *store.Store, args []string) error {
			row, err := s.Find(c.Context(), args[0])
			if err != nil {
				return fmt.Errorf("report: %w", err)
			}
			v, err := g.Get(string(row.ID))
			if err != nil {
				return err
			}
			if len(row.Report) == 0 {
				return p.printf("goal %s is %s and has no report yet\n", row.ID.Short(), row.Status)
			}
			if err := p.printf("%s", resultText(v.Result)+reportText(row.ID, row.Exit, row.Report, row.Account)); err != nil {
				return err
			}
			return receiptCommand(p).printVerdicts(c.Context(), s, row.ID)
		}),
	}
}

func (p Program) doctor() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "doctor", Short: "Check the setup of this machine",
		RunE: p.runWithApp(func(c *cobra.Command, a *app.App, _ []string) error {
			findings := a.Doctor()
			if isJSON(c) {
				return p.json(findings)
			}
			var b strings.Builder
			for _, f := range findings {
				fmt.Fprintf(&b, "%-5s %s: %s\n", f.State, f.Title, f.Detail)
				if f.Facts != "" {
					fmt.Fprintf(&b, "      %s\n", f.Facts)
				}
				if f.Hint != "" && f.State != "ok" {
					fmt.Fprintf(&b, "      %s\n", f.Hint)
				}
			}
			return p.printf("%s", b.String())
		}),
	})
}
