package cli

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// printProtected shows before the start what the agent cannot change.
func (rc receiptCommand) printProtected(ctx context.Context, a *app.App, in goal.Request) {
	list, err := a.Goals.Intake.Protected(ctx, api.ProtectInput{
		Dir:       in.Dir,
		Checks:    in.Checks,
		Protect:   in.Protect,
		NoProtect: in.NoProtect,
	})
	if err != nil || len(list) == 0 {
		return // Start reports what is wrong
	}
	rc.program.errorf("protected files (--protect '!FILE' excludes one):\n%s", listProtected(list))
}

// listProtected lists existing files, a line each. It only counts patterns of files that must not be created: a test
// runner has hundreds, and few of them matter to anyone.
func listProtected(list []api.ProtectedFile) string {
	const maxListed = 12
	var b strings.Builder
	n, more, patterns := 0, 0, 0
	for _, f := range list {
		switch {
		case f.Kind == "appears":
			patterns++
		case n == maxListed:
			more++
		default:
			n++
			fmt.Fprintf(&b, "  %-8s %s  %s\n", f.Kind, oneLine(f.Path), oneLine(f.Why))
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", more)
	}
	if patterns > 0 {
		fmt.Fprintf(&b, "  appears  %s that would change what the checks run\n",
			goal.FormatCount(patterns, "kind")+" of new files")
	}
	return b.String()
}
