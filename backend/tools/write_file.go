package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"file to write, relative to your folder"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (f folder) writeFile() (Tool, error) {
	return define("write_file", func(_ context.Context, a writeFileArgs) (policy.Effect, error) { return f.writes(a.Path) },
		func(_ context.Context, a writeFileArgs) goal.Result {
			if err := f.write(a.Path, []byte(a.Content)); err != nil {
				return failed("%s", err)
			}
			return ok("wrote %s, %d bytes", a.Path, len(a.Content))
		})
}
