package tools

import (
	"context"

	"goalpost/backend/goal"
)

type findToolsArgs struct {
	Need string `json:"need,omitempty" jsonschema:"the name of a group or a tool, or what you want to do. The list of groups if left out"`
}

func findTools(Deps) (Tool, error) {
	return defineControl("find_tools", nil, func(_ context.Context, run goal.RunControl, a findToolsArgs) goal.Result {
		return okResult("%s", run.FindTools(a.Need))
	})
}
