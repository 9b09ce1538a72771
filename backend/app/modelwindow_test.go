package app_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// TestStart_ContextWindowTooSmall_IsRefused: the start is refused with a hint, before anything is created or the model
// is asked. A larger window is accepted.
func TestStart_ContextWindowTooSmall_IsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	s := p.provide(turns(giveUp()))
	give := func(window int) (api.StartOutput, error) {
		must(t, p.cfg.SaveProvider(config.Provider{
			ID:            "test",
			Kind:          config.OpenAI,
			BaseURL:       s.URL,
			Model:         "m",
			ContextWindow: window,
		}))
		return p.goal.Start(goal.Request{
			Objective: "fit",
			Criterion: goal.Criterion{Checks: shell("false")},
			Options:   goal.Options{CriticEvery: goal.NoLimit},
		})
	}
	_, err := give(8_192)
	if problem := api.ToProblem(err); problem.Code != fault.Refused || problem.Field != "provider" ||
		!strings.Contains(problem.Message, "window of 8192 tokens") || problem.Hint == "" {
		t.Errorf("a window of 8,192 tokens: %+v", problem)
	}
	if list, err := p.goal.List(calls.ListInput{}); err != nil || list.Total != 0 || len(s.Requests()) != 0 {
		t.Errorf("%d goals, %d requests, %v", list.Total, len(s.Requests()), err)
	}
	out, err := give(32_768)
	must(t, err)
	p.ended(out.GoalID)
}
