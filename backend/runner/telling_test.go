package runner

import (
	"context"
	"strings"
	"testing"

	"goalpost/backend/goal"
)

// littered is a room that knows of many things to look at.
type littered struct{ Room }

func (littered) World() World { return still{} }
func (littered) Leftovers() []string {
	return []string{"git would obey this", "the copy was changed", "files lie in /tmp"}
}

func (still) Changed(context.Context) (string, error) { return "1 file changed: a", nil }

// TestAReportHasAtMostFiveBullets, whatever was left behind; nothing of that is left out.
func TestAReportHasAtMostFiveBullets(t *testing.T) {
	r := &Run{cfg: Config{Clock: &watchClock{}}, room: littered{}, claims: newClaims(1), todos: []goal.Todo{{Text: "more"}}}
	r.claims.last = []goal.Verdict{{Name: "make test", Outcome: goal.Fail, Detail: "exit 1"}}
	for _, stop := range []*Stop{{Exit: goal.Stuck, Reason: "nothing moved"}, {Exit: goal.Done}} {
		r.claims.accepted = &claim{rationale: "it works"}
		bullets := r.report(t.Context(), stop)
		if len(bullets) != 5 {
			t.Errorf("%s: %d bullets: %q", stop.Exit, len(bullets), bullets)
		}
		if want := "1 file changed: a. git would obey this. the copy was changed. files lie in /tmp"; bullets[2] != want {
			t.Errorf("%s: %q, want %q", stop.Exit, bullets[2], want)
		}
	}
}

// TestAnErrorIsTheSameWhateverItsNumbers: ports, times and ids differ each time.
func TestAnErrorIsTheSameWhateverItsNumbers(t *testing.T) {
	for _, c := range []struct {
		details []string
		asks    bool
	}{
		{[]string{"dial 127.0.0.1:43122: refused", "dial 127.0.0.1:51000: refused", "dial 127.0.0.1:9: refused"}, true},
		{[]string{"asking the judge: request id 7f3ab9", "asking the judge: request id 0011cd", "asking the judge: request id 9"}, true},
		{[]string{"overloaded (req_011CSHoEeqs5C35K)", "overloaded (req_022DTIpFfrt6D46L)", "overloaded (req_99xzX8aaaaaa)"}, true},
		{[]string{"dial 127.0.0.1:43122: refused", "it did not end within 2s", "dial 127.0.0.1:9: refused"}, false},
	} {
		k := newClaims(0)
		for _, d := range c.details {
			k.last = []goal.Verdict{{Outcome: goal.CheckErr, Detail: d}}
			k.count(k.last)
		}
		if stop := k.stop(0); (stop != nil) != c.asks || stop != nil && stop.Exit != goal.NeedsOperator {
			t.Errorf("%q: %v", c.details, stop)
		}
	}
}

// TestTheWholePlanOutlivesASummary: what is ticked off is told, too, so that it is not done again.
func TestTheWholePlanOutlivesASummary(t *testing.T) {
	r := &Run{todos: []goal.Todo{{Text: "dig", Done: true}, {Text: "plant"}}, conversation: *talk(60, 2000)}
	r.conversation.cut(0, 0, r.todoList())
	if got := text(&r.conversation); !strings.Contains(got, planMark+"\n1. [x] dig\n2. [ ] plant") {
		t.Errorf("the plan is not told:\n%.2000s", got)
	}
}
