package goal_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

func TestParseCheck_Text_IsACommandUnlessItNamesAnotherKind(t *testing.T) {
	for text, want := range map[string]goal.Check{
		"make test":              {Type: goal.Shell, Command: "make test"},
		"curl http://127.0.0.1/": {Type: goal.Shell, Command: "curl http://127.0.0.1/"},
		"http:server":            {Type: goal.Shell, Command: "http:server"},
		"http://127.0.0.1:8080/": {Type: goal.HTTP, URL: "http://127.0.0.1:8080/"},
		"https://a.example":      {Type: goal.HTTP, URL: "https://a.example"},
		"file:a: b.txt":          {Type: goal.File, Path: "a: b.txt"},
		"json:response.n === 3":  {Type: goal.JSONPredicate, Expr: "response.n === 3"},
		"question:is it done?":   {Type: goal.ModelQuestion, Question: "is it done?"},
		"visual:is it red?":      {Type: goal.Visual, Question: "is it red?"},
		"manual:":                {Type: goal.Manual},
	} {
		if got := goal.ParseCheck(text); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestRequestFlags_Values_FillTheRequest(t *testing.T) {
	var r goal.Request
	set := func(name, text string) error {
		flags := r.Flags()
		at := slices.IndexFunc(flags, func(f goal.Flag) bool { return f.Name == name })
		return flags[at].Value.(goal.FlagValue).Set(text)
	}
	for _, given := range [][2]string{
		{"check", "json:ok"},
		{"with", "from=file:out.json"},
		{"check", "make"},
		{"with", "where=ssh:build"},
		{"with", "rerun=no"},
		{"check", "visual:is it red?"},
		{"with", "whole"},
		{"check", "manual:look"},
		{"with", "wait"},
		{"allow", "passing, outside"},
		{"protect", "a/**"},
		{"protect", "!b/**"},
		{"tool", "!run_command"},
		{"critic", "0"},
		{"critic", "other/large"},
		{"after", "01k3abcd"},
		{"wall-clock", "90s"},
		{"max-usd", "0"},
		{"max-iterations", "7"},
	} {
		if err := set(given[0], given[1]); err != nil {
			t.Errorf("--%s %s: %v", given[0], given[1], err)
		}
	}
	want := goal.Request{
		Criterion: goal.Criterion{Checks: []goal.Check{
			{Type: goal.JSONPredicate, Expr: "ok", From: goal.FromFile, Path: "out.json"},
			{Type: goal.Shell, Command: "make", Where: "ssh:build", NoRerun: true},
			{Type: goal.Visual, Question: "is it red?", Whole: true},
			{Type: goal.Manual, Note: "look", Wait: true},
		}},
		Limits: goal.Limits{WallClockMS: 90_000, USD: goal.NoLimit, Iterations: 7},
		Options: goal.Options{
			AllowPassing: true, RunOutside: true, Protect: []string{"a/**"}, NoProtect: []string{"b/**"},
			CriticEvery: goal.NoLimit, Critic: "other/large", After: []goal.ID{"01k3abcd"},
		},
	}
	want.DenyTools = []string{"run_command"}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%+v\nwant %+v", r, want)
	}
	for _, wrong := range [][2]string{
		{"with", "where=host"}, // the last check is manual
		{"with", "color=red"},
		{"allow", "everything"},
		{"critic", "-1"},
		{"wall-clock", "5"},
		{"wall-clock", "-5m"},
		{"wall-clock", "500ms"},
		{"max-usd", "NaN"},
		{"max-iterations", "1.5"},
		{"max-iterations", "-1"},
		{"max-tokens", "1e99"},
		{"tool", "!"},
		{"with", "rerun=perhaps"},
		{"protect", " "},
	} {
		if set(wrong[0], wrong[1]) == nil {
			t.Errorf("--%s %s is accepted", wrong[0], wrong[1])
		}
	}
}

// TestRequestFlags_EachOne_HasANameOfItsOwn also keeps the help short.
func TestRequestFlags_EachOne_HasANameOfItsOwn(t *testing.T) {
	var r goal.Request
	names, usual := map[string]bool{}, 0
	for _, f := range r.Flags() {
		if names[f.Name] || f.Usage == "" {
			t.Errorf("--%s is there twice, or has no usage", f.Name)
		}
		if names[f.Name] = true; f.Group == goal.UsualFlags {
			usual++
		}
	}
	if len(names) > 45 || usual != 8 {
		t.Errorf("%d flags, %d of them usual ones", len(names), usual)
	}
}

// TestRequest_Fields_HaveNamesOfTheirOwn: of two fields with one name in an object, encoding/json writes neither.
func TestRequest_Fields_HaveNamesOfTheirOwn(t *testing.T) {
	names := map[string]bool{}
	var add func(reflect.Type)
	add = func(typ reflect.Type) {
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				add(f.Type)
			case !f.IsExported():
			case name == "" || names[name]:
				t.Errorf("the JSON name %q of %s.%s is empty, or taken", name, typ, f.Name)
			default:
				names[name] = true
			}
		}
	}
	add(reflect.TypeFor[goal.Request]())
	if len(names) < 40 {
		t.Errorf("only %d fields", len(names))
	}
}

// TestEngineFlag_WithLogin_SetsBoth: the engine's name and whether it uses its own sign-in are one flag.
func TestEngineFlag_WithLogin_SetsBoth(t *testing.T) {
	for text, want := range map[string]goal.Options{
		"claude":       {Engine: "claude"},
		"claude:login": {Engine: "claude", EngineLogin: true},
		"model":        {Engine: "model"},
	} {
		var r goal.Request
		flags := r.Flags()
		i := slices.IndexFunc(flags, func(f goal.Flag) bool { return f.Name == "engine" })
		if err := flags[i].Set(text); err != nil || r.Engine != want.Engine || r.EngineLogin != want.EngineLogin {
			t.Errorf("%s: %q %t %v", text, r.Engine, r.EngineLogin, err)
		}
	}
	r := goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: []goal.Check{goal.ParseCheck("true")}},
		Options:   goal.Options{EngineLogin: true},
	}
	if err := r.Complete(); err == nil || !strings.Contains(err.Error(), "sign-in") {
		t.Errorf("a sign-in of no agent: %v", err)
	}
}
