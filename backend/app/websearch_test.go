package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// TestWebSearch_SetUp_AsksTheServerWithTheUsersKey: the tool is offered if a search engine is set up. The key is sent
// only to the server, and the user is asked about the server first.
func TestWebSearch_SetUp_AsksTheServerWithTheUsersKey(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Subscription-Token")
		if key != "canary-key-4711" || r.URL.Query().Get("q") != "red paint" {
			t.Errorf("asked with %q for %s", key, r.URL)
		}
		_, _ = w.Write(
			[]byte(`{"type":"search","web":{"results":[{"title":"Paint, key ` + key + `","url":"https://paint.example/"}]}}`))
	}))
	t.Cleanup(engine.Close)
	_, err := calls.NewSecretAPI(t.Context(), p.app.Secrets()).Set(
		calls.SecretInput{Name: "search-key", Value: "canary-key-4711"})
	must(t, err)
	settings := p.cfg.Settings()
	settings.WebSearch, settings.WebSearchAddress, settings.WebSearchSecret = "brave", engine.URL, "search-key"
	must(t, p.cfg.SaveSettings(settings))
	agent := turns(call("web_search", with("query", "red paint")), giveUp())
	offered := false
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		for _, tool := range r.Tools {
			offered = offered || tool == "web_search"
		}
		return agent(n, r)
	})
	run := func(risk policy.Risk, allow bool) (results []calls.StepView, asked int) {
		out, err := p.goal.Start(goal.Request{
			Objective: "search",
			Criterion: goal.Criterion{Checks: shell("false")},
			Options:   goal.Options{CriticEvery: goal.NoLimit},
			Policy:    policy.Policy{Risk: risk},
		})
		must(t, err)
		p.await("end", func(e event.Event) bool {
			switch b := e.Body.(type) {
			case *event.Step:
				step, err := p.goal.Step(out.GoalID, len(results)+1) // an event that was read from the journal lacks the result
				must(t, err)
				results = append(results, step)
			case *event.ApprovalRequested:
				asked++
				_, err := area[*calls.ApprovalAPI](t, p.app).Answer([]calls.AnswerInput{
					{GoalID: out.GoalID, Request: b.ID, Allow: allow, Scope: policy.ScopeOnce},
				})
				must(t, err)
			case *event.Paused:
				t.Fatalf("it paused: %+v", b)
			case *event.Ended:
				return string(e.GoalID) == out.GoalID
			}
			return false
		})
		return results, asked
	}
	steps, asked := run(policy.WriteLocal, true)
	if !offered || asked != 1 || steps[0].Outcome != event.OK ||
		!strings.Contains(steps[0].Result, "https://paint.example/") ||
		strings.Contains(steps[0].Result, "canary-key") {
		t.Errorf("offered %v, %d questions, %s %s", offered, asked, steps[0].Outcome, steps[0].Result)
	}
	if steps, _ := run(policy.WriteLocal, false); steps[0].Outcome != event.Denied {
		t.Errorf("the user refused, and it searched: %s %s", steps[0].Outcome, steps[0].Result)
	}
	if steps, asked := run(policy.NetworkGet, false); steps[0].Outcome != event.OK || asked != 0 {
		t.Errorf("a goal that may read from the network: %d questions, %s", asked, steps[0].Outcome)
	}
}
