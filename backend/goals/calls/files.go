package calls

import (
	"context"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
)

// FileAPI opens, saves and closes panes that show a text file. The stream transfers what the file holds.
type FileAPI struct {
	panes *panes.Registry
	apiBase
}

// NewFileAPI makes the API; ctx is the program's life.
func NewFileAPI(ctx context.Context, p *panes.Registry) *FileAPI {
	return &FileAPI{p, apiBase{ctx}}
}

// Open shows a text file of the user in a pane.
func (f *FileAPI) Open(in api.ArgsOpenFile) (out pane.Info, err error) {
	defer f.recoverProblem(&err)
	return f.panes.OpenFile(f.ctx, in)
}

// Save writes the text of a pane to its file, which must still have the version, and returns the new version.
func (f *FileAPI) Save(id, text, version string) (saved string, err error) {
	defer f.recoverProblem(&err)
	return f.panes.SaveFile(id, text, version)
}

// Draft returns what the user wrote in a pane and has not saved, null if there is nothing.
func (f *FileAPI) Draft(id string) (draft *api.FileDraft, err error) {
	defer f.recoverProblem(&err)
	return f.panes.FileDraft(id)
}

// KeepDraft keeps what the user wrote in a pane, which was based on the version, until it is saved or dropped.
func (f *FileAPI) KeepDraft(id, text, version string) (ok bool, err error) {
	defer f.recoverProblem(&err)
	return true, f.panes.KeepFileDraft(id, text, version)
}

// DropDraft forgets what the user wrote in a pane and has not saved.
func (f *FileAPI) DropDraft(id string) (ok bool, err error) {
	defer f.recoverProblem(&err)
	return true, f.panes.DropFileDraft(id)
}

// ShowFolder shows the folder of a pane's file, or that in which a terminal is, on the desktop.
func (f *FileAPI) ShowFolder(id string) (ok bool, err error) {
	defer f.recoverProblem(&err)
	return true, f.panes.ShowFolder(f.ctx, id)
}

// Close closes a pane. What was not saved is lost.
func (f *FileAPI) Close(id string) (ok bool, err error) {
	defer f.recoverProblem(&err)
	return true, f.panes.CloseFile(f.ctx, id)
}
