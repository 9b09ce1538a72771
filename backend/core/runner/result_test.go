package runner

import (
	"strings"
	"testing"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/goal"
)

// TestResult_TooLong_TakesATenthOfTheWindow: a page is not shortened.
func TestResult_TooLong_TakesATenthOfTheWindow(t *testing.T) {
	const least = 2 << 10 // bytes, whatever the window
	long := strings.Repeat("x", 60<<10)
	for window, want := range map[int]int{0: 60 << 10, 24_000: 8000, 1000: least, 1_000_000: 60 << 10} {
		r := goal.Result{Text: long}
		if truncateResult(&r, 1, conversation.MaxResultBytes(window)); len(r.Text) > want+200 || len(r.Text) < want {
			t.Errorf("of a window of %d tokens: %d bytes", window, len(r.Text))
		}
	}
	if r := (goal.Result{Text: long, More: &goal.Continuation{}}); truncateResult(&r, 1, least) || r.Text != long {
		t.Error("a page was cut")
	}
}
