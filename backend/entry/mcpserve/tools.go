package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Tools returns the tools that the other agent sees, and its instructions. An error is a mistake in a description.
func (se *Server) Tools() (mcp.ServedTools, error) {
	o := mcp.ServedTools{
		Version: se.deps.Version,
		Instructions: "Goalpost runs goals: an agent of its own works in a folder, with terminals and browser pages, " +
			"until a check passes that the host runs and no agent can edit. " +
			"Create a goal with a check that fails now, wait for it, read its receipt. " +
			fmt.Sprintf("The user limits what you may ask for: at most %s, in %s. ", se.policy.Risk, se.policy.Dir) +
			"Only the user answers approvals and manual checks. The terminal_ and browser_ tools are panes of your own " +
			"with the same limits.",
	}
	var handlers handlerList
	se.addGoalTools(&handlers)
	addHandler(&handlers, "list_panes", mcp.Hints{ReadOnly: true}, se.listPanes)
	addHandler(&handlers, "read_result", mcp.Hints{ReadOnly: true}, se.readResult)
	o.Handlers = handlers.handlers
	for _, t := range se.tools.Tools() {
		if name := t.Spec().Name; isPaneTool(name) {
			o.Handlers = append(o.Handlers, mcp.ForwardTool(t.Spec(), toolAnnotations(name),
				func(ctx context.Context, args json.RawMessage) goal.Result { return se.callTool(ctx, t, args) }))
		}
	}
	return o, errors.Join(handlers.errs...)
}

// isPaneTool reports whether the other agent gets a tool of the goals. list_panes is the server's.
func isPaneTool(name string) bool {
	return strings.HasPrefix(name, "terminal_") || strings.HasPrefix(name, "browser_") || name == "close_pane"
}

// toolAnnotations describes the effects of a pane tool to the other agent's host. An unknown tool may do anything.
func toolAnnotations(name string) mcp.Hints {
	readOnly := []string{
		"terminal_read", "terminal_wait", "browser_snapshot", "browser_find", "browser_read", "browser_screenshot",
		"browser_wait", "browser_console", "browser_network",
	}
	if slices.Contains(readOnly, name) {
		return mcp.Hints{ReadOnly: true}
	}
	return mcp.Hints{Destructive: true, Open: true}
}

// callTool computes the effect of a call, asks the policy, and runs it. It returns the result with secrets hidden.
func (se *Server) callTool(ctx context.Context, t runner.Tool, args json.RawMessage) goal.Result {
	e, err := t.Effect(ctx, args)
	if err != nil {
		return goal.Result{Text: err.Error()}
	}
	name := t.Spec().Name
	if no := se.denialReason(name, e); no != "" {
		return goal.Result{Text: no}
	}
	result := t.Do(ctx, args)
	result.Text = se.session.Redact(result.Text)
	return se.long.truncate(result)
}

func (se *Server) readResult(_ context.Context, in readResultArgs, _ mcp.Progress) (any, error) {
	se.long.mu.Lock()
	defer se.long.mu.Unlock()
	result, ok := se.long.rest[in.Result]
	switch {
	case !ok:
		return nil, fmt.Errorf("the result %d is no longer available: only the newest %d are kept", in.Result,
			maxResultsKept)
	case in.From < 0 || in.From > len(result):
		return nil, fmt.Errorf("the result %d has %d bytes, so it cannot be read from %d", in.Result, len(result), in.From)
	}
	page := pageAt(result, in.From, resultPageBytes)
	next := in.From + len(page)
	end := "(this is its end)"
	if next < len(result) {
		end = fmt.Sprintf("… %d bytes more: continue from %d", len(result)-next, next)
	}
	return text.WrapUntrusted("a result of yours", page) + "\n" + end, nil
}
