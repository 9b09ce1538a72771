package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// readCommands show goals from the journal, without starting anything.
type readCommands struct{ program Program }

func (r readCommands) list() *cobra.Command {
	var in calls.ListInput
	c := &cobra.Command{
		Use: "list", Short: "List goals, newest first",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := validateFilter(in); err != nil {
				return err
			}
			return r.program.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, s *store.Store) error {
				list, err := g.List(in)
				switch {
				case err != nil:
					return err
				case isJSON(c):
					return r.program.json(list)
				case len(list.Goals) == 0:
					return r.program.printf("No goals. Start one: %s run --demo\n", r.program.Name)
				}
				if n := len(list.Goals); list.Total > n {
					defer r.program.errorf("%d of %d goals; --limit %d shows all\n", n, list.Total, list.Total)
				}
				return errors.Join(r.table(list.Goals), approvalCommands(r).printPending(c.Context(), s, ""))
			})
		},
	}
	addJSON(c)
	c.Flags().StringVar(&in.Status, "status", "",
		"only goals with this status: pending, running, paused, completed, failed, aborted")
	c.Flags().BoolVar(&in.Resumable, "resumable", false, "only resumable goals")
	c.Flags().StringVar(&in.Search, "search", "", "only goals whose objective, result or folder contains this text")
	c.Flags().IntVar(&in.Limit, "limit", 50, "how many")
	return c
}

// validateFilter refuses filters that match no goal.
func validateFilter(in calls.ListInput) error {
	statuses := []goal.Status{"", goal.Pending, goal.Running, goal.Paused, goal.Completed, goal.Failed, goal.Aborted}
	switch {
	case !slices.Contains(statuses, goal.Status(in.Status)):
		return fault.Invalid("status", fmt.Sprintf("unknown status %q", in.Status),
			"use pending, running, paused, completed, failed or aborted")
	case in.Limit < 1:
		return fault.Invalid("limit", fmt.Sprintf("the limit %d is too small", in.Limit), "give 1 or more")
	}
	return nil
}

func (r readCommands) table(goals []calls.GoalCard) error {
	lines := []string{"ID\tSTATE\tSTEPS\tCHECKS\tOBJECTIVE"}
	for _, g := range goals {
		state := string(g.Status)
		if g.Exit != "" {
			state += "/" + string(g.Exit)
		}
		switch {
		case g.Basis == goal.BasisChanged:
			state += ", changed since"
		case g.Aftermath != "":
			state += ", " + oneLine(g.Aftermath)
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
	return r.program.printTable(lines)
}
