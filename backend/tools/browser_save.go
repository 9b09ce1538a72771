package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type browserSaveArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane"`
	Path string `json:"path" jsonschema:"file to write, relative to your folder"`
	As   string `json:"as" jsonschema:"pdf or html"`
}

func browserSave(f folder, b Browsers) (Tool, error) {
	return defineTool("browser_save", func(_ context.Context, a browserSaveArgs) (policy.Effect, error) {
		if err := validateChoice("as", a.As, "pdf", "html"); err != nil {
			return policy.Effect{}, err
		}
		return f.writeEffect(a.Path)
	}, func(ctx context.Context, a browserSaveArgs) goal.Result {
		if err := validateChoice("as", a.As, "pdf", "html"); err != nil {
			return failedResult("%s", err)
		}
		p, err := b.Get(a.Pane)
		if err != nil {
			return failedResult("%s", err)
		}
		take := p.HTML
		if a.As == "pdf" {
			take = p.Print
		}
		data, err := take(ctx)
		if err != nil {
			return pageError(a.Pane, err)
		}
		if err := f.write(a.Path, data); err != nil {
			return failedResult("%s", err)
		}
		return ok("wrote %s, %d bytes", a.Path, len(data))
	})
}
