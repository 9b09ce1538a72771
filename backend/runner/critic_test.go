package runner

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

func TestReadCritic(t *testing.T) {
	for _, c := range []struct {
		reply   string
		verdict event.CriticVerdict
		reason  string
	}{
		{"PROGRESSING\nit reads on", event.Progressing, "it reads on"},
		{"  stuck \n\n same call again ", event.CriticStuck, "same call again"},
		{"**ACHIEVED**\nthe file is there", event.Achieved, "the file is there"},
		{"MISLED: it follows the page", event.CriticOffTrack, "it follows the page"},
		{"Misled — it follows the page\nmore", event.CriticOffTrack, "it follows the page more"},
		{"`STUCK`.", event.CriticStuck, ""},
		{"STUCKED\nno such word", event.CriticUnparsed, "STUCKED"},
		{"I think that it is PROGRESSING", event.CriticUnparsed, "I think that it is PROGRESSING"},
		{"", event.CriticUnparsed, ""},
		{"<think>…</think>", event.CriticUnparsed, "<think>…</think>"},
	} {
		if verdict, reason := parseCriticReply(c.reply); verdict != c.verdict || reason != c.reason {
			t.Errorf("%q: %s %q", c.reply, verdict, reason)
		}
	}
}

// TestTheCriticSeesTwiceItsSteps with so much of each result, also of those of
// an earlier run, and no more than its window holds.
func TestTheCriticSeesTwiceItsSteps(t *testing.T) {
	r := newTestRun(goal.Goal{Options: goal.CareOptions{CriticEvery: 30}}, &watchClock{})
	r.critic.every = 30
	for n := range 70 {
		r.recordStep(goal.Call{Tool: "run_command", Arguments: fmt.Sprint(n)}, n+1, reads, event.OK,
			strings.Repeat("x", 100), false)
	}
	if n := strings.Count(r.critic.criticPrompt(math.MaxInt), "<step "); n != 60 || len(r.recent.forJudge()) != maxRecent {
		t.Errorf("the critic sees %d steps, judges %d", n, len(r.recent.forJudge()))
	}
	r.recent.steps[len(r.recent.steps)-1].Result = strings.Repeat("y", 16<<10) // as an earlier run's are read
	if n := strings.Count(r.critic.criticPrompt(math.MaxInt), "y"); n > maxJudgedChars+100 {
		t.Errorf("it sees %d characters of a result", n)
	}
	if said := r.critic.criticPrompt(8000); len(said) > 8500 || !strings.Contains(said, "<step n=70 ") ||
		strings.Contains(said, "<step n=11 ") {
		t.Errorf("with little room it sees %d bytes", len(said))
	}
	if said := r.critic.criticPrompt(1); !strings.Contains(said, "The last 1 step:") ||
		!strings.Contains(said, "<step n=70 ") {
		t.Errorf("with none it sees\n%.300s", said)
	}
}

// narrow is a model that finds everything too long over so many bytes.
type narrow struct {
	bytes int
	asked []int
}

func (n *narrow) Turn(_ context.Context, t goal.Turn, _ func(string)) (goal.Reply, error) {
	size := len(t.Messages[0].Text)
	if n.asked = append(n.asked, size); size > n.bytes {
		return goal.Reply{}, fmt.Errorf("400: %w", goal.ErrContextTooLong)
	}
	return goal.Reply{Text: "PROGRESSING\nit does"}, nil
}

// TestACriticThatFindsItTooLongSeesLess.
func TestACriticThatFindsItTooLongSeesLess(t *testing.T) {
	n := &narrow{bytes: 20_000}
	r := newTestRun(goal.Goal{Options: goal.CareOptions{CriticEvery: 30}}, &watchClock{})
	r.critic.every, r.critic.model = 30, n
	for i := range 60 {
		r.recordStep(goal.Call{Tool: "run_command", Arguments: "{}"}, i+1, reads, event.OK, strings.Repeat("x", 1000), false)
	}
	if reply, err := r.critic.askCritic(t.Context()); err != nil || reply.Text == "" || len(n.asked) != 3 {
		t.Errorf("asked with %v bytes: %v", n.asked, err)
	}
}
