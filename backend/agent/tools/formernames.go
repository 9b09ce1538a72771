package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

// formerTool is an old name of a tool, or a tool that another one has replaced. Models, recipes and other programs may
// still call it. A call becomes one of a current tool.
type formerTool[A any] struct {
	*tool[A]

	names   []string                                        // of the current tools
	current func(A) (name string, arguments any, err error) // the same call today
	find    func(name string) Tool                          // a current tool
}

// defineFormer returns the maker of a former tool. current converts its arguments to the call that replaces it.
func defineFormer[A any](
	find func(string) Tool, name string, names []string, current func(A) (string, any, error),
) maker {
	return func(Deps) (Tool, error) {
		t, err := defineTool[A](name, nil, nil)
		if err != nil {
			return nil, err
		}
		of, ok := t.(*tool[A])
		if !ok {
			return nil, fmt.Errorf("tool %s is a %T", name, t)
		}
		return &formerTool[A]{tool: of, names: names, current: current, find: find}, nil
	}
}

// CurrentNames lists the tools that Current can name.
func (f *formerTool[A]) CurrentNames() []string { return f.names }

// Current returns the name and the arguments with which the same call is made today.
func (f *formerTool[A]) Current(raw json.RawMessage) (name string, current json.RawMessage, err error) {
	args, err := f.parse(raw)
	if err != nil {
		return "", nil, err
	}
	name, arguments, err := f.current(args)
	if err != nil {
		return "", nil, err
	}
	if current, err = json.Marshal(arguments); err != nil {
		return "", nil, fmt.Errorf("encoding the arguments of %s: %w", name, err)
	}
	return name, current, nil
}

// Effect returns the effect of the current tool.
func (f *formerTool[A]) Effect(ctx context.Context, raw json.RawMessage) (policy.Effect, error) {
	name, args, err := f.Current(raw)
	if err != nil {
		return policy.Effect{}, err
	}
	return f.find(name).Effect(ctx, args)
}

// Do calls the current tool.
func (f *formerTool[A]) Do(ctx context.Context, raw json.RawMessage) goal.Result {
	name, args, err := f.Current(raw)
	if err != nil {
		return failedResult("%s", err)
	}
	return f.find(name).Do(ctx, args)
}

type openPaneArgs struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"`
	Dir   string `json:"dir,omitempty"`
	URL   string `json:"url,omitempty"`
}

type terminalListArgs struct {
	Busy bool `json:"busy,omitempty"`
}

type browserTabsArgs struct {
	Close string `json:"close,omitempty"`
}

type verifyVisualArgs struct {
	Pane     string `json:"pane"`
	Expected string `json:"expected"`
	Full     bool   `json:"full,omitempty"`
}

type completeTodoArgs struct {
	Number int `json:"number"`
}

// formerTools makes the former tools; find returns a current one.
func formerTools(find func(string) Tool) []maker {
	return []maker{
		defineFormer(find, "open_pane", []string{"terminal_open", "browser_open"}, openPaneToday),
		defineFormer(find, "terminal_list", []string{"list_panes"}, func(a terminalListArgs) (string, any, error) {
			return "list_panes", listPanesArgs{Kind: string(pane.Terminal), Busy: a.Busy}, nil
		}),
		defineFormer(find, "browser_tabs", []string{"list_panes", "close_pane"},
			func(a browserTabsArgs) (string, any, error) {
				if a.Close != "" {
					return "close_pane", closePaneArgs{Pane: a.Close}, nil
				}
				return "list_panes", listPanesArgs{Kind: string(pane.Browser)}, nil
			}),
		defineFormer(find, "verify_visual", []string{"look"}, func(a verifyVisualArgs) (string, any, error) {
			if isBlank(a.Expected) {
				return "", nil, fmt.Errorf("expected is empty; say what the page should show")
			}
			return "look", lookArgs{Pane: a.Pane, Expected: a.Expected, Full: a.Full}, nil
		}),
		defineFormer(find, "complete_todo", []string{"write_todos"}, func(a completeTodoArgs) (string, any, error) {
			return "write_todos", writeTodosArgs{Done: []int{a.Number}}, nil
		}),
	}
}

// openPaneToday returns the call of terminal_open or browser_open that replaces a call of open_pane.
func openPaneToday(a openPaneArgs) (string, any, error) {
	kind, err := kindOf(a.Kind)
	switch {
	case err != nil:
		return "", nil, err
	case kind == pane.Terminal && a.URL != "", kind == pane.Browser && a.Dir != "":
		return "", nil, fmt.Errorf("dir is for a terminal, url for a browser")
	case kind == pane.Terminal:
		return "terminal_open", terminalOpenArgs{Dir: a.Dir, Title: a.Title}, nil
	case a.URL == "":
		a.URL = "about:blank"
	}
	return "browser_open", browserOpenArgs{URL: a.URL, Title: a.Title}, nil
}
