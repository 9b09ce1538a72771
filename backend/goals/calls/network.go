package calls

import (
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// Network reads a goal's network log.
func (ga *GoalAPI) Network(id string) (api.NetworkView, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (api.NetworkView, error) {
		if ga.goals == nil {
			return api.NewNetworkSummary().View(), nil
		}
		return ga.goals.Network(g.ID)
	})
}
