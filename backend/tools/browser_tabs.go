package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type browserTabsArgs struct {
	Close string `json:"close,omitempty" jsonschema:"a browser pane to close first"`
}

func browserTabs(b Browsers) (Tool, error) {
	return defineTool("browser_tabs", func(_ context.Context, a browserTabsArgs) (policy.Effect, error) {
		if a.Close != "" {
			return policy.Effect{Risk: policy.WriteLocal, Reason: "closes pane " + a.Close}, nil
		}
		return viewEffect()
	}, func(ctx context.Context, a browserTabsArgs) goal.Result {
		if a.Close != "" {
			if err := b.Close(ctx, a.Close); err != nil {
				return failedResult("%s", err)
			}
		}
		var lines strings.Builder
		for _, i := range b.List() {
			fmt.Fprintf(&lines, "%s %q at %s%s\n", i.ID, i.Title, i.URL, paneCondition(i))
		}
		if lines.Len() == 0 {
			return ok("there is no browser pane; browser_open opens one")
		}
		return goal.Result{OK: true, Text: wrapOutside("the browser panes", lines.String())}
	})
}

// paneCondition describes the state of a pane beyond its address.
func paneCondition(i pane.Info) string {
	said := ""
	switch {
	case i.Problem != "":
		said = ", but: " + i.Problem
	case i.Loading:
		said = ", loading"
	}
	if i.Driver == pane.DriverUser {
		said += ", under the user's control"
	}
	return said
}
