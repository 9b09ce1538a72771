package mcpserve

import (
	"errors"
	"sync"

	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// ownedGoals are the goals that the other agent created over this connection. The zero value is ready. All
// methods may be called concurrently.
type ownedGoals struct {
	mu      sync.Mutex
	created map[goal.ID]bool
}

func (o *ownedGoals) add(id goal.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.created == nil {
		o.created = map[goal.ID]bool{}
	}
	o.created[id] = true
}

// mayResume refuses what only the user may decide: to resume goals that the user paused or has to answer, and
// the limits of a goal that is not the other agent's.
func (o *ownedGoals) mayResume(row store.GoalRow, raises bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case (row.Exit == goal.PausedByUser || row.Exit == goal.AbortedByUser) && row.StoppedBy != goal.ExternalAgent:
		return errors.New("the user stopped this goal, so only they can resume it")
	case row.Exit == goal.NeedsUser && !o.created[row.ID]:
		return errors.New("this goal waits for its user's answer, so only they can resume it")
	case raises && !o.created[row.ID]:
		return errors.New("you did not create this goal over this connection, so its limits are the user's: leave them out")
	}
	return nil
}
