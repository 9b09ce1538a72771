package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

func (p Program) receipt() *cobra.Command {
	var again bool
	c := &cobra.Command{
		Use: "receipt ID", Short: "Print the verdicts of every claim, as JSON", Args: cobra.ExactArgs(1),
		Long: "Print the verdicts of every claim, as JSON. With --verify the gates run again in the goal's folder; the exit code is 0 when those pass that the criterion needs, 7 when one of them does not or evidence is not what was kept, and 10 when nothing failed but what decided cannot be run again, because it needs a process that has ended or a model or person judged.",
		RunE: func(c *cobra.Command, args []string) error {
			if again {
				return p.recheck(c.Context(), args[0])
			}
			return p.reading(c.Context(), func(g *api.GoalAPI, _ *store.Store) error {
				r, err := g.Receipt(args[0])
				if err != nil {
					return err
				}
				return p.json(r)
			})
		},
	}
	c.Flags().BoolVar(&again, "verify", false, "run the gates again, as they were frozen")
	return c
}

func (p Program) recheck(ctx context.Context, id string) error {
	return p.started(ctx, app.Options{}, func(a *app.App) error {
		out, err := a.GoalAPI(ctx).Recheck(id)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, v := range out.Verdicts {
			fmt.Fprintf(&b, "check %d  %-14s %s: %s\n", v.Check+1, v.Outcome, oneLine(v.Name), oneLine(v.Detail))
			if v.Outcome != goal.Pass && v.Outcome != goal.NotRepeatable {
				for line := range strings.Lines(v.Tail) {
					b.WriteString("      " + strings.TrimRight(line, "\r\n") + "\n")
				}
			}
		}
		for _, fault := range out.Faults {
			b.WriteString(oneLine(fault) + "\n")
		}
		if out.Open {
			b.WriteString("nothing failed, but what decided cannot be run again\n")
		}
		if err := p.print("%s", b.String()); err != nil || out.Passed {
			return err
		}
		if out.Open {
			return exitCode(exitNotRepeated)
		}
		return exitCode(exitError)
	})
}

// sayProtected shows what the agent will not be able to change, before the start.
func (p Program) sayProtected(ctx context.Context, a *app.App, in api.StartInput) {
	const most = 12
	list, err := a.Protected(ctx, api.ProtectInput{Dir: in.Dir, Checks: in.Checks, Protect: in.Protect, NoProtect: in.NoProtect})
	if err != nil || len(list) == 0 {
		return // what is wrong is said when the goal is taken in
	}
	p.say("protected, so that only the work decides (--no-protect leaves one out):\n")
	for i, f := range list {
		if i == most {
			p.say("  … and %d more\n", len(list)-most)
			break
		}
		p.say("  %-8s %s  %s\n", f.Kind, oneLine(strings.TrimSpace(f.Path+" "+f.Part)), oneLine(f.Why))
	}
}
