package tools

import (
	"context"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type browserOpenArgs struct {
	URL  string `json:"url" jsonschema:"address to load: http or https"`
	Pane string `json:"pane,omitempty" jsonschema:"browser pane to load it in; a new one if left out"`
}

func browserOpen(b Browsers) (Tool, error) {
	return defineTool("browser_open", func(_ context.Context, a browserOpenArgs) (policy.Effect, error) {
		e, err := addressEffect(a.URL, policy.ReadOnly, policy.NetworkGet)
		if strings.HasPrefix(a.URL, "data:image/") { // it contains the whole image and contacts no host
			e, err = policy.Effect{Risk: policy.ReadOnly}, nil
		}
		if err != nil || a.Pane == "" {
			return e, err
		}
		p, err := b.Get(a.Pane)
		if err != nil {
			return e, err
		}
		return effectInPane(p.Info())(e, nil)
	}, func(ctx context.Context, a browserOpenArgs) goal.Result {
		p, err := b.Open(ctx, a.Pane, a.URL)
		if err != nil {
			return failedResult("%s", err)
		}
		state := ""
		if at, err := b.Get(p.Pane); err == nil && at.Info().Loading {
			state = ", and is still loading"
		}
		return ok("pane %s is at %s%s\n%s", p.Pane, p.URL, state, wrapOutside("the title of pane "+p.Pane, p.Title))
	})
}
