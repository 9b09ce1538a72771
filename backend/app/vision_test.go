package app_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestLook_RealPage_ReachesTheJudge: the judge gets the picture of a real page, but not the agent's messages or tools.
// The cost counts.
func TestLook_RealPage_ReachesTheJudge(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	agent := turns(
		call("browser_open", with("url", "about:blank")),
		call("look", with("pane", "b1", "question", "what colour?")),
		call("look", with("pane", "b1", "expected", "it is red")),
		call("look", with("pane", "b1", "expected", "it is blue")),
		giveUp(),
	)
	pictures := 0
	s := p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		if len(r.Tools) > 0 {
			return agent(n, r)
		}
		for _, m := range r.Messages {
			pictures += len(m.Images)
			if m.Role != goal.User && m.Role != goal.System {
				t.Errorf("the judge hears %s: %s", m.Role, m.Text)
			}
		}
		switch q := r.Last().Text; {
		case strings.Contains(q, "what colour?"):
			return modeltest.Say("Red, at [[10,20]].")
		case strings.Contains(q, "it is red"):
			return modeltest.Say("PASS it is red all over")
		}
		return modeltest.Say("UNCLEAR I cannot tell")
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "look",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	var steps []*event.Step
	spent := map[string]bool{}
	p.await("end", func(e event.Event) bool {
		switch b := e.Body.(type) {
		case *event.Step:
			steps = append(steps, b)
		case *event.Usage:
			spent[b.By] = true
		case *event.Ended:
			return string(e.GoalID) == out.GoalID
		}
		return false
	})
	for i, want := range []string{
		"pane b1 is at", "Red, at (x=10, y=20).", "PASS; the picture is stored",
		"UNCLEAR; the picture is stored",
	} {
		if !strings.Contains(steps[i].Result, want) || (steps[i].Outcome == event.OK) != (i < 3) || i > 0 &&
			steps[i].ImageSHA256 == "" {
			t.Errorf("step %d: %s %s, picture %q", i, steps[i].Outcome, steps[i].Result, steps[i].ImageSHA256)
		}
	}
	if pictures != 3 || !spent["look"] {
		t.Errorf("%d pictures in %d requests, spent by %v", pictures, len(s.Requests()), spent)
	}
}
