package goal

import (
	"strings"
	"testing"
)

const failedOutput = `=== RUN   TestSecret
--- FAIL: TestSecret (0.00s)
    secret_test.go:7: want 42
FAILED tests/test_price.py::test_total - assert 41 == 42
FAIL: test_sum (test_price.Sums)
test prices::rounding ... FAILED
not ok 3 - adds the answer 42 up # time=1
  ● cart › shows the total
E       assert 41 == 42
`

func TestLimitVerdicts_Levels_ShowNoMoreThanTheUserAllows(t *testing.T) {
	g := Goal{Request: Request{
		Criterion: Criterion{Checks: []Check{{Type: Shell, Command: "make test"}, {Type: HTTP}}},
	}}
	whole := []Verdict{
		{Outcome: Fail, ExitCode: 1, Detail: "exit 1, 1 test ran", Tail: "want 42", Output: []byte(failedOutput), Bytes: 900},
		{Check: 1, Outcome: Fail, Detail: "status 500", Tail: "oops"},
		{Check: 2, Outcome: Fail, Detail: "the reviewer rejected it"},
	}
	if got := g.LimitVerdicts(whole)[0]; got.Tail != "want 42" || got.Bytes != 900 {
		t.Errorf("full is the default: %+v", got)
	}
	g.Policy.CheckDir = "/hidden"
	exit := g.LimitVerdicts(whole)
	if v := exit[0]; strings.Contains(v.Detail+v.Tail, "4") || len(v.Output) > 0 || v.Bytes != 0 || v.Evidence != "" ||
		!strings.Contains(v.Detail, "exit 1") {
		t.Errorf("exit: %+v", v)
	}
	if exit[1].Tail != "oops" || exit[2].Detail != "the reviewer rejected it" {
		t.Errorf("what reads no files of the checks is limited: %+v", exit[1:])
	}
	if whole[0].Tail == "" {
		t.Error("the verdicts for the journal were changed")
	}
	g.Options.CheckOutput = CheckOutputNames
	names := g.LimitVerdicts(whole)[0]
	for _, want := range []string{
		"TestSecret", "tests/test_price.py::test_total", "test_sum (test_price.Sums)", "prices::rounding",
		"adds the answer 42 up", "cart › shows the total",
	} {
		if !strings.Contains(names.Detail, want) {
			t.Errorf("names: %q is missing in %q", want, names.Detail)
		}
	}
	if strings.Contains(names.Detail, "assert") || strings.Contains(names.Detail, "want") || names.Tail != "" {
		t.Errorf("names: %+v", names)
	}
	g.Options.CheckOutput = CheckOutputFull
	if got := g.LimitVerdicts(whole)[0]; got.Tail != "want 42" {
		t.Errorf("full: %+v", got)
	}
}
