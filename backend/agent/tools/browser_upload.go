package tools

import (
	"context"
	"errors"
	"path/filepath"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserUploadArgs struct {
	Pane   string   `json:"pane"`
	Files  []string `json:"files"`
	Target string   `json:"target,omitempty"`
}

// browserUpload gives the page copies that are read through the goal's folder, so that no symlink can lead out of it.
func browserUpload(r Deps) (Tool, error) {
	return defineTool("browser_upload", func(ctx context.Context, a browserUploadArgs) (policy.Effect, error) {
		if len(a.Files) == 0 || len(a.Files) > 20 {
			return policy.Effect{}, errors.New("name 1 to 20 files of your folder")
		}
		for _, path := range a.Files {
			if _, err := r.folder.relPath(path); err != nil {
				return policy.Effect{}, err
			}
		}
		e, err := r.scriptEffect(ctx, a.Pane)
		if len(e.Hosts) > 0 && e.Pane == "" {
			e.Reason = "gives files to a page of " + e.Hosts[0]
		}
		return e, err
	}, func(ctx context.Context, a browserUploadArgs) goal.Result {
		var files []pane.File
		for _, path := range a.Files {
			data, err := r.folder.read(path)
			if err != nil {
				return failedResult("%s", err)
			}
			files = append(files, pane.File{Name: filepath.Base(path), Data: data})
		}
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Forms.Upload(ctx, a.Target, files)
		})
	})
}
