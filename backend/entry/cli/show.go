package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

func (r readCommands) show() *cobra.Command {
	var asJSON, transcript, onlyWhy bool
	var search string
	c := &cobra.Command{
		Use: "show ID", Short: "Show a goal with its steps, or everything that was said and done",
		RunE: r.program.runWithStore(func(c *cobra.Command, g *calls.GoalAPI, s *store.Store, args []string) error {
			if transcript || search != "" {
				return transcriptWriter{r.program, asJSON}.write(g, args[0], search)
			}
			v, err := g.Get(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return r.program.json(v)
			}
			if onlyWhy {
				return r.program.printf("%s", formatWhy(v))
			}
			return errors.Join(r.showGoal(g, v), r.noteDamaged(c.Context(), s, goal.ID(v.ID)),
				approvalCommands(r).printPending(c.Context(), s, v.ID))
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON; with --transcript one entry per line")
	c.Flags().BoolVar(&transcript, "transcript", false,
		"the whole transcript: the agent's words, its calls with their results, checks, critic, approvals and notes")
	c.Flags().BoolVar(&onlyWhy, "why", false, whyFlag)
	c.Flags().StringVar(&search, "search", "", "the entries of the transcript that contain this text")
	return c
}

// stateWords says in words what a goal is, and what its pass proves: "completed done, Verified by tests".
func stateWords(c calls.GoalCard) string {
	state := strings.TrimSpace(string(c.Status) + " " + string(c.Exit))
	switch {
	case c.AssuranceWords != "" && c.Aftermath != "":
		state = c.AssuranceWords
	case c.AssuranceWords != "":
		state += ", " + c.AssuranceWords
	case c.Aftermath != "":
		state += ", " + c.Aftermath
	}
	return oneLine(state)
}

// noteDamaged names the events of a goal that are not what was written, on standard error.
func (r readCommands) noteDamaged(ctx context.Context, s *store.Store, id goal.ID) error {
	damaged, err := s.History.Damaged(ctx, id)
	if err == nil && len(damaged) > 0 {
		r.program.errorf("%s: %s of this goal cannot be shown: bits changed on the disk\n  goalctl doctor says what can be "+
			"restored\n", r.program.Name, store.FormatEvents(damaged))
	}
	return err
}

// describeModelWait says since when a goal waits for its model, when it asks again, and how it asks now.
func (r readCommands) describeModelWait(c calls.GoalCard) string {
	next := "when a process runs it"
	if until, err := time.Parse(event.TimeLayout, c.ParkedUntil); err == nil && c.PID != 0 {
		next = "in " + goal.FormatDuration(max(0, time.Until(until)).Round(time.Second))
	}
	words := "waiting for the model"
	if since, err := time.Parse(event.TimeLayout, c.ParkedSince); err == nil {
		words += " since " + since.Local().Format("Mon 15:04")
	}
	id := goal.ID(c.ID).Short()
	return fmt.Sprintf("%s · next try %s\n  %s resume %s   tries now\n  %s resume %s --model NAME   with another model\n",
		words, next, r.program.Name, id, r.program.Name, id)
}

func (r readCommands) showGoal(g *calls.GoalAPI, v calls.GoalView) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s · %s · %s · %s\nfolder %s · %s\n", oneLine(v.Objective), stateWords(v.GoalCard),
		goal.FormatCount(v.Steps, "step"), goal.FormatCount(v.Iterations, "turn"),
		goal.FormatDuration(time.Duration(v.SpentMS)*time.Millisecond), v.Policy.Dir, v.Policy.Risk)
	switch {
	case v.Basis == goal.BasisChanged:
		fmt.Fprintf(&b, "%s: %s\n", v.AssuranceWords, oneLine(v.AssuranceReason))
	case v.AssuranceReason != "":
		fmt.Fprintf(&b, "%s\n", oneLine(v.AssuranceReason))
	}
	b.WriteString(describeScope(v.Policy.DescribeWork(), v.Policy.CheckDir))
	b.WriteString(resultText(v.Result))
	switch {
	case v.Queued != "":
		fmt.Fprintf(&b, "waits in the queue of pid %d: %s\n", v.PID, oneLine(v.Queued))
	case v.Exit == goal.WaitingForProvider:
		b.WriteString(r.describeModelWait(v.GoalCard))
	case v.PID != 0:
		fmt.Fprintf(&b, "runs in pid %d\n", v.PID)
	case v.Status == goal.Running:
		b.WriteString("the process that ran it has ended; use resume to continue\n")
	case v.Status == goal.Pending:
		b.WriteString("the process that queued it has ended; use resume to continue\n")
	}
	for _, c := range v.CheckStates {
		fmt.Fprintf(&b, "  check: %s: %s %s\n", oneLine(c.Words), c.Outcome, oneLine(c.Detail))
		if line := lastLine(c.Tail); line != "" {
			fmt.Fprintf(&b, "         | %s\n", line)
		}
	}
	for i, t := range v.Todos {
		fmt.Fprintf(&b, "  todo %d: %s %s\n", i+1, map[bool]string{true: "[x]", false: "[ ]"}[t.Done], oneLine(t.Text))
	}
	for _, n := range v.Notes {
		fmt.Fprintf(&b, "  note %d: %s\n", n.N, oneLine(n.Text))
	}
	for _, m := range v.Marks {
		if who, verb, _ := strings.Cut(m.What, ":"); who != "verify" {
			fmt.Fprintf(&b, "  %s: %s  %s\n", who, verb, oneLine(m.Detail))
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
			return r.program.printf("%s", b.String())
		}
	}
}
