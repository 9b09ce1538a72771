package tools

import (
	"context"

	"goalpost/backend/domain/goal"
)

type claimCompleteArgs struct {
	Rationale string `json:"rationale"`
	Result    string `json:"result,omitempty"`
}

func claimComplete(Deps) (Tool, error) {
	return defineControl("claim_complete", nil,
		func(_ context.Context, run goal.RunControl, a claimCompleteArgs) goal.Result {
			run.Claim(a.Rationale, a.Result)
			return okResult("the host verifies the claim now")
		})
}
