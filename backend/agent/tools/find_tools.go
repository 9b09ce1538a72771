package tools

import (
	"context"

	"goalpost/backend/domain/goal"
)

type findToolsArgs struct {
	Need string `json:"need,omitempty"`
}

func findTools(Deps) (Tool, error) {
	return defineControl("find_tools", nil, func(_ context.Context, run goal.RunControl, a findToolsArgs) goal.Result {
		return okResult("%s", run.FindTools(a.Need))
	})
}
