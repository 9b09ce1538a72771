package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

func criterion(t *testing.T, text string) (CriterionFile, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "done.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadCriterion(file)
}

func TestReadCriterion_EveryTypeOfCheck_IsRead(t *testing.T) {
	text := `any: true
checks:
  - {type: shell, command: make test, exit_code: 1, dir: web}
  - {type: http, url: "http://127.0.0.1:8080/", status: 201, body_contains: ok}
  - {type: file, path: a.txt, min_size: 3}
  - {type: json_predicate, expr: response.ok, from: file, path: out.json}
  - {type: visual, question: "is it blue?"}
  - {type: model_question, question: "is it clear?", threshold: high_confidence}
  - {type: manual, note: look, wait: true}
`
	got, err := criterion(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if got.Text != text || !got.Criterion.Any || len(got.Criterion.Checks) != 7 {
		t.Fatalf("%+v", got)
	}
	if c := got.Criterion.Checks[6]; c.Type != goal.Manual || !c.Wait {
		t.Errorf("%+v", c)
	}
}

// TestReadCriterion_ForbiddenFields_AreRefused also checks the messages about other faults.
func TestReadCriterion_ForbiddenFields_AreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"checks:\n  - {type: shell, command: x, where: host}": "only the user may",
		"checks:\n  - {type: shell, command: x, Where: host}": "only the user may",
		"risk: spends_money\nchecks: [{type: manual}]":        "only the user may",
		"hosts: [example.org]\nchecks: [{type: manual}]":      "only the user may",
		"unconfined: true\nchecks: [{type: manual}]":          "only the user may",
		"speed: 9\nchecks: [{type: manual}]":                  "unknown field",
		"checks:\n  - {type: shell, comand: x}":               "comand",
		"checks:\n  - {type: guess}":                          "unknown type",
		"checks:\n  - {type: file, path: /etc/passwd}":        "not inside",
		"checks: []": "no check",
		"checks: 7":  "checks",
		"":           "YAML",
		"\tx":        "YAML",
		"checks: [{type: manual}]\n---\nchecks: [{type: manual}]": "more than one document",
		"checks: [{type: manual, 1: 2}]":                          "check 1 is not written as fields",
		"a: &a [1,1]\nchecks: &b [*a,*a]\nany: true":              "unknown field",
		"checks: make test":                                       "checks must be a list, not a text",
		"checks: [make test]":                                     "check 1 is not written as fields",
		"checks: [{type: shell, command: x, exit_code: " +
			"no}]": "checks.exit_code must be a whole number, not a text",
		"checks: [{type: shell, command: x, timeout: 10}]":                    `check 1 has the unknown field "timeout"`,
		"checks: [{type: manual}]\n" + strings.Repeat("# filler\n", 64<<10/8): "larger than 64 KiB",
	} {
		_, err := criterion(t, text)
		var invalid *fault.Error
		if !errors.As(err, &invalid) || !strings.Contains(invalid.Message, want) || invalid.Field != "criterion" ||
			invalid.Hint == "" {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"timeout: 10": "timeout_ms, in milliseconds",
		"comand: x":   "type, timeout_ms, command,",
	} {
		var invalid *fault.Error
		if _, err := criterion(t, "checks: [{type: shell, "+text+"}]"); !errors.As(err, &invalid) ||
			!strings.Contains(invalid.Hint, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ReadCriterion(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := ReadCriterion(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

func FuzzParseCriterion(f *testing.F) {
	f.Add([]byte("checks: [{type: shell, command: x}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, refusal := parseCriterion(b)
		if refusal != nil {
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%q was taken: %v", b, err)
		}
		for _, check := range c.Checks {
			if check.Where != "" {
				t.Errorf("%q chose where it runs", b)
			}
		}
	})
}
