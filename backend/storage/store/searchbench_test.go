package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// searchGoals goals have searchSteps steps each, five events a step.
const searchGoals, searchSteps = 1_000, 10

// BenchmarkSearch searches 1,000 goals with 50,000 events together, for words that are in one of them, in some and in
// all, and for the beginning of words while the user types.
func BenchmarkSearch(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	words := vocabulary()
	for n := range searchGoals {
		fill(b, s, n, words)
	}
	all := func() bool { return true }
	if behind, err := s.Search.catchUp(b.Context(), all); err != nil || behind > 0 {
		b.Fatal(behind, err)
	}
	for name, query := range map[string]string{
		"a word of one step":    "needle500x5",
		"a word of some goals":  words[3000],
		"a word of every event": "shop",
		"two words":             words[20] + " " + words[40],
		"a phrase":              `"go test"`,
		"two letters":           words[100][:2],
		"nothing":               "notthere",
	} {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				if r, err := s.Search.Search(b.Context(), query, 0); err != nil || (len(r.Goals) == 0) != (name == "nothing") {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// BenchmarkSearch_Reading measures what the index needs for a goal of 500 events.
func BenchmarkSearch_Reading(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	words := vocabulary()
	for b.Loop() {
		b.StopTimer()
		for n := range 10 {
			fill(b, s, n, words)
		}
		b.StartTimer()
		if _, err := s.Search.catchUp(b.Context(), func() bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}

// vocabulary returns words of which the first are the most frequent in texts.
func vocabulary() []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		letters := make([]byte, 3+r.IntN(8))
		for j := range letters {
			letters[j] = byte('a' + r.IntN(26))
		}
		words[i] = string(letters)
	}
	return words
}

// fill creates a goal with texts as long as those of real ones: a sentence for each turn, a command, and a screen of
// output.
func fill(b *testing.B, s *Store, n int, words []string) {
	b.Helper()
	r := rand.New(rand.NewPCG(3, uint64(n)))
	zipf := rand.NewZipf(r, 1.1, 10, uint64(len(words)-1))
	said := func(count int) string {
		list := make([]string, count)
		for i := range list {
			list[i] = words[zipf.Uint64()]
		}
		return strings.Join(list, " ")
	}
	g := create(b, s)
	run := begin(b, s, g.ID)
	var bodies []event.Body
	for i := 1; i <= searchSteps; i++ {
		result := fmt.Sprintf("shop needle%dx%d\n%s", n, i, said(200))
		bodies = append(bodies,
			&event.Iteration{N: i},
			&event.Message{Message: goal.Message{Role: goal.Assistant, Text: "shop " + said(30)}},
			&event.StepStarted{
				StepID: i, Tool: "run_command", Arguments: `{"command":"go test ./shop/` + said(3) + `"}`,
				Effect: policy.Effect{Risk: policy.WriteLocal},
			},
			&event.Step{StepID: i, Tool: "run_command", Outcome: event.OK, Result: result},
			&event.Message{Message: goal.Message{Role: goal.ToolRole, Step: i, Text: result}})
	}
	bodies = append(bodies, &event.Ended{Status: goal.Completed, Exit: goal.Done, Report: []string{said(40)}})
	if err := s.Journal.Append(b.Context(), run, bodies...); err != nil {
		b.Fatal(err)
	}
}
