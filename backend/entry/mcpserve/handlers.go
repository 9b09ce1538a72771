package mcpserve

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/tools/description"
	"goalpost/backend/domain/goal"
)

// descriptions has a .md for each tool of this package, which describes the tool and its arguments.
//
//go:embed *.md
var descriptions embed.FS

// handlerList collects tools, and the errors in their descriptions.
type handlerList struct {
	handlers []mcp.Handler
	errs     []error
}

// addHandler adds the tool that calls do.
func addHandler[A any](
	l *handlerList, name string, h mcp.Hints, do func(context.Context, A, mcp.Progress) (any, error),
) {
	spec, err := specOf[A](name)
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("tool %s: %w", name, err))
		return
	}
	l.handlers = append(l.handlers, mcp.NewHandler(spec, h, do))
}

func specOf[A any](name string) (goal.ToolSpec, error) {
	markdown, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		return goal.ToolSpec{}, fmt.Errorf("reading its description: %w", err)
	}
	t, err := description.Read[A](string(markdown))
	if err != nil {
		return goal.ToolSpec{}, fmt.Errorf("reading its description: %w", err)
	}
	schema, err := json.Marshal(t.Schema)
	if err != nil {
		return goal.ToolSpec{}, fmt.Errorf("encoding its schema: %w", err)
	}
	return goal.ToolSpec{Name: name, Description: t.Text, Schema: schema}, nil
}
