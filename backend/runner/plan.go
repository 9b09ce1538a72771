package runner

import "goalpost/backend/goal"

// plan is what the agent intends: its todos, and the open step of the protocol.
type plan struct {
	run *Run

	todos    []goal.Todo
	declared *goal.StepDeclaration // the open step of the protocol
	stepUsed bool                  // a changing call was made in it
}
