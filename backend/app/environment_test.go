package app_test

import (
	"os"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
)

// TestGoalEnv_UnknownVariables_AreHidden: agents and checks see only known variables and those that the user names.
func TestGoalEnv_UnknownVariables_AreHidden(t *testing.T) {
	t.Setenv("STRIPE", "canary-of-a-plain-name")
	t.Setenv("BUILD_KIND", "named-and-wanted")
	t.Setenv(goalsandbox.KeepVariable, "BUILD_KIND, OTHER")
	p := start(t, t.TempDir())
	_, steps := p.results(nil, args("run_command", map[string]any{"command": "env; tr '\\0' '\\n' < /proc/1/environ"}))
	if said := steps[0].Result; strings.Contains(said, "canary-of") || !strings.Contains(said, "named-and-wanted") ||
		!strings.Contains(said, "GOCACHE=") && os.Getenv("GOCACHE") != "" {
		t.Errorf("the agent's programs have %s", said)
	}
	said, err := p.goal.Try(api.TryInput{
		Request: goal.Request{Policy: policy.Policy{Dir: t.TempDir()}},
		Check:   shell(`test "$BUILD_KIND" = named-and-wanted && test -z "$STRIPE"`)[0],
	})
	if err != nil || said.Outcome != "passes_already" {
		t.Errorf("a check: %+v, %v", said, err)
	}
}
