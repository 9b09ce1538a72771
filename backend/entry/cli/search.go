package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// search finds words in what all goals said and did.
func (r readCommands) search() *cobra.Command {
	in := calls.SearchInput{Limit: 20}
	c := &cobra.Command{
		Use: "search WORDS...", Short: "Search what goals said and did",
		Long: "Search the objectives, transcripts, reports and changed paths of all goals. All words must be in one text: " +
			"a message, a call, an output, a report. The last word may be the beginning of one; words in quotes must follow " +
			"each other. Case and accents do not count.",
		Example: "  " + r.program.Name + " search go test panic\n  " + r.program.Name + ` search '"exit status 2" cart'`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if in.Limit < 1 {
				return fault.Invalid("limit", fmt.Sprintf("the limit %d is too small", in.Limit), "give 1 or more")
			}
			in.Words = strings.Join(args, " ")
			return r.program.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, _ *store.Store) error {
				out, err := g.Search(in)
				for err == nil && out.Behind > 0 { // each search reads a part of what is new
					out, err = g.Search(in)
				}
				return r.program.printResult(c, out, err, func() error { return r.printHits(out) })
			})
		},
	}
	addJSON(c)
	c.Flags().IntVar(&in.Limit, "limit", in.Limit, "how many goals, at most 200")
	return c
}

func (r readCommands) printHits(out calls.SearchOutput) error {
	if len(out.Goals) == 0 {
		return r.program.printf("Nothing found.\n")
	}
	var b strings.Builder
	for _, g := range out.Goals {
		state := string(g.Status)
		if g.Exit != "" {
			state += "/" + string(g.Exit)
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", goal.ID(g.ID).Short(), state, oneLine(g.Objective))
		for _, hit := range g.Hits {
			place := string(hit.Place)
			if hit.Step > 0 && hit.Place != calls.PlaceReport { // a report is about all steps
				place += fmt.Sprintf(", step %d", hit.Step)
			}
			fmt.Fprintf(&b, "  %-16s  %s\n", place, singleLine(hitText(hit)))
		}
		if more := g.Total - len(g.Hits); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	if n := len(out.Goals); out.Total > n {
		defer r.program.errorf("%d of %d goals; --limit shows more\n", n, out.Total)
	}
	return r.program.printf("%s", b.String())
}

func hitText(hit calls.SearchHit) string {
	var b strings.Builder
	for _, part := range hit.Parts {
		b.WriteString(part.Text)
	}
	return strings.TrimSpace(b.String())
}
