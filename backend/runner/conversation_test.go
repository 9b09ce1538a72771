package runner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// talk is a conversation of n steps with results of the given size, a note of the
// user and a failed claim on the way.
func talk(n, bytes int) *conversation {
	c := &conversation{}
	c.add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("c%d", i)
		c.add(goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: "read_file", Arguments: fmt.Sprintf(`{"path":"f%d"}`, i)}}})
		c.add(goal.Message{Role: goal.ToolRole, CallID: id, Step: i, Text: fmt.Sprintf("result %d\n%s", i, strings.Repeat("x", bytes))})
		if i == 2 {
			c.add(goal.Message{Role: goal.User, Text: notePrefix + "use tabs"})
		}
		if i == 3 || i == 4 {
			c.add(goal.Message{Role: goal.User, Text: fmt.Sprintf("%sfault %d", failurePrefix, i)})
		}
	}
	return c
}

// whole holds what must be true of every conversation.
func whole(t *testing.T, c *conversation) {
	t.Helper()
	calls, bytes := map[string]bool{}, 0
	for _, m := range c.messages {
		bytes += size(m)
		for _, call := range m.Calls {
			calls[call.ID] = true
		}
		if m.Role == goal.ToolRole && !calls[m.CallID] {
			t.Errorf("the result of %s has lost its call", m.CallID)
		}
	}
	if c.messages[0].Text != "Goal: tidy up" {
		t.Errorf("the objective is gone: %q", c.messages[0].Text)
	}
	if bytes != c.bytes {
		t.Errorf("%d bytes counted, %d there", c.bytes, bytes)
	}
}

func text(c *conversation) string {
	var b strings.Builder
	for _, m := range c.messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// TestASmallConversationIsLeftAlone, and one whose window is not known.
func TestASmallConversationIsLeftAlone(t *testing.T) {
	c := talk(20, 100)
	before := text(c)
	if c.fitWindow(100_000, 0, "") || c.fitWindow(0, 1<<30, "") || text(c) != before {
		t.Error("it was cut")
	}
}

// TestOldResultsBecomeStubsFirst: the newest ten steps and every call stay.
func TestOldResultsBecomeStubsFirst(t *testing.T) {
	c := talk(40, 4000) // about 170 KB, 51,000 tokens at the first guess
	if !c.fitWindow(60_000, 1000, "") {
		t.Fatal("it was not cut")
	}
	whole(t, c)
	got := text(c)
	for i := 31; i <= 40; i++ {
		if !strings.Contains(got, fmt.Sprintf("result %d\n", i)) {
			t.Errorf("the result of step %d is gone", i)
		}
	}
	if strings.Contains(got, "result 1\n") || !strings.Contains(got, `read_evidence with the handle "step:1"`) {
		t.Error("step 1 has no stub")
	}
	if strings.Contains(got, summaryPrefix) {
		t.Error("turns were left out although stubs were enough")
	}
	if most := 60_000 / tokensPerByte * shrinkTo / 100; float64(c.bytes) > most {
		t.Errorf("%d bytes are left, at most %.0f wanted", c.bytes, most)
	}
}

// TestOldTurnsBecomeASummary that keeps the user's notes, the last failure and
// the open plan, also when it is made again and again.
func TestOldTurnsBecomeASummary(t *testing.T) {
	c := talk(60, 2000)
	for range 3 {
		c.shrink(0, 0, "2. sweep")
		whole(t, c)
	}
	got := text(c)
	for _, want := range []string{notePrefix + "use tabs", failurePrefix + "fault 4", "2. sweep", `step 1: read_file {"path":"f1"}: `, "step 50: ", "result 60\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is gone", want)
		}
	}
	c.shrink(0, 0, "3. mop")
	if again := text(c); strings.Contains(again, "2. sweep") || strings.Count(again, "3. mop") != 1 {
		t.Error("the plan of an earlier summary is told as though it were open")
	}
	if strings.Contains(got, "fault 3") || strings.Count(got, summaryPrefix) != 1 {
		t.Error("an old failure or a second summary is there")
	}
}

// TestCutsKeepConversationsWhole, whatever their shape.
func TestCutsKeepConversationsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := talk(r.IntN(80), r.IntN(3000))
		for range 1 + r.IntN(3) {
			c.shrink(r.IntN(100_000), r.IntN(150_000), []string{"", "1. more"}[r.IntN(2)])
			whole(t, c)
			id := fmt.Sprintf("more%d", r.Int())
			c.add(goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: "x"}}}, goal.Message{Role: goal.ToolRole, CallID: id, Step: 1000, Text: strings.Repeat("y", r.IntN(2000))})
		}
	}
}

