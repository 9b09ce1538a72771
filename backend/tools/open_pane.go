package tools

import (
	"context"
	"fmt"
	"path/filepath"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type openPaneArgs struct {
	Kind  string `json:"kind" jsonschema:"terminal or browser"`
	Title string `json:"title,omitempty" jsonschema:"short name for the tab, such as server"`
	Dir   string `json:"dir,omitempty" jsonschema:"of a terminal: folder to start in, relative to your folder"`
	URL   string `json:"url,omitempty" jsonschema:"of a browser: address to load; an empty page if left out"`
}

func openPane(f folder, r Deps) (Tool, error) {
	return defineTool("open_pane", func(_ context.Context, a openPaneArgs) (policy.Effect, error) {
		kind, err := kindOf(a.Kind)
		switch {
		case err != nil:
		case kind == pane.Terminal && a.URL != "", kind == pane.Browser && a.Dir != "":
			err = fmt.Errorf("dir is for a terminal, url for a browser")
		case a.Dir != "" && !filepath.IsLocal(a.Dir):
			err = fmt.Errorf("%s leads out of your folder", a.Dir)
		case a.Title != "":
			err = validateTitle(a.Title)
		}
		switch {
		case err != nil:
			return policy.Effect{}, err
		case kind == pane.Terminal:
			return r.programEffect(), nil
		}
		return addressEffect(a.address(), policy.ReadOnly, policy.NetworkGet)
	}, func(ctx context.Context, a openPaneArgs) goal.Result {
		if a.Kind == string(pane.Terminal) {
			id, err := r.Terminals.Open(ctx, filepath.Join(f.dir, a.Dir), a.Title)
			if err != nil {
				return failedResult("%s", err)
			}
			return ok("opened pane %s, a terminal", id)
		}
		page, err := r.Browsers.Open(ctx, "", a.address())
		if err == nil && a.Title != "" {
			err = r.Panes.Name(page.Pane, a.Title)
		}
		if err != nil {
			return failedResult("%s", err)
		}
		return ok("opened pane %s, a browser, at\n%s", page.Pane,
			wrapOutside("the address of pane "+page.Pane, page.URL+"\n"+page.Title))
	})
}

func (a openPaneArgs) address() string {
	if a.URL == "" {
		return "about:blank"
	}
	return a.URL
}
