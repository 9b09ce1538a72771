package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

func TestParseCriticReply_EachVerdict_IsRead(t *testing.T) {
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

// criticRun returns a run with a critic that is due each turn. The agent has spent the given tokens and made the given
// steps.
func criticRun(m Model, tokens int64, steps int) *Run {
	r := newTestRun(
		goal.Goal{Request: goal.Request{Objective: "sort it", Options: goal.Options{CriticEvery: 30}}},
		&watchClock{},
	)
	r.journal.log = discardLog{}
	r.critic.every, r.critic.model, r.critic.history = 1, m, backgrounds{}
	r.goal.Spent.TokensIn = tokens
	r.addSteps(1, steps, strings.Repeat("x", 1000))
	return r
}

func (r *Run) addSteps(from, to int, result string) {
	for n := from; n <= to; n++ {
		r.recordStep(goal.Call{Tool: "run_command", Arguments: fmt.Sprint(n)}, n, reads, event.OK, result, false)
	}
}

// backgrounds is a History that knows only one background.
type backgrounds struct {
	History
	background goal.Background
}

func (b backgrounds) Background(context.Context, goal.ID) (goal.Background, error) {
	return b.background, nil
}

// discardLog is an event log that stores nothing.
type discardLog struct{}

func (discardLog) Append(context.Context, goal.Run, ...event.Body) error { return nil }

// askCritic finishes a turn in which the critic is due, and the next one, after which its reply counts.
func (r *Run) askCritic(t *testing.T) {
	t.Helper()
	for range 2 {
		if stop := r.critic.finishTurn(t.Context()); stop != nil {
			t.Fatal(stop)
		}
	}
}

// critics is a model that answers PROGRESSING. It refuses requests over the given bytes as too long.
type critics struct {
	bytes int // 0 is no limit
	usage func(sent int) goal.Usage
	asked []string
	sizes []int
}

func (c *critics) Turn(_ context.Context, t goal.Turn, _ func(string)) (goal.Reply, error) {
	size := len(t.Messages[0].Text)
	c.sizes = append(c.sizes, size)
	if c.bytes > 0 && size > c.bytes {
		return goal.Reply{}, fmt.Errorf("400: %w", goal.ErrContextTooLong)
	}
	c.asked = append(c.asked, t.Messages[0].Text)
	reply := goal.Reply{Text: "PROGRESSING\nit does"}
	if c.usage != nil {
		reply.Usage = c.usage(size + len(t.System))
	}
	return reply, nil
}

func TestCritic_RepliesTooLong_SeesLess(t *testing.T) {
	n := &critics{bytes: 3_000}
	r := criticRun(n, 10_000_000, 60)
	r.askCritic(t)
	if len(n.sizes) != 3 || len(n.asked) != 1 {
		t.Errorf("asked with %v bytes", n.sizes)
	}
}

// TestCritic_EachRequest_ShowsWhatWasDoneAndSaidInShort: steps since it last looked, or the last ten, words of the
// user and of the agent, plan, claims with answers, and no long texts.
func TestCritic_EachRequest_ShowsWhatWasDoneAndSaidInShort(t *testing.T) {
	n := &critics{}
	r := criticRun(n, 100_000_000, 30)
	r.critic.history = backgrounds{background: goal.Background{
		Words:  []goal.UserWord{{Question: "Which separator?", Text: "semicolon"}},
		Plan:   []goal.Todo{{Text: "read it", Done: true}, {Text: "sort it"}},
		Notes:  []goal.Note{{N: 4, Text: "the file ends with a blank line"}},
		Claims: []goal.PastClaim{{N: 1, Rationale: "it is sorted", Answer: "check 1 (sort -c): exit 1"}},
	}}
	r.messages.Add(goal.Message{Role: goal.Assistant, Text: "I try again"}, goal.Message{Role: goal.ToolRole, Step: 30})
	r.askCritic(t)
	r.addSteps(31, 33, "fresh\nStep 99: claim, ok"+strings.Repeat("y", 6000))
	r.askCritic(t)
	for i, want := range [][]string{
		{
			`to the question "Which separator?": semicolon`, "1. [x] read it\n2. [ ] sort it",
			"the file ends with a blank line",
			"claim 1: it is sorted → failed: check 1 (sort -c): exit 1", "step 1: run_command 1 → ok: xxx",
			"the agent said: I try again\nstep 30: run_command 30 → ok: xxx",
		},
		{"Your comment up to step 30: PROGRESSING, it does", "\nstep 24: ", "\nstep 33: run_command 33 → ok: fresh\n"},
	} {
		for _, one := range want {
			if !strings.Contains(n.asked[i], one) {
				t.Errorf("request %d does not show %q:\n%s", i, one, n.asked[i])
			}
		}
		if len(n.asked[i]) > maxCriticBytes || strings.Contains(n.asked[i], "\nStep 99") {
			t.Errorf("request %d has %d bytes:\n%s", i, len(n.asked[i]), n.asked[i])
		}
	}
	if strings.Contains(n.asked[1], "step 23:") {
		t.Errorf("the second request repeats more than ten steps:\n%s", n.asked[1])
	}
}

// TestCritic_CostsAtMostATenth checks the critic's share of a goal's tokens for different numbers of tokens per byte,
// and that the critic is still asked.
func TestCritic_CostsAtMostATenth(t *testing.T) {
	for _, perByte := range []float64{0.1, 0.3, 0.5} {
		n := &critics{}
		n.usage = func(sent int) goal.Usage {
			return goal.Usage{TokensIn: int64(float64(sent) * perByte), TokensOut: 400}
		}
		r := criticRun(n, 0, 0)
		var spent int64
		for turn := range 100 {
			r.goal.Spent.TokensIn += 10_000
			r.goal.Spent.TokensOut += 100
			r.addSteps(2*turn+1, 2*turn+2, strings.Repeat("z", 3000))
			if stop := r.critic.finishTurn(t.Context()); stop != nil {
				t.Fatal(stop)
			}
			if spent = r.critic.cost.tokens; spent*10 > r.goal.Spent.TokensIn+r.goal.Spent.TokensOut && perByte <= 0.3 {
				t.Fatalf("%g: after turn %d the critic took %d of %d tokens", perByte, turn, spent, r.goal.Spent.TokensIn)
			}
		}
		r.critic.close(t.Context())
		if total := r.goal.Spent.TokensIn + r.goal.Spent.TokensOut; len(n.asked) < 5 || spent*10 > total {
			t.Errorf("%g: %d requests for %d of %d tokens", perByte, len(n.asked), spent, total)
		}
	}
}

func TestCritic_TooFewTokensSpent_StaysDue(t *testing.T) {
	n := &critics{}
	r := criticRun(n, 2_000, 3)
	r.askCritic(t)
	if len(n.asked) != 0 {
		t.Fatal("it was asked at once")
	}
	r.goal.Spent.TokensIn = 60_000
	r.askCritic(t)
	if len(n.asked) != 1 {
		t.Errorf("it was asked %d times once the goal has spent enough", len(n.asked))
	}
}

// TestCritic_SlowReply_DoesNotHoldTheRunUp checks that the run waits for the critic only once, and that the late reply
// still counts.
func TestCritic_SlowReply_DoesNotHoldTheRunUp(t *testing.T) {
	answer := make(chan struct{})
	r := criticRun(modelFunc(func(ctx context.Context) (goal.Reply, error) {
		select {
		case <-answer:
			return goal.Reply{Text: "STUCK\nin a circle"}, nil
		case <-ctx.Done():
			return goal.Reply{}, ctx.Err()
		}
	}), 1_000_000, 3)
	due := &expiredClock{}
	r.critic.clock = due
	for range 3 {
		if stop := r.critic.finishTurn(t.Context()); stop != nil {
			t.Fatal(stop)
		}
	}
	if due.asked != 1 || len(r.messages.Messages()) != 0 {
		t.Errorf("it waited %d times", due.asked)
	}
	close(answer)
	<-r.critic.request.done
	if stop := r.critic.finishTurn(t.Context()); stop != nil {
		t.Fatal(stop)
	}
	if list := r.messages.Messages(); len(list) != 1 ||
		!strings.Contains(list[0].Text, "up to step 3 and says that you are stuck: in a circle") {
		t.Errorf("%+v", list)
	}
}

// TestCritic_RunEnds_CancelsTheRequest also checks that a cancelled request costs nothing.
func TestCritic_RunEnds_CancelsTheRequest(t *testing.T) {
	r := criticRun(modelFunc(func(ctx context.Context) (goal.Reply, error) {
		<-ctx.Done()
		return goal.Reply{}, ctx.Err()
	}), 1_000_000, 3)
	if stop := r.critic.finishTurn(t.Context()); stop != nil || r.critic.request == nil {
		t.Fatalf("not asked: %v", stop)
	}
	r.critic.close(t.Context())
	if r.critic.request != nil || r.goal.Spent.TokensIn != 1_000_000 {
		t.Error("the request is still there, or was counted")
	}
}

// modelFunc is a function that implements Model.
type modelFunc func(ctx context.Context) (goal.Reply, error)

func (m modelFunc) Turn(ctx context.Context, _ goal.Turn, _ func(string)) (goal.Reply, error) {
	return m(ctx)
}

// expiredClock is a clock on which every wait is over at once.
type expiredClock struct {
	watchClock
	asked int
}

func (e *expiredClock) After(time.Duration) <-chan time.Time {
	e.asked++
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
}

// TestCritic_Restored_CountsTurns checks that only turns in which the agent acted since the last request count.
func TestCritic_Restored_CountsTurns(t *testing.T) {
	r := criticRun(&critics{}, 0, 0)
	turn := func(steps ...int) []goal.Message {
		list := []goal.Message{{Role: goal.Assistant}}
		for _, n := range steps {
			list = append(list, goal.Message{Role: goal.ToolRole, Step: n})
		}
		return list
	}
	// step 3 was a call of a control tool, which is not among the steps
	messages := slices.Concat(turn(1, 2), turn(3), turn(4, 5), turn(6))
	past := goal.RunHistory{Looked: 2, Steps: []goal.Step{{N: 1}, {N: 2}, {N: 4}, {N: 5}, {N: 6}}, CriticTokens: 77}
	if r.critic.restore(past, messages); r.critic.turns != 2 || r.critic.cost.tokens != 77 {
		t.Errorf("%d turns, %d tokens", r.critic.turns, r.critic.cost.tokens)
	}
}
