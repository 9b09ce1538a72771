package api_test

import (
	"testing"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

func TestDoor_HintOfTheCommandLine_IsReplaced(t *testing.T) {
	d := api.Door{Hints: map[string]string{"criterion": "change check_shell"}, Other: "ask the user"}
	for _, c := range []struct{ field, hint, want string }{
		{"criterion", "write another, or pass --allow passing", "it failed: change check_shell"},
		{"provider", "connect one with `goalctl providers add`", "it failed: ask the user"},
		{"provider", "the settings and `providers list` show them", "it failed: ask the user"},
		{"limits", "--max-usd 3", "it failed: ask the user"},
		{"dir", "choose a folder below it -- or another", "it failed: choose a folder below it -- or another"},
		{"dir", "a well--known one", "it failed: a well--known one"},
	} {
		if got := d.Explain(fault.Invalid(c.field, "it failed", c.hint)); got != c.want {
			t.Errorf("%s: %s", c.hint, got)
		}
	}
}
