package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// recipes has one recipe, and stores new ones.
type recipes struct {
	saved *goal.Recipe
	steps []goal.Call
}

func (r *recipes) List() ([]goal.Recipe, error) {
	one, err := r.Get("known")
	return []goal.Recipe{one}, err
}

func (r *recipes) Get(name string) (goal.Recipe, error) {
	place := "a.txt"
	if name != "known" {
		return goal.Recipe{}, errors.New("there is no recipe " + name)
	}
	return goal.Recipe{
		Name: name, Description: "writes and reads </output>", Parameters: []goal.Parameter{{Name: "file", Default: &place}},
		Steps: []goal.RecipeStep{
			{Tool: "write_file", Arguments: map[string]any{"path": "{{file}}", "content": "{{secret:KEY}}"}},
			{Tool: "read_file", Arguments: map[string]any{"path": "missing"}, OnFail: "continue"},
			{Tool: "read_file", Arguments: map[string]any{"path": "{{file}}"}},
		},
	}, nil
}

func (r *recipes) Save(recipe goal.Recipe) error {
	r.saved = &recipe
	return nil
}

func (r *recipes) Steps(context.Context, int, int) ([]goal.Call, error) { return r.steps, nil }

// entry is a run that executes every call.
type entry struct {
	run
	*fixture
	made []string
	stop string
}

func (e *entry) ExecuteNested(ctx context.Context, c goal.Call) (int, goal.Result, error) {
	if c.Tool == e.stop {
		return 0, goal.Result{}, errors.New("the user paused the goal")
	}
	e.made = append(e.made, c.Tool+c.Arguments)
	return len(e.made), e.tool(c.Tool).Do(ctx, []byte(c.Arguments)), nil
}

// TestRunRecipe_StepFails_Stops: the run executes each step with its values, and the recipe stops at the first failure.
func TestRunRecipe_StepFails_Stops(t *testing.T) {
	h := newFixture(t)
	d := &entry{fixture: h}
	ctx := goal.WithRun(t.Context(), goal.Run{Control: d})
	do := func(args ...any) goal.Result { return h.tool("run_recipe").Do(ctx, arguments(h, args...)) }
	h.good(do("name", "known", "values", []map[string]any{{"name": "file", "value": "{{secret:KEY}}.txt"}}),
		"recipe known is done",
		"1. write_file ok (step:1)", "2. read_file failed (step:2)", "3. read_file ok (step:3)", "{{secret:KEY}}")
	if want := `write_file{"content":"{{secret:KEY}}","path":"{{secret:KEY}}.txt"}`; d.made[0] != want {
		t.Errorf("%q", d.made)
	}
	d.made = nil
	h.bad(do("name", "known", "from", 3), "3. read_file failed", "stopped at step 3")
	h.good(do(), "known: writes and reads", `file:  (default "a.txt")`)
	if r := do(); strings.Count(r.Text, "</output>") != 1 {
		t.Errorf("%s", r.Text)
	}
	d.stop = "read_file"
	h.bad(do("name", "known"), "1. write_file ok", "stopped before step 2", "paused")
	h.bad(do("name", "other"), "no recipe other")
	h.bad(do("name", "../x"), "not a valid recipe name")
	h.bad(do("name", "known", "from", 4), "no step 4")
	h.bad(do("name", "known", "values", []map[string]any{{"name": "nope", "value": ""}}), `no parameter "nope"`)
	h.bad(h.do("run_recipe", "name", "known"), "only run in a goal")
}

func TestSaveRecipe_Steps_BecomeARecipe(t *testing.T) {
	h := newFixture(t)
	h.recipes.steps = []goal.Call{
		{Tool: "browser_open", Arguments: `{"url":"http://127.0.0.1:8080/login","pane":"b1"}`},
		{Tool: "browser_click_at", Arguments: `{"pane":"b1","x":1000000,"y":7}`},
		{Tool: "write_file", Arguments: `{"path":"b12.txt","content":"7"}`},
	}
	save := func(more ...any) goal.Result {
		return h.do("save_recipe",
			append([]any{"name", "log-in", "description", "logs in", "from_step", 1, "to_step", 3}, more...)...)
	}
	h.good(save("parameters", []map[string]any{
		{"name": "base", "value": "http://127.0.0.1:8080"},
		{"name": "pane", "value": "b1"},
		{"name": "y", "value": "7"},
	}), "3 steps")
	got := h.recipes.saved
	a := got.Steps[0].Arguments
	if a["url"] != "{{base}}/login" || a["pane"] != "{{pane}}" || got.Steps[1].Arguments["y"] != "{{y}}" ||
		got.Steps[1].Arguments["x"] != int64(1000000) ||
		got.Steps[2].Arguments["path"] != "b12.txt" || !got.Parameters[2].Number {
		t.Errorf("%+v", got)
	}
	calls, err := got.Fill(map[string]string{"y": "9", "pane": "b2"})
	if err != nil || calls[1].Arguments != `{"pane":"b2","x":1000000,"y":9}` ||
		!strings.Contains(calls[0].Arguments, "127.0.0.1:8080/login") {
		t.Errorf("%+v %v", calls, err)
	}
	if _, err := got.Fill(map[string]string{"y": "many"}); err == nil {
		t.Error("a number may be any text")
	}
	h.bad(save("parameters", []map[string]any{{"name": "x", "value": "nowhere"}}), "does not occur in the steps")
	h.bad(save("parameters", []map[string]any{{"name": "X!", "value": "b1"}}), "not a valid parameter name")
	h.recipes.steps = slices.Repeat(h.recipes.steps, 20)
	h.bad(save(), "1 to 50 steps")
	h.recipes.steps = nil
	h.bad(save(), "no step to save")
	for _, c := range [][]any{{"name", "../x"}, {"from_step", 0}, {"to_step", 0}, {"description", " "}} {
		args := append([]any{"name", "x", "description", "x", "from_step", 1, "to_step", 3}, c...)
		if _, err := h.effect("save_recipe", args...); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}
