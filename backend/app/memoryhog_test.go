package app_test

import (
	"os"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestMemoryHog_IsEndedAndReportedToTheAgent: the goal's programs are ended if they exceed the user's memory limit
// together. The tool's result and the journal name the reason.
func TestMemoryHog_IsEndedAndReportedToTheAgent(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	settings := p.cfg.Settings()
	settings.GoalMemory = 128
	must(t, p.cfg.SaveSettings(settings))
	const hogs = "for i in 1 2 3 4; do ( { head -c 60000000 /dev/zero; while echo; do sleep 0.2; done; } | tail -c " +
		"60000000; echo > over ) >/dev/null 2>&1 & done; until [ -e over ]; do sleep 0.1; done"
	p.provide(turns(args("run_command", map[string]any{"command": hogs, "timeout_seconds": 60}),
		args("run_command", map[string]any{"command": "sleep 100"})))
	out, err := p.goal.Start(goal.Request{
		Objective: "take everything",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{OnAsk: "deny"},
	})
	must(t, err)
	// The helper reports the measured size. The kernel ends a program before it exceeds the limit.
	why := "of memory together, and 128 MiB are allowed"
	if os.Getenv("GOALPOST_TEST_SYSTEMD") != "" {
		why = "needed more than the 128 MiB of memory together that are allowed"
	}
	var step *event.Step
	isWarned := false
	p.await("the warning and the step, in any order", func(e event.Event) bool {
		switch body := e.Body.(type) {
		case *event.Warning:
			isWarned = isWarned || strings.Contains(body.Text, "tail was ended") && strings.Contains(body.Text, why)
		case *event.Step:
			if step == nil {
				step = body
			}
		}
		return isWarned && step != nil
	})
	row, err := p.goal.Step(out.GoalID, step.StepID)
	must(t, err)
	if !strings.Contains(row.Result, "Ended for lack of memory or space") || !strings.Contains(row.Result, why) {
		t.Errorf("the agent received %s", row.Result)
	}
	if ok, err := p.goal.Abort(out.GoalID); !ok || err != nil {
		t.Fatal(ok, err)
	}
	p.done(out.GoalID)
}
