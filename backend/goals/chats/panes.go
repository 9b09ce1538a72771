package chats

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/panes/terminal"
)

// notAttachedError refuses a pane that the user did not give to the chat.
func notAttachedError(id string, attached []string) error {
	return fmt.Errorf("the pane %q is not attached to this chat; attached are: %s", id, strings.Join(attached, ", "))
}

// chatTerminals are the terminals that are attached to a chat. The tools of a chat only read, so the embedded
// interface, which types and opens, is nil.
type chatTerminals struct {
	tools.Terminals

	panes *panes.Registry
	ids   []string
}

func (ct chatTerminals) session(id string) (*terminal.Session, error) {
	if !slices.Contains(ct.ids, id) {
		return nil, notAttachedError(id, ct.ids)
	}
	return ct.panes.Terminal(id)
}

// Screen returns what a terminal shows.
func (ct chatTerminals) Screen(_ context.Context, id string) (tools.TerminalText, error) {
	s, err := ct.session(id)
	if err != nil {
		return tools.TerminalText{}, err
	}
	return session.TerminalScreen(s), nil
}

// Read returns a part of a terminal's scrollback.
func (ct chatTerminals) Read(_ context.Context, id string, from int64, page, limit int) (tools.TerminalText, error) {
	s, err := ct.session(id)
	if err != nil {
		return tools.TerminalText{}, err
	}
	return session.TerminalPage(s, from, page, limit), nil
}

// chatPages are the browser panes that are attached to a chat. The tools of a chat only read, so the embedded
// interface, which opens and closes, is nil.
type chatPages struct {
	tools.Browsers

	panes *panes.Registry
	ids   []string
}

// pageTool is a tool that reads attached pages. It reads them for the user: the lease of a page is for runs of goals.
type pageTool struct{ tools.Tool }

func (pt pageTool) Do(ctx context.Context, args json.RawMessage) goal.Result {
	return pt.Tool.Do(goal.WithoutRun(ctx), args)
}

// Get returns a pane with the parts that only read.
func (cp chatPages) Get(id string) (tools.Browser, error) {
	if !slices.Contains(cp.ids, id) {
		return tools.Browser{}, notAttachedError(id, cp.ids)
	}
	p, err := cp.panes.Browser(id)
	if err != nil {
		return tools.Browser{}, err
	}
	return tools.Browser{State: &p.State, Prompts: &p.Prompts, Reader: &p.Reader}, nil
}

// List returns the attached pages.
func (cp chatPages) List() []pane.Info {
	return slices.DeleteFunc(cp.panes.Snapshot().Panes, func(i pane.Info) bool {
		return i.Kind != pane.Browser || !slices.Contains(cp.ids, i.ID)
	})
}
