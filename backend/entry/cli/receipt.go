package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// receiptCommand shows the verdicts of claims and runs the checks again.
type receiptCommand struct{ program Program }

const verifyFlag = "verify"

func (rc receiptCommand) receipt() *cobra.Command {
	var shouldRepeat, onlyWhy bool
	c := &cobra.Command{
		Use: "receipt ID", Short: "Print the verdicts of every claim, as JSON",
		Long: "Print the verdicts of every claim, as JSON. With --verify the deterministic checks run again in the " +
			"goal's folder, and the folder is compared with the hash in the receipt. The exit code is 0 if the checks that " +
			"the criterion needs pass, 7 if one of them fails or " +
			"evidence was changed, and 10 if nothing failed but the deciding checks cannot be run again, because they need " +
			"a process that has ended, or a model or the user judged.",
		RunE: func(c *cobra.Command, args []string) error {
			if shouldRepeat {
				return rc.recheck(c.Context(), args[0])
			}
			return rc.program.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, _ *store.Store) error {
				if onlyWhy {
					v, err := g.Get(args[0])
					if err != nil {
						return err
					}
					return rc.program.printf("%s", formatWhy(v))
				}
				r, err := g.Receipt(args[0])
				if err != nil {
					return err
				}
				return rc.program.json(r)
			})
		},
	}
	c.Flags().BoolVar(&onlyWhy, "why", false, whyFlag)
	c.Flags().BoolVar(&shouldRepeat, verifyFlag, false, "run the deterministic checks again, as they were frozen")
	return c
}

func (rc receiptCommand) recheck(ctx context.Context, id string) error {
	ctx, cancel := rc.program.withCaller(ctx)
	defer cancel()
	return rc.program.withApp(ctx, app.Options{}, func(a *app.App) error {
		out, err := a.GoalAPI(ctx).Recheck(id)
		if err != nil {
			return err
		}
		if err := rc.program.printf("%s", formatRecheck(out)); err != nil || out.Passed {
			return err
		}
		if out.Open {
			return exitCode(exitNotRepeated)
		}
		return exitCode(exitError)
	})
}

// formatRecheck lists the verdicts of checks that ran again, and what else differs from the receipt.
func formatRecheck(out api.RecheckOutput) string {
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
	if out.TreeChanged {
		b.WriteString("the folder has changed since it was verified: its files differ from those of the receipt\n")
	}
	if out.Open {
		b.WriteString(inconclusiveText(out.Verdicts) + "\n")
	}
	return b.String()
}

// inconclusiveText explains why deterministic checks that were run again neither confirm nor refute the decision.
func inconclusiveText(now []goal.Verdict) string {
	for _, v := range now {
		if v.Outcome != goal.Pass && v.Outcome != goal.NotRepeatable {
			return "one check is enough, and the failing ones did not decide; the deciding check cannot be run again"
		}
	}
	return "nothing failed, but the deciding checks cannot be run again"
}

// printVerdicts prints the receipt for users: every claim with its verdicts, the review, and the deciding claim.
func (rc receiptCommand) printVerdicts(ctx context.Context, s *store.Store, id goal.ID) error {
	r, err := calls.NewGoalAPI(ctx, nil, s).Receipt(string(id))
	if err != nil || len(r.Claims) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString("Receipt\n")
	b.WriteString(indentLines(describeScope(policy.Policy{Work: r.Work}.DescribeWork(), r.CheckDir)))
	for _, c := range r.Claims {
		if len(c.Verdicts) == 0 {
			fmt.Fprintf(&b, "  claim %d  not verified: the checks were not run for it\n", c.N)
		}
		for _, v := range c.Verdicts {
			fmt.Fprintf(&b, "  claim %d  %-6s %s: %s\n", c.N, v.Outcome, oneLine(v.Name), oneLine(v.Detail))
			if line := lastLine(v.Tail); line != "" && v.Outcome == goal.Pass {
				fmt.Fprintf(&b, "           | %s\n", line)
			}
			b.WriteString(verdictProof(v))
		}
		if outcome := claimOutcome(r, c); outcome != "" {
			fmt.Fprintf(&b, "  claim %d  %s\n", c.N, outcome)
		}
	}
	return rc.program.printf("%s", b.String())
}

// verdictProof describes how much a verdict proves, and which new or changed files its check used.
func verdictProof(v goal.Verdict) string {
	var b strings.Builder
	if v.Assurance != "" {
		why := ""
		if v.AssuranceReason != "" {
			why = ": " + v.AssuranceReason
		}
		fmt.Fprintf(&b, "           %s%s\n", v.Describe(""), oneLine(why))
	}
	if v.Tree != "" {
		fmt.Fprintf(&b, "           folder sha256 %s\n", v.Tree)
	}
	const maxListed = 10
	for i, f := range v.Changes {
		if i == maxListed {
			fmt.Fprintf(&b, "           … and %d more files\n", len(v.Changes)-maxListed)
			break
		}
		fmt.Fprintf(&b, "           used %s (%s, %s)\n", oneLine(f.Path), f.Change, f.Role)
	}
	return b.String()
}

// claimOutcome describes the review of a claim, and whether the claim decided the goal; "" if there is neither.
func claimOutcome(r calls.ReceiptView, c calls.ReceiptClaim) string {
	review := map[calls.ReviewResult]string{
		calls.ReviewConfirmed: "the reviewer confirmed it: ",
		calls.ReviewRejected:  "rejected by the reviewer: ",
		calls.ReviewError:     "not decided by the reviewer, which is not a pass: ",
	}[c.Review]
	if review != "" {
		review += oneLine(c.ReviewReason)
	}
	switch {
	case !c.Deciding:
		return review
	case c.Review == calls.ReviewError:
		review = "the reviewer could not decide: " + oneLine(c.ReviewReason)
	case review == "":
		review = "not reviewed"
	}
	how := "decided: this claim completed the goal"
	switch {
	case r.Judged:
		how += ", judged by a model, not by a program"
	case !r.Verified:
		how += ", not verified by the host"
	case r.Basis == goal.BasisUser && r.AssuranceReason != "":
		how += "; you accepted it, although " + oneLine(r.AssuranceReason)
	}
	return how + "; " + review
}