// TestTheGuessIsCorrected by what the provider counts.
func TestTheGuessIsCorrected(t *testing.T) {
	c := talk(10, 1000)
	c.calibrate(int64(c.bytes), 0) // a token a byte, as for text in a rare script
	if !c.fitWindow(c.bytes, 0, "") {
		t.Error("a full window was not noticed")
	}
	c.calibrate(0, 0)
	if c.perByte != 1 {
		t.Errorf("%v: a provider that does not count changed the guess", c.perByte)
	}
}

// TestPagesPutTogetherAreTheWhole, cut between characters.
func TestPagesPutTogetherAreTheWhole(t *testing.T) {
	kept := strings.Repeat("añb語", 20_000)
	var got strings.Builder
	for cursor := int64(0); ; {
		p, err := pageAt([]byte(kept), cursor, evidencePageBytes)
		if err != nil || !utf8.ValidString(p.Content) || p.TotalBytes != int64(len(kept)) || len(p.Content) > evidencePageBytes {
			t.Fatalf("at %d: %d bytes of %d, %v", cursor, len(p.Content), p.TotalBytes, err)
		}
		got.WriteString(p.Content)
		if cursor = p.NextCursor; !p.HasMore {
			break
		}
	}
	if got.String() != kept {
		t.Error("the pages are not the whole")
	}
	for _, cursor := range []int64{-1, int64(len(kept)) + 1} {
		if _, err := pageAt([]byte(kept), cursor, evidencePageBytes); err == nil {
			t.Errorf("the cursor %d was taken", cursor)
		}
	}
}

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

// TestClaimsAreCountedByCheck: a pass and another error start again.
func TestClaimsAreCountedByCheck(t *testing.T) {
	v := func(check int, o goal.Outcome, detail string) goal.Verdict {
		return goal.Verdict{Check: check, Name: "c", Outcome: o, Detail: detail}
	}
	try := func(rounds ...[]goal.Verdict) *Stop {
		c := newClaims(0)
		for _, verdicts := range rounds {
			c.last = verdicts
			c.record(verdicts)
		}
		return c.stopReason(5)
	}
	fail, pass, broken, other := []goal.Verdict{v(0, goal.Fail, "d")}, []goal.Verdict{v(0, goal.Pass, "")}, []goal.Verdict{v(0, goal.CheckErr, "e")}, []goal.Verdict{v(0, goal.CheckErr, "f")}
	for name, c := range map[string]struct {
		rounds [][]goal.Verdict
		want   goal.Exit
	}{
		"four failures":              {[][]goal.Verdict{fail, fail, fail, fail}, ""},
		"five failures":              {[][]goal.Verdict{fail, fail, fail, fail, fail}, goal.Stuck},
		"a pass between":             {[][]goal.Verdict{fail, fail, pass, fail, fail, fail}, ""},
		"the same error three times": {[][]goal.Verdict{broken, broken, broken}, goal.NeedsUser},
		"another error between":      {[][]goal.Verdict{broken, broken, other, broken}, ""},
		"errors and failures mixed":  {[][]goal.Verdict{broken, fail, broken, fail, broken}, goal.Stuck},
	} {
		stop := try(c.rounds...)
		if (stop == nil) != (c.want == "") || stop != nil && stop.Exit != c.want {
			t.Errorf("%s: %v", name, stop)
		}
	}
}

// TestTheWindowDecidesOverTheLastStepsToo: where they alone overrun it, the oldest
// of them go first, and the newest result stays.
func TestTheWindowDecidesOverTheLastStepsToo(t *testing.T) {
	const window, besides = 24_000, 20_000
	for name, c := range map[string]*conversation{
		"three long results": talk(3, 18<<10),
		"eleven":             talk(11, 9<<10),
		"long arguments":     written(6, 15<<10),
		"one turn":           batch(8, 9<<10),
	} {
		newest := c.messages[c.lastResult()].Text
		if !c.fitWindow(window, besides, "") {
			t.Errorf("%s: nothing was cut", name)
		}
		whole(t, c)
		if most := int(window/tokensPerByte) * shrinkAbove / 100; c.bytes+besides > most {
			t.Errorf("%s: %d bytes are left, of %d", name, c.bytes+besides, most)
		}
		if !strings.Contains(text(c), newest) {
			t.Errorf("%s: the newest result is gone", name)
		}
	}
}

// written is a conversation of calls with long arguments.
func written(n, bytes int) *conversation {
	c := &conversation{}
	c.add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("c%d", i)
		c.add(goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: "write_file", Arguments: strings.Repeat("x", bytes)}}})
		c.add(goal.Message{Role: goal.ToolRole, CallID: id, Step: i, Text: fmt.Sprintf("written %d", i)})
	}
	return c
}

// batch is a conversation of one turn with many calls.
func batch(n, bytes int) *conversation {
	c := &conversation{}
	c.add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	var calls []goal.Call
	for i := range n {
		calls = append(calls, goal.Call{ID: fmt.Sprint("c", i), Tool: "read_file"})
	}
	c.add(goal.Message{Role: goal.Assistant, Calls: calls})
	for i := range n {
		c.add(goal.Message{Role: goal.ToolRole, CallID: fmt.Sprint("c", i), Step: i + 1, Text: fmt.Sprint("result ", i, strings.Repeat("x", bytes))})
	}
	return c
}

