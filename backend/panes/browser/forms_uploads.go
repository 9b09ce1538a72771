package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Upload gives files to a file input, or if target is "" to the page that asks for some. Chromium
// reads them when the page does, so it gets copies that cannot change after the caller has
// checked them. They are deleted with the pane.
func (fo *Forms) Upload(ctx context.Context, target string, files []pane.File) (ActionResult, error) {
	if len(files) == 0 {
		return ActionResult{}, errors.New("giving files: name at least one")
	}
	paths, err := fo.copyUploads(files)
	if err != nil {
		return ActionResult{}, err
	}
	if target == "" {
		return fo.actions.runAction(ctx, "giving files", func(ctx context.Context, _ *page) error {
			q, err := fo.prompts.take(matchKinds(pane.Files))
			if err != nil {
				return errors.New("the page does not ask for files: name the file input")
			}
			return q.answer(ctx, pane.Answer{ID: q.ID, Yes: true, Files: paths})
		})
	}
	return fo.actions.runAction(ctx, "giving files to "+text.SanitizeLine(target, 80),
		func(ctx context.Context, pg *page) error {
			var field struct{ Ref, Words string }
			where, err := fo.targets.callOnTarget(ctx, pg, &field, "findFileInput", target, len(files))
			if err != nil {
				return err
			}
			fo.actions.showActionHint("gives files to "+field.Words, 0, 0)
			fo.prompts.close(matchKinds(pane.Files))
			world, _, err := where.scriptContext(ctx)
			if err != nil {
				return err
			}
			return where.do(ctx, where.callLimit(), "giving the files", func(c proto.Client) error {
				found, err := cdp.Call(c, world.Evaluate(fmt.Sprintf("goalpost.findElement(%q)", field.Ref)))
				if err != nil {
					return err
				}
				return cdp.CallNoResult(c, proto.DOMSetFileInputFiles{Files: paths, ObjectID: found.Result.ObjectID})
			})
		})
}

// copyUploads writes the copies into a folder of the pane.
func (fo *Forms) copyUploads(files []pane.File) ([]string, error) {
	top := filepath.Join(fo.state.m.cfg.Dir, "uploads")
	err := os.MkdirAll(top, 0o700)
	if err != nil {
		return nil, fmt.Errorf("copying files for the page: %w", err)
	}
	dir, err := os.MkdirTemp(top, "")
	if err != nil {
		return nil, fmt.Errorf("copying files for the page: %w", err)
	}
	fo.uploadsMu.Lock()
	fo.uploadDirs = append(fo.uploadDirs, dir)
	fo.uploadsMu.Unlock()
	var paths []string
	for i, f := range files {
		path := filepath.Join(dir, fmt.Sprint(i), FileName(f.Name))
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("copying files for the page: %w", err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			return nil, fmt.Errorf("copying files for the page: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// removeUploadCopies deletes the copies.
func (fo *Forms) removeUploadCopies() error {
	fo.uploadsMu.Lock()
	list := fo.uploadDirs
	fo.uploadDirs = nil
	fo.uploadsMu.Unlock()
	var err error
	for _, dir := range list {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}
