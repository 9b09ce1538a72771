package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

const rankSystem = `Several agents were given the same objective, each in a folder of its own, and the checks of all ` +
	`of them passed. You compare what they changed, and put the changes into an order: first the one that a careful ` +
	`maintainer would take. Prefer what reaches the objective whole, is correct where no check looks, changes nothing ` +
	`without need, and is easy to read. The letters say nothing: they were given at random.
Answer with one JSON object and nothing else, with each change once, the best first:
{"ranking": [{"change": "A", "reason": "…"}]}
A reason is one sentence in the language of the objective.
` + UntrustedNotice

const maxRankReason = 300

// Ranked is a change in its place, with the reviewer's reason.
type Ranked struct {
	Index  int // in the list of changes
	Reason string
}

// Rank puts changes that passed the same checks into an order, the best first. The judge sees them without names, in a
// random order. What they contain is data, whatever it says.
func (j *Judge) Rank(ctx context.Context, objective string, diffs []string) ([]Ranked, error) {
	order := rand.Perm(len(diffs)) //nolint:gosec // it hides who wrote a change from a model, not from an attacker
	var b strings.Builder
	b.WriteString(WrapData("the objective", objective, MinText))
	budget := j.promptBudget()
	for place, index := range order {
		name := "change " + letterOf(place)
		b.WriteString(WrapData(name, diffs[index], budget.diff/len(diffs)))
	}
	reply, err := j.ask(ctx, rankSystem, []goal.Message{{Role: goal.User, Text: b.String()}})
	if err != nil {
		return nil, err
	}
	return parseRanking(reply.Text, order)
}

func letterOf(place int) string { return string(rune('A' + place)) }

// parseRanking reads an order that has each change once.
func parseRanking(reply string, order []int) ([]Ranked, error) {
	unreadable := func(why string) error {
		return fault.New(fault.Unavailable, "the reviewer's ranking cannot be read: "+why, "choose another reviewer")
	}
	var said struct {
		Ranking []struct{ Change, Reason string }
	}
	start, end := strings.Index(reply, "{"), strings.LastIndex(reply, "}")
	if start < 0 || end < start || json.Unmarshal([]byte(reply[start:end+1]), &said) != nil {
		return nil, unreadable("it is not the JSON object that was asked for")
	}
	places := map[string]int{}
	for place, index := range order {
		places[letterOf(place)] = index
	}
	var ranked []Ranked
	for _, one := range said.Ranking {
		index, ok := places[one.Change]
		if !ok {
			return nil, unreadable(fmt.Sprintf("it names %q, which is none of the changes or was named before",
				text.SanitizeLine(one.Change, 20)))
		}
		delete(places, one.Change)
		ranked = append(ranked, Ranked{index, text.SanitizeLine(one.Reason, maxRankReason)})
	}
	if len(places) > 0 {
		return nil, unreadable("it leaves out a change")
	}
	return ranked, nil
}
