package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
)

// approvals is what waits for the person, and what the person has allowed.
func (p Program) approvals() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "approvals [ID]", Short: "List the calls that wait for you, and what a goal was allowed", Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.reading(c.Context(), func(_ *api.GoalAPI, s *store.Store) error {
				a := api.NewApprovalAPI(c.Context(), nil, s)
				id := strings.Join(args, "")
				open, err := a.List(id)
				if err != nil {
					return err
				}
				grants := []api.GrantView{}
				if id != "" {
					if grants, err = a.Grants(id); err != nil {
						return err
					}
				}
				if asJSON {
					return p.json(struct {
						Open   []api.ApprovalView `json:"open"`
						Grants []api.GrantView    `json:"grants"`
					}{open, grants})
				}
				return p.print("%s%s", p.waiting(open), allowed(grants))
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// waiting says what waits, with everything that is needed to answer.
func (p Program) waiting(open []api.ApprovalView) string {
	var b strings.Builder
	for _, a := range open {
		fmt.Fprintf(&b, "%s waits for you: %s %s\n  why: %s\n", a.Request, oneLine(a.Tool), oneLine(a.Arguments), oneLine(a.Why))
		for line := range strings.Lines(a.Show) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimRight(line, "\n"))
		}
		if a.Given != "" {
			fmt.Fprintf(&b, "  answered: %s; %s resume %s lets it go on\n", a.Given, p.Name, goal.ID(a.GoalID).Short())
			continue
		}
		for _, o := range a.Offers {
			fmt.Fprintf(&b, "  %s approve %s %s --scope %s   %s\n", p.Name, goal.ID(a.GoalID).Short(), a.Request, o.Scope, oneLine(o.Covers))
		}
		fmt.Fprintf(&b, "  %s deny %s %s --why TEXT\n", p.Name, goal.ID(a.GoalID).Short(), a.Request)
	}
	return b.String()
}

func allowed(grants []api.GrantView) string {
	var b strings.Builder
	for _, g := range grants {
		fmt.Fprintf(&b, "%s allowed: %s\n", g.Request, oneLine(g.Covers))
	}
	return b.String()
}

// open prints what of one goal waits, or of all of them, for show and list.
func (p Program) open(ctx context.Context, s *store.Store, id string) error {
	list, err := api.NewApprovalAPI(ctx, nil, s).List(id)
	if err != nil {
		return err
	}
	return p.print("%s", p.waiting(list))
}

func (p Program) approve() *cobra.Command {
	var scope string
	c := &cobra.Command{
		Use: "approve ID REQUEST", Short: "Allow a call that waits for you", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return p.answer(c, api.AnswerInput{GoalID: args[0], Request: args[1], Allow: true, Scope: policy.Scope(scope)})
		},
	}
	c.Flags().StringVar(&scope, "scope", string(policy.Once), "once, or what the request offers for the whole goal: goal, host, command, path, pane")
	return c
}

func (p Program) deny() *cobra.Command {
	var why string
	c := &cobra.Command{
		Use: "deny ID REQUEST", Short: "Refuse a call that waits for you", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return p.answer(c, api.AnswerInput{GoalID: args[0], Request: args[1], Why: why})
		},
	}
	c.Flags().StringVar(&why, "why", "", "the reason, which the agent is told")
	return c
}

// answer gives the answer, and says what lets a goal that has paused go on.
func (p Program) answer(c *cobra.Command, in api.AnswerInput) error {
	return p.started(c.Context(), app.Options{}, func(a *app.App) error {
		if _, err := a.ApprovalAPI(c.Context()).Answer([]api.AnswerInput{in}); err != nil {
			return err
		}
		row, err := a.Store().Find(c.Context(), in.GoalID)
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if row.Status == goal.Paused {
			p.say("The goal is paused; %s resume %s lets it go on.\n", p.Name, row.ID.Short())
		}
		return nil
	})
}

func (p Program) revoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID REQUEST", Short: "Take back what a goal was allowed; the next call asks again", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return p.started(c.Context(), app.Options{}, func(a *app.App) error {
				_, err := a.ApprovalAPI(c.Context()).Revoke(args[0], args[1])
				return err
			})
		},
	}
}

// attended says whether a person sits at this program's terminal.
func attended() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && !isNull(info)
}

// isNull: /dev/null is a character device, too, and nobody sits there.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}
