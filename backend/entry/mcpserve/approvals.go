package mcpserve

import (
	"context"
	"fmt"
	"sync"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
)

// waitingApproval tells another agent what a goal waits for. Only the user can answer.
type waitingApproval struct {
	Request   string   `json:"request"`
	Tool      string   `json:"tool"`
	Arguments string   `json:"arguments"`
	Why       string   `json:"why"`
	Show      string   `json:"show,omitempty"`
	Covers    []string `json:"covers"` // what an approval may cover
	HowTo     string   `json:"how_to_answer"`
}

// goalState is a goal with the approvals that it waits for.
type goalState struct {
	calls.GoalView
	Waiting []waitingApproval `json:"waiting_for_the_user,omitempty"`
}

func (se *Server) waitingApprovals(ctx context.Context, id goal.ID) (list []waitingApproval, err error) {
	open, err := calls.NewApprovalAPI(ctx, nil, se.deps.Store).List(string(id))
	if err != nil {
		return nil, problemError(err)
	}
	for _, a := range open {
		if a.Given != "" {
			continue
		}
		w := waitingApproval{
			Request: a.Request, Tool: a.Tool, Arguments: a.Arguments, Why: a.Why, Show: a.Show,
			HowTo: fmt.Sprintf("The user answers in Goalpost's window, or in a terminal: goalctl approve %[1]s %[2]s, or "+
				"goalctl deny %[1]s %[2]s. Tell the user now: without an answer the goal pauses. You cannot answer "+
				"yourself.", id.Short(), a.Request),
		}
		for _, offer := range a.Offers {
			w.Covers = append(w.Covers, offer.Covers)
		}
		list = append(list, w)
	}
	return list, nil
}

// shownApprovals knows which approvals the other agent was told about. The zero value is ready.
type shownApprovals struct {
	mu    sync.Mutex
	shown map[string]bool
}

// show records that the other agent is told about approvals of a goal. It reports whether one of them is new to it.
func (s *shownApprovals) show(id goal.ID, list []waitingApproval) (isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil {
		s.shown = map[string]bool{}
	}
	for _, w := range list {
		key := string(id) + " " + w.Request
		isNew = isNew || !s.shown[key]
		s.shown[key] = true
	}
	return isNew
}
