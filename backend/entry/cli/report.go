package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

func (r readCommands) report() *cobra.Command {
	return &cobra.Command{
		Use: "report ID", Short: "Print why a goal stopped",
		RunE: r.program.runWithStore(func(c *cobra.Command, g *calls.GoalAPI, s *store.Store, args []string) error {
			row, err := s.Goals.Find(c.Context(), args[0])
			if err != nil {
				return fmt.Errorf("report: %w", err)
			}
			v, err := g.Get(string(row.ID))
			if err != nil {
				return err
			}
			if len(row.Report) == 0 {
				return r.program.printf("goal %s is %s and has no report yet\n", row.ID.Short(), row.Status)
			}
			err = r.program.printf("%s", resultText(v.Result)+reportText(row.ID, row.Exit, v.Report, row.Account))
			if err != nil {
				return err
			}
			return errors.Join(receiptCommand(r).printVerdicts(c.Context(), s, row.ID), r.noteDamaged(c.Context(), s, row.ID))
		}),
	}
}
