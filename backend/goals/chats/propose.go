package chats

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// ProposeGoal asks the chat's model for a goal.
func (s *Service) ProposeGoal(context.Context, string) (out api.GoalProposal, err error) {
	return out, fault.New(fault.Unavailable, "goals cannot be proposed yet", "write the goal yourself")
}

// StartGoal starts a goal of a proposal.
func (s *Service) StartGoal(context.Context, string, goal.Request) (out api.StartOutput, err error) {
	return out, fault.New(fault.Unavailable, "goals cannot be started from a chat yet", "start it in New goal")
}
