package tools

import (
	"context"

	"goalpost/backend/goal"
)

type claimCompleteArgs struct {
	Rationale string `json:"rationale" jsonschema:"why the goal is reached, briefly, with what you saw"`
	Result    string `json:"result,omitempty" jsonschema:"what the user asked for, if it is an answer"`
}

func claimComplete(Deps) (Tool, error) {
	return defineControl("claim_complete", nil,
		func(_ context.Context, run goal.RunControl, a claimCompleteArgs) goal.Result {
			run.Claim(a.Rationale, a.Result)
			return okResult("the host verifies the claim now")
		})
}
