package calls_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
)

// TestTranscript_MixesWhatWasSaidAndDone: the entries are in the order of the journal. The cost of each turn is at its
// message, and the result of each call is at the call.
func TestTranscript_MixesWhatWasSaidAndDone(t *testing.T) {
	a, s := openAPI(t)
	id := seeded(t, s, 0)
	run, err := s.Journal.Begin(t.Context(), id, 1, &event.Resumed{Note: "continue"})
	if err != nil {
		t.Fatal(err)
	}
	call := goal.Call{ID: "c1", Tool: "run_command", Arguments: `{"command":"go test ./cart"}`}
	if err := s.Journal.Append(t.Context(), run,
		&event.Iteration{N: 7},
		&event.Message{
			Message: goal.Message{
				Role:      goal.Assistant,
				Text:      "I will run the tests.",
				Calls:     []goal.Call{call},
				Reasoning: &goal.Reasoning{Text: "The cart is where it fails."},
			},
		},
		&event.Usage{Usage: goal.Usage{TokensIn: 4000, TokensOut: 60, USD: 0.02}},
		&event.StepStarted{StepID: 1, Tool: call.Tool, Arguments: call.Arguments},
		&event.Step{
			StepID:  1,
			Tool:    call.Tool,
			Outcome: event.Failed,
			MS:      2100,
			Preview: "exit 1",
			Result:  "exit 1\nFAIL cart",
		},
		&event.Message{Message: goal.Message{Role: goal.ToolRole, CallID: "c1", Step: 1, Text: "exit 1\nFAIL cart"}},
		&event.Usage{Usage: goal.Usage{TokensIn: 900, TokensOut: 12}, By: "critic"},
		&event.Critic{Verdict: event.Progressing, Reason: "it looks at the tests", Step: 1},
		&event.StepStarted{StepID: 2, Tool: "read_file", Arguments: `{"path":"cart.go"}`},
	); err != nil {
		t.Fatal(err)
	}
	page, err := a.Transcript(string(id), calls.TranscriptInput{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, len(page.Entries))
	by := map[string]calls.TranscriptEntry{}
	for i, e := range page.Entries {
		kinds[i] = string(e.Kind)
		by[string(e.Kind)] = e
		if e.Kind == "step" && e.Step == 1 {
			by["first step"] = e
		}
	}
	const want = "host status status agent step usage critic step"
	if got := strings.Join(kinds, " "); got != want || page.Total != len(page.Entries) {
		t.Errorf("kinds %q, total %d; want %q", got, page.Total, want)
	}
	said := by["agent"]
	if said.Text != "I will run the tests." || said.Reasoning != "The cart is where it fails." || said.Turn != 7 ||
		said.TokensIn != 4000 || said.TokensOut != 60 || said.USD != 0.02 {
		t.Errorf("the turn: %+v", said)
	}
	if e := by["first step"]; e.Text != "exit 1\nFAIL cart" || e.Outcome != "failed" || e.MS != 2100 || e.Turn != 7 ||
		e.Arguments != call.Arguments {
		t.Errorf("the call with its result: %+v", e)
	}
	if e := by["step"]; e.Outcome != "" || e.Text != "" {
		t.Errorf("a call that still runs: %+v", e)
	}
	if e := by["usage"]; e.Title != "Asked the critic" || e.TokensIn != 900 {
		t.Errorf("the critic's cost: %+v", e)
	}
}

// TestTranscript_Search finds texts as they are shown: in any case, with quotes, in results, and beyond ASCII. It does
// not find the names of JSON fields in the journal.
func TestTranscript_Search(t *testing.T) {
	a, s := openAPI(t)
	id := seeded(t, s, 120)
	run, err := s.Journal.Begin(t.Context(), id, 1, &event.Resumed{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Journal.Append(t.Context(), run,
		&event.Message{Message: goal.Message{Role: goal.Assistant, Text: `It says "Ünder <b>construction</b>" now.`}},
		&event.Warning{What: "network", Text: "50% of C:\\temp is full"},
	); err != nil {
		t.Fatal(err)
	}
	for search, want := range map[string]int{
		"fail: TEST77 ":           1,
		`"ünder`:                  1,
		"<B>construction":         1,
		"ÜNDER":                   1,
		`c:\temp`:                 1,
		"50%":                     1,
		"tokens_in":               0,
		"rationale":               0,
		"let me look":             120,
		"nothing that was said":   0,
		"the user paused the":     0, // the reason is in the report too, which is not shown again
		"go test ./cart -run Tes": 120,
	} {
		page, err := a.Transcript(string(id), calls.TranscriptInput{Search: search, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != want || len(page.Entries) != want {
			t.Errorf("%q: %d entries, total %d; want %d", search, len(page.Entries), page.Total, want)
		}
	}
}

// TestTranscript_PagesJoin: pages of any size join to the whole transcript, with and without a search.
func TestTranscript_PagesJoin(t *testing.T) {
	a, s := openAPI(t)
	id := string(seeded(t, s, 130))
	for _, search := range []string{"", "cart"} {
		whole, err := a.Transcript(id, calls.TranscriptInput{Search: search, Limit: 500})
		if err != nil || whole.Total != len(whole.Entries) {
			t.Fatalf("%d of %d, %v", len(whole.Entries), whole.Total, err)
		}
		var joined []calls.TranscriptEntry
		for len(joined) < whole.Total {
			page, err := a.Transcript(id, calls.TranscriptInput{Search: search, Offset: len(joined), Limit: 37})
			if err != nil || page.Total != whole.Total || len(page.Entries) == 0 {
				t.Fatalf("after %d: %d entries of %d, %v", len(joined), len(page.Entries), page.Total, err)
			}
			joined = append(joined, page.Entries...)
		}
		for i, e := range joined {
			if e != whole.Entries[i] {
				t.Fatalf("search %q: entry %d is %+v, want %+v", search, i, e, whole.Entries[i])
			}
		}
	}
}
