package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

func evaluator(t testing.TB, h verify.CheckRunner) goalsandbox.PredicateProgram {
	t.Helper()
	return goalsandbox.PredicateProgram{Launcher: h.Environment.Launcher, Program: sandboxtest.Predicate(t)}
}

// TestPredicate_StatusAndBody_Decide covers the status and the body in a claim and in a server's response.
func TestPredicate_StatusAndBody_Decide(t *testing.T) {
	h := host(t)
	h.Environment.Predicates = evaluator(t, h)
	const expr = "response.status === 200 && response.body.ok === true"
	for result, want := range map[string]goal.Outcome{
		`{"status": 200, "body": {"ok": true}}`:  goal.Pass,
		`{"status": 200, "body": {"ok": "yes"}}`: goal.Fail,
		`{"status": 500, "body": {"ok": true}}`:  goal.Fail,
		`{"status": 200}`:                        goal.Fail,
	} {
		if v := claimed(t, h, goal.Check{Type: goal.JSONPredicate, Expr: expr},
			goal.Claim{Result: result}); v.Outcome != want {
			t.Errorf("%s: %s, %q", result, v.Outcome, v.Detail)
		}
	}
	s := site(t)
	for path, want := range map[string]goal.Outcome{"/ok": goal.Pass, "/nothing": goal.Fail} {
		if v := one(t, h, goal.Check{
			Type: goal.JSONPredicate,
			Expr: expr,
			From: goal.FromURL,
			URL:  s.URL + path,
		}); v.Outcome != want {
			t.Errorf("%s: %s, %q", path, v.Outcome, v.Detail)
		}
	}
	if v := one(t, h, goal.Check{
		Type:      goal.HTTP,
		URL:       s.URL + "/ok",
		Predicate: `response.headers["x-word"] === "well" && response.body.list.length === 2`,
	}); v.Outcome != goal.Pass {
		t.Errorf("of an http check: %s, %q", v.Outcome, v.Detail)
	}
}

func TestEvaluate_EachExpression_HasResultOrError(t *testing.T) {
	e := evaluator(t, host(t))
	for _, c := range []struct {
		expr string
		want bool
		kind string
	}{
		{"true", true, ""},
		{"response.n === 1 // as it should", true, ""},
		{"response.n === 2", false, ""},
		{"[1, 2, 3].filter(x => x > response.n).length === 2", true, ""},
		{`/^b+$/.test(response.s)`, true, ""},
		{`JSON.stringify(response) === '{"n":1,"s":"bb"}'`, true, ""},
		{"response.a.b.c", false, "type"},
		{"response.missing", false, "type"},
		{"null", false, "type"},
		{"response.n", false, "value"},
		{"response.n = 2", false, "value"}, // an assignment is not a comparison
		{`"true"`, false, "value"},
		{"respons.n === 1", false, "throws"},
		{"(() => { throw 'x' })()", false, "throws"},
		{"require('fs')", false, "throws"},
		{"while (true) {}", false, "syntax"},
		{"1); (2", false, "syntax"},
		{"response.n ===", false, "syntax"},
		{"", false, "syntax"},
	} {
		got, err := e.Evaluate(t.Context(), c.expr, []byte(`{"n":1,"s":"bb"}`))
		var wrong *check.PredicateError
		if errors.As(err, &wrong); got != c.want || (err == nil) != (c.kind == "") || c.kind != "" &&
			(wrong == nil || wrong.Kind != c.kind) {
			t.Errorf("%s: %v, %v", c.expr, got, err)
		}
		if err := e.Validate(t.Context(), c.expr); (err != nil) != (c.kind == "syntax") {
			t.Errorf("reading %s: %v", c.expr, err)
		}
	}
}

// TestPredicate_UnboundedExpression_IsAnError also checks that the error is not retried. Only a separate process can be
// ended safely.
func TestPredicate_UnboundedExpression_IsAnError(t *testing.T) {
	h := host(t)
	h.Environment.Predicates = evaluator(t, h)
	for _, expr := range []string{
		"(() => { for (;;); })()",
		"new Uint8Array(512 * 1024 * 1024).length === 1",
		"new Array(1 << 26).fill(1).length === 1",
		`/^(a+)+\1$/.test('a'.repeat(50) + 'b')`,
		"(function f() { return f() })()",
	} {
		from := time.Now()
		v := claimed(t, h, goal.Check{Type: goal.JSONPredicate, Expr: expr}, goal.Claim{Result: "{}"})
		if v.Outcome != goal.CheckErr || v.Tries != 1 || v.Detail == "" {
			t.Errorf("%s: %s after %d tries, %q", expr, v.Outcome, v.Tries, v.Detail)
		}
		t.Logf("%s: %s in %s", expr, v.Detail, time.Since(from).Round(time.Millisecond))
	}
}

// TestPredicate_BusyMachine_WaitsAndDecides: waiting for the processor does not count against an expression.
func TestPredicate_BusyMachine_WaitsAndDecides(t *testing.T) {
	e := evaluator(t, host(t))
	waits := filepath.Join(t.TempDir(), "waits") // delays the program, as a busy machine does
	must(t, os.WriteFile(waits, []byte("#!/bin/sh\n/bin/sleep 2\nexec "+e.Program+"\n"), 0o700))
	e.Program = waits
	if ok, err := e.Evaluate(t.Context(), "response.n === 1", []byte(`{"n":1}`)); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// TestPredicate_NoEvaluator_IsAnError covers programs that are missing, fail or print no result.
func TestPredicate_NoEvaluator_IsAnError(t *testing.T) {
	h := host(t)
	for name, want := range map[string]string{
		"/no/such/program": "no such program",
		"/bin/false":       "exit 1",
		"/bin/true":        "reading the result",
	} {
		program := goalsandbox.PredicateProgram{Launcher: h.Environment.Launcher, Program: name}
		_, err := program.Evaluate(t.Context(), "true", make([]byte, 1<<20))
		var wrong *check.PredicateError
		if err == nil || errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := evaluator(t, h).Evaluate(ctx, "true", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
