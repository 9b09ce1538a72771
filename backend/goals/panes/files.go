package panes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/textfile"
)

// filesRow is the row of the layouts that has the user's open files.
const filesRow = "files"

// savedFile is an open file as it is saved for the next start.
type savedFile struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// OpenFile shows a text file in a pane of the user, in the pane that already shows it if there is one.
func (r *Registry) OpenFile(ctx context.Context, in api.ArgsOpenFile) (pane.Info, error) {
	found, err := r.findFile(in)
	if err != nil {
		return pane.Info{}, err
	}
	for _, info := range r.Files.List() {
		if info.Path == found {
			r.Focus(info.ID)
			return info, nil
		}
	}
	f, err := r.Files.Open(r.NewID(pane.TextFile), found)
	if err != nil {
		return pane.Info{}, err
	}
	return f.Info(), r.Workspace.saveFiles(ctx)
}

// findFile returns the path of a file. One of a folder must be in it: a goal may have replaced it by a link.
func (r *Registry) findFile(in api.ArgsOpenFile) (string, error) {
	notFound := fault.Kind(fault.NotFound, "path", in.Path+" is not a file", "look for it in its folder")
	if in.Dir == "" {
		if found := r.FindFiles("", []string{in.Path})[0]; found != "" {
			return found, nil
		}
		return "", notFound
	}
	root, err := os.OpenRoot(in.Dir)
	if err != nil {
		return "", fault.Kind(fault.NotFound, "dir", in.Dir+" cannot be read", "choose another folder")
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(in.Path); err != nil || !info.Mode().IsRegular() {
		return "", notFound
	}
	return filepath.Join(in.Dir, in.Path), nil
}

// File returns the file of a pane.
func (r *Registry) File(id string) (*textfile.File, error) {
	f, ok := r.Files.Get(id)
	if !ok {
		return nil, NotFoundError(id)
	}
	return f, nil
}

// SaveFile saves what the user wrote in a pane whose file has this version, and returns the new version.
func (r *Registry) SaveFile(id, text, version string) (string, error) {
	f, err := r.File(id)
	if err != nil {
		return "", err
	}
	saved, err := f.Save(text, textfile.Version(version))
	if err == nil {
		err = r.DropFileDraft(id)
	}
	return string(saved), err
}

// KeepFileDraft keeps what the user wrote in a pane and has not saved, until it is saved or dropped, or the pane is
// closed. version is that of the content that the user changed.
func (r *Registry) KeepFileDraft(id, text, version string) error {
	f, err := r.File(id)
	if err != nil || !r.Workspace.isHeld() {
		return err
	}
	return r.Drafts.Keep(id, textfile.Draft{
		Path: f.Info().Path, Text: text, Base: textfile.Version(version), At: r.Clock.Now(),
	})
}

// FileDraft returns what the user wrote in a pane and has not saved; nil if there is nothing.
func (r *Registry) FileDraft(id string) (*api.FileDraft, error) {
	f, err := r.File(id)
	if err != nil || !r.Workspace.isHeld() {
		return nil, err
	}
	draft, err := r.Drafts.Get(id, f.Info().Path)
	if err != nil || draft == nil {
		return nil, err
	}
	return &api.FileDraft{Text: draft.Text, Version: string(draft.Base), At: draft.At}, nil
}

// DropFileDraft forgets what the user wrote in a pane and has not saved.
func (r *Registry) DropFileDraft(id string) error {
	if !r.Workspace.isHeld() {
		return nil
	}
	return r.Drafts.Drop(id)
}

// CloseFile closes the pane of a file.
func (r *Registry) CloseFile(ctx context.Context, id string) error {
	if err := r.Files.Close(id); err != nil {
		return err
	}
	return errors.Join(r.DropFileDraft(id), r.Workspace.saveFiles(ctx))
}

// closePane closes a pane of any kind.
func (r *Registry) closePane(ctx context.Context, info pane.Info) error {
	switch info.Kind {
	case pane.Browser:
		return r.CloseBrowser(ctx, info.ID)
	case pane.TextFile:
		return r.CloseFile(ctx, info.ID)
	case pane.Terminal:
	}
	return r.CloseTerminal(ctx, info.ID)
}

// restoreFiles makes the panes of the user's open files. One that is gone says so in its pane.
func (w *Workspace) restoreFiles(ctx context.Context) {
	var list []savedFile
	body, err := w.panes.Store.Workspace.Layout(ctx, filesRow)
	if err == nil && body != "" {
		err = json.Unmarshal([]byte(body), &list)
	}
	if err != nil {
		w.panes.Log.Warn("the open files were not restored", "error", err)
	}
	for _, s := range list {
		w.panes.reserveID(s.ID)
		if _, err := w.panes.Files.Open(s.ID, s.Path); err != nil {
			w.panes.Log.Warn("an open file was not restored", "pane", s.ID, "error", err)
		}
	}
	isOpen := func(id string) bool { _, ok := w.panes.Files.Get(id); return ok }
	if err := w.panes.Drafts.Prune(isOpen); err != nil {
		w.panes.Log.Warn("what was not saved in closed files was not forgotten", "error", err)
	}
}

// saveFiles saves which files are open, unless another process has the workspace.
func (w *Workspace) saveFiles(ctx context.Context) error {
	if !w.isHeld() {
		return nil
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	list := []savedFile{}
	for _, info := range w.panes.Files.List() {
		list = append(list, savedFile{info.ID, info.Path})
	}
	body, err := json.Marshal(list)
	if err == nil {
		err = w.panes.Store.Workspace.SaveLayout(ctx, filesRow, string(body))
	}
	if err != nil {
		return fmt.Errorf("save which files are open: %w", err)
	}
	return nil
}
