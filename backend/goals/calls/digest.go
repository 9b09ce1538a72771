package calls

import (
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Digest says what happened while the user was away. Goals that still work without the user are only counted.
type Digest struct {
	Since    string     `json:"since"`
	NeedsYou []GoalCard `json:"needs_you"`
	Failed   []GoalCard `json:"failed"`
	Done     []GoalCard `json:"done"`
	Running  int        `json:"running"`
	USD      float64    `json:"usd"` // what models have cost since then
}

// maxDigest is how many goals a digest reads.
const maxDigest = 2000

// Digest sums up what has happened since a time (RFC 3339), the newest goals first.
func (ga *GoalAPI) Digest(since string) (out Digest, err error) {
	defer ga.recoverProblem(&err)
	from, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return out, fault.Invalid("since", fmt.Sprintf("%q is not a time", since), "give one such as 2026-11-30T18:00:00Z")
	}
	list, err := ga.list(store.Filter{Since: from, Limit: maxDigest})
	if err != nil {
		return out, err
	}
	out = Digest{Since: since, NeedsYou: []GoalCard{}, Failed: []GoalCard{}, Done: []GoalCard{}}
	for _, card := range list.Goals {
		switch {
		case card.needsUser():
			out.NeedsYou = append(out.NeedsYou, card)
		case card.Status == goal.Completed:
			out.Done = append(out.Done, card)
		case card.Exit == goal.AbortedByUser: // the user knows
		case card.Status == goal.Failed, card.Status == goal.Aborted:
			out.Failed = append(out.Failed, card)
		default:
			out.Running++
		}
	}
	out.USD, err = ga.store.Spend.SpentBetween(ga.ctx, from, time.Now())
	return out, err
}

// needsUser reports whether the goal waits for the user.
func (gc GoalCard) needsUser() bool {
	return gc.Asks > 0 || gc.Status == goal.Paused && (gc.Exit == goal.NeedsUser || gc.Exit == goal.Stuck)
}
