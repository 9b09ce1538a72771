package api

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Predicate converts the input to a predicate of the store, or refuses it.
func (p PruneInput) Predicate() (store.Predicate, error) {
	switch {
	case p.Status != "" && p.Status != goal.Completed && p.Status != goal.Failed && p.Status != goal.Aborted:
		return store.Predicate{}, fault.Invalid("status", "only ended goals can be pruned, not "+string(p.Status)+" ones",
			"use completed, failed or aborted; delete removes a single goal")
	case p.OlderThanMS < 0:
		return store.Predicate{}, fault.Invalid("older_than", "the age is negative", "use a duration such as 720h")
	}
	return store.Predicate{Status: p.Status, OlderThanMS: p.OlderThanMS}, nil
}
