package mcpserve

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// ownedGoals are the goals that the other agent created or resumed over this connection. The zero value is ready. All
// methods may be called concurrently.
type ownedGoals struct {
	mu      sync.Mutex
	created map[goal.ID]bool
	resumed map[goal.ID]bool
}

func (o *ownedGoals) add(id goal.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.created == nil {
		o.created = map[goal.ID]bool{}
	}
	o.created[id] = true
}

func (o *ownedGoals) addResumed(id goal.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.resumed == nil {
		o.resumed = map[goal.ID]bool{}
	}
	o.resumed[id] = true
}

// started lists the goals of which the agent began a run.
func (o *ownedGoals) started() []goal.ID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Keys(o.created)), slices.Collect(maps.Keys(o.resumed)))
}

// validateResume refuses to resume goals that the user stopped or has to answer, and to raise the limits of goals that
// the other agent did not create over this connection.
func (o *ownedGoals) validateResume(row store.GoalRow, raises bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case (row.Exit == goal.PausedByUser || row.Exit == goal.AbortedByUser) && row.StoppedBy != goal.ExternalAgent:
		return errors.New("the user stopped this goal, so only they can resume it")
	case row.Exit == goal.NeedsUser && !o.created[row.ID]:
		return errors.New("this goal waits for an answer of the user, so only they can resume it")
	case raises && !o.created[row.ID]:
		return errors.New("you did not create this goal over this connection, so only the user can raise its limits: " +
			"leave them out")
	}
	return nil
}
