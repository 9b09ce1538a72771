package app_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// TestRecipe_StartsThroughTheAPI: a goal repeats the steps of another goal with other values. Each step is journaled,
// and the policy of the goal that runs the recipe applies.
func TestRecipe_StartsThroughTheAPI(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	steps := p.allowed(
		call("write_todos", `{"todos":[{"text":"x"}]}`),
		call("write_file", with("path", "first.txt", "content", "hello first")),
		call("run_command", with("command", "cat first.txt; exit 3")),
		call("run_command", with("command", "cat first.txt")),
		call("read_file", with("path", "missing")),
		call("save_recipe", with("name", "greet", "description", "greets", "from_step", 1, "to_step", 5, "parameters",
			[]map[string]any{{"name": "who", "value": "first"}})),
		call("save_recipe", with("name", "greet", "description", "again", "from_step", 1, "to_step", 5)),
	)
	if !strings.Contains(steps[5].Result, "greet is saved, 2 steps") || !strings.Contains(steps[6].Result, "already") ||
		steps[2].Outcome != event.Failed {
		t.Fatalf("%s %s %s", steps[5].Result, steps[6].Result, steps[2].Outcome)
	}
	// The second goal's own steps count from the call of the recipe.
	p.provide(turns(
		call("run_recipe", with("name", "greet", "values", []map[string]any{{"name": "who", "value": "second"}})),
		call("run_command", with("command", "cat second.txt")),
		giveUp(),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "again",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit, OnAsk: "deny"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	list, err := p.goal.Steps(out.GoalID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, s := range list.Steps {
		made = append(made, s.Tool+" "+string(s.Outcome))
	}
	if got := strings.Join(made,
		", "); got != "run_recipe ok, write_file ok, run_command ok, run_command ok, abort_with_report ok" {
		t.Errorf("%s", got)
	}
	whole, err := p.goal.Step(out.GoalID, 1)
	if err != nil || !strings.Contains(whole.Result, "hello second") {
		t.Errorf("%s %v", whole.Result, err)
	}
}

// allowed does what did does, and the user approves saving the recipe.
func (p *program) allowed(answers ...modeltest.Answer) []*event.Step {
	p.Helper()
	p.provide(turns(append(answers, giveUp())...))
	out, err := p.goal.Start(goal.Request{
		Objective: "keep a recipe",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		p.Fatal(err)
	}
	var steps []*event.Step
	asked := 0
	p.await("end", func(e event.Event) bool {
		if string(e.GoalID) != out.GoalID {
			return false
		}
		switch b := e.Body.(type) {
		case *event.ApprovalRequested:
			asked++
			if b.Tool != "save_recipe" {
				p.Errorf("the user is asked about %s", b.Tool)
			}
			if _, err := area[*calls.ApprovalAPI](p.T, p.app).Answer([]calls.AnswerInput{{
				GoalID:  out.GoalID,
				Request: b.ID,
				Allow:   true,
				Scope:   policy.ScopeOnce,
			}}); err != nil {
				p.Error(err)
			}
		case *event.Step:
			if b.Tool != "abort_with_report" {
				steps = append(steps, b)
			}
		case *event.Ended:
			return true
		}
		return false
	})
	if asked == 0 {
		p.Error("a recipe was kept and nobody was asked")
	}
	return steps
}

// TestRecipe_StepNeedsTheUser_PausesTheGoal also checks that the remaining steps of the recipe are not executed.
func TestRecipe_StepNeedsTheUser_PausesTheGoal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.allowed(
		call("write_file", with("path", "a", "content", "x")),
		call("write_file", with("path", "b", "content", "x")),
		call("save_recipe", with("name", "two", "description", "two files", "from_step", 1, "to_step", 2)),
	)
	p.provide(turns(call("run_recipe", with("name", "two")), giveUp()))
	out, err := p.goal.Start(goal.Request{
		Objective: "park",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
		Policy:    policy.Policy{Risk: policy.ReadOnly},
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := p.await("the question", func(e event.Event) bool { _, ok := e.Body.(*event.ApprovalRequested); return ok })
	if q, ok := asked.Body.(*event.ApprovalRequested); !ok || q.Tool != "write_file" ||
		!strings.Contains(q.Show, "+++ a") {
		t.Errorf("%+v", asked.Body)
	}
	if _, err := p.goal.Pause(out.GoalID); err != nil {
		t.Fatal(err)
	}
	if b, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok {
		t.Fatalf("%+v", b)
	}
	list, err := p.goal.Steps(out.GoalID, 0, 0)
	if err != nil || len(list.Steps) != 2 {
		t.Errorf("%+v %v", list.Steps, err)
	}
	if _, err := p.goal.Abort(out.GoalID); err != nil {
		t.Fatal(err)
	}
}