// TestAResultTakesATenthOfTheWindow at most; a page stays as long as it says.
func TestAResultTakesATenthOfTheWindow(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for window, want := range map[int]int{0: 60 << 10, 24_000: 8000, 1000: minResultBytes, 1_000_000: 60 << 10} {
		r := goal.Result{Text: long}
		if truncateResult(&r, 1, maxResultBytes(window)); len(r.Text) > want+200 || len(r.Text) < want {
			t.Errorf("of a window of %d tokens: %d bytes", window, len(r.Text))
		}
	}
	if r := (goal.Result{Text: long, More: &goal.Continuation{}}); truncateResult(&r, 1, minResultBytes) || r.Text != long {
		t.Error("a page was cut")
	}
}

// TestTheCriticSeesTwiceItsSteps with so much of each result, also of those of
// an earlier run, and no more than its window holds.
func TestTheCriticSeesTwiceItsSteps(t *testing.T) {
	r := &Run{goal: goal.Goal{Options: goal.CareOptions{CriticEvery: 30}}, critic: critic{every: 30}}
	for n := range 70 {
		r.recordStep(goal.Call{Tool: "run_command", Arguments: fmt.Sprint(n)}, n+1, reads, event.OK, strings.Repeat("x", 100), false)
	}
	if n := strings.Count(r.criticPrompt(math.MaxInt), "<step "); n != 60 || len(r.stepsForJudge()) != maxRecent {
		t.Errorf("the critic sees %d steps, judges %d", n, len(r.stepsForJudge()))
	}
	r.recent[len(r.recent)-1].Result = strings.Repeat("y", 16<<10) // as an earlier run's are read
	if n := strings.Count(r.criticPrompt(math.MaxInt), "y"); n > maxJudgedChars+100 {
		t.Errorf("it sees %d characters of a result", n)
	}
	if said := r.criticPrompt(8000); len(said) > 8500 || !strings.Contains(said, "<step n=70 ") || strings.Contains(said, "<step n=11 ") {
		t.Errorf("with little room it sees %d bytes", len(said))
	}
	if said := r.criticPrompt(1); !strings.Contains(said, "The last 1 step:") || !strings.Contains(said, "<step n=70 ") {
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
	r := &Run{goal: goal.Goal{Options: goal.CareOptions{CriticEvery: 30}}, critic: critic{every: 30, model: n}, room: narrowRoom{}, active: &active{pausing: newPausing()}}
	for i := range 60 {
		r.recordStep(goal.Call{Tool: "run_command", Arguments: "{}"}, i+1, reads, event.OK, strings.Repeat("x", 1000), false)
	}
	if reply, err := r.askCritic(t.Context()); err != nil || reply.Text == "" || len(n.asked) != 3 {
		t.Errorf("asked with %v bytes: %v", n.asked, err)
	}
}

type narrowRoom struct{ Session }

func (narrowRoom) Models() Models { return Models{} }

// TestAResumedGoalCountsAllItsClaims: what the reviewer rejected, and what failed
// without a check.
func TestAResumedGoalCountsAllItsClaims(t *testing.T) {
	pass := []goal.Verdict{{Check: 0, Outcome: goal.Pass}}
	rejected := goal.ClaimRecord{Verdicts: pass, Review: &goal.Review{Reason: "no"}}
	undecided := goal.ClaimRecord{Verdicts: pass, Review: &goal.Review{Error: true, Reason: "broken"}}
	for name, c := range map[string]struct {
		past []goal.ClaimRecord
		now  goal.Verdict // the next claim's
		want goal.Exit
	}{
		"four rejections": {[]goal.ClaimRecord{rejected, rejected, rejected, rejected}, reviewRejection(1, *rejected.Review), goal.Stuck},
		"three":           {[]goal.ClaimRecord{rejected, rejected, rejected}, reviewRejection(1, *rejected.Review), ""},
		"two errors":      {[]goal.ClaimRecord{undecided, undecided}, reviewRejection(1, *undecided.Review), goal.NeedsUser},
		"a confirmed one": {[]goal.ClaimRecord{{Verdicts: pass, Review: &goal.Review{Confirmed: true}}}, reviewRejection(1, *rejected.Review), ""},
	} {
		k := newClaims(len(c.past))
		k.restore(goal.RunHistory{Claims: c.past}, 1)
		k.last = append(slices.Clone(pass), c.now)
		k.record(k.last)
		if stop := k.stopReason(5); (stop == nil) != (c.want == "") || stop != nil && stop.Exit != c.want {
			t.Errorf("%s: %v", name, stop)
		}
	}
}
