package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type browserSaveArgs struct {
	Pane string `json:"pane"`
	Path string `json:"path"`
	As   string `json:"as"`
}

func browserSave(r Deps) (Tool, error) {
	return defineTool("browser_save", func(_ context.Context, a browserSaveArgs) (policy.Effect, error) {
		if err := validateChoice("as", a.As, "pdf", "html"); err != nil {
			return policy.Effect{}, err
		}
		return r.folder.writeEffect(a.Path)
	}, func(ctx context.Context, a browserSaveArgs) goal.Result {
		if err := validateChoice("as", a.As, "pdf", "html"); err != nil {
			return failedResult("%s", err)
		}
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			take := p.Reader.HTML
			if a.As == "pdf" {
				take = p.Reader.Print
			}
			data, err := take(ctx)
			if err != nil {
				return goal.Result{}, err
			}
			return okUnless(r.folder.write(a.Path, data), "wrote %s, %d bytes", a.Path, len(data)), nil
		})
	})
}
