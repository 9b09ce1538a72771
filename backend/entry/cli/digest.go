package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// digest sums up what happened while the user was away.
func (r readCommands) digest() *cobra.Command {
	const day = 24 * time.Hour
	since := day
	c := &cobra.Command{
		Use: "digest", Short: "Show what happened while you were away, with what to do next",
		Example: "  " + r.program.Name + " digest --since 72h",
		RunE: func(c *cobra.Command, _ []string) error {
			if since <= 0 {
				return fault.Invalid("since", fmt.Sprintf("the time %s is not in the past", since), "give one such as 12h")
			}
			return r.program.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, _ *store.Store) error {
				d, err := g.Digest(time.Now().Add(-since).Format(time.RFC3339))
				return r.program.printResult(c, d, err, func() error { return r.program.printf("%s", r.formatDigest(d)) })
			})
		},
	}
	addJSON(c)
	c.Flags().DurationVar(&since, "since", since, "how far back, such as 12h")
	return c
}

func (r readCommands) formatDigest(d calls.Digest) string {
	var b strings.Builder
	for _, part := range []struct {
		title string
		goals []calls.GoalCard
		next  []string // commands; the id follows
	}{
		{"Needs you", d.NeedsYou, []string{"show"}},
		{"Failed", d.Failed, []string{"report", "undo"}},
		{"Done", d.Done, []string{"diff", "undo"}},
	} {
		if len(part.goals) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s (%d)\n", part.title, len(part.goals))
		for _, g := range part.goals {
			id := goal.ID(g.ID).Short()
			fmt.Fprintf(&b, "  %s  %s\n", id, oneLine(text.Truncate(g.Objective, 90)))
			fmt.Fprintf(&b, "            %s\n", oneLine(text.Truncate(digestFact(g), 110)))
			var commands []string
			for _, next := range part.next {
				commands = append(commands, r.program.Name+" "+next+" "+id)
			}
			fmt.Fprintf(&b, "            %s\n", strings.Join(commands, " · "))
		}
	}
	if b.Len() == 0 {
		b.WriteString("Nothing needs you, and no goal has ended.\n")
	}
	fmt.Fprintf(&b, "%s running · %s since %s\n", goal.FormatCount(d.Running, "goal"), money(d.USD), formatStamp(d.Since))
	return b.String()
}

// digestFact is the one thing to know about a goal.
func digestFact(g calls.GoalCard) string {
	parts := []string{g.Reason}
	if g.Status == goal.Completed {
		parts = []string{g.AssuranceWords}
	}
	if g.Aftermath != "" {
		parts = append(parts, g.Aftermath)
	}
	if g.Asks > 0 {
		parts = []string{goal.FormatCount(g.Asks, "request") + " waiting for your answer"}
	}
	parts = append(parts, fmt.Sprintf("%d/%d checks", g.ChecksPassed, g.Checks), money(g.USD))
	return strings.Join(parts, " · ")
}

func formatStamp(stamp string) string {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return at.Local().Format("Mon 2006-01-02 15:04")
}
