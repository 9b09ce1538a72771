package calls

import (
	"context"
	"encoding/json"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/store"
)

// TerminalAPI opens and closes terminal panes. The stream transfers their bytes.
type TerminalAPI struct {
	panes *panes.Registry
	apiBase
}

// NewTerminalAPI makes the API; ctx is the program's life.
func NewTerminalAPI(ctx context.Context, p *panes.Registry) *TerminalAPI {
	return &TerminalAPI{p, apiBase{ctx}}
}

// Open starts the user's shell in a new pane.
func (t *TerminalAPI) Open(in api.ArgsOpenTerminal) (out pane.Info, err error) {
	defer t.recoverProblem(&err)
	return t.panes.OpenTerminal(t.ctx, in)
}

// Restart starts the shell of a pane again if it has ended.
func (t *TerminalAPI) Restart(id string) (out pane.Info, err error) {
	defer t.recoverProblem(&err)
	return t.panes.RestartTerminal(t.ctx, id)
}

// End ends the program of a terminal of the user. The pane stays.
func (t *TerminalAPI) End(id string) (ok bool, err error) {
	defer t.recoverProblem(&err)
	return true, t.panes.EndTerminal(t.ctx, id)
}

// PasteImage writes a picture that the user pasted into a terminal, encoded as base64, and returns its path as a shell
// reads it.
func (t *TerminalAPI) PasteImage(id, image string) (path string, err error) {
	defer t.recoverProblem(&err)
	return t.panes.PasteImage(id, image)
}

// Rename sets a pane's title.
func (t *TerminalAPI) Rename(id, title string) (ok bool, err error) {
	defer t.recoverProblem(&err)
	return true, t.panes.RenameTerminal(id, title)
}

// Close ends the program of a pane and closes it.
func (t *TerminalAPI) Close(id string) (ok bool, err error) {
	defer t.recoverProblem(&err)
	return true, t.panes.CloseTerminal(t.ctx, id)
}

// BrowserAPI opens and controls browser panes. The stream transfers frames and input.
type BrowserAPI struct {
	panes    *panes.Registry
	browsing *panes.Browsing
	store    *store.Store
	apiBase
}

// NewBrowserAPI makes the API; ctx is the program's life.
func NewBrowserAPI(ctx context.Context, p *panes.Registry, s *store.Store) *BrowserAPI {
	return &BrowserAPI{
		panes:    p,
		browsing: p.Browsing,
		store:    s,
		apiBase:  apiBase{ctx},
	}
}

// Open loads an address in a new pane.
func (ba *BrowserAPI) Open(in api.ArgsOpenBrowser) (out pane.Info, err error) {
	defer ba.recoverProblem(&err)
	return ba.panes.OpenBrowser(ba.ctx, in)
}

// Close closes a pane and its page.
func (ba *BrowserAPI) Close(id string) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.panes.CloseBrowser(ba.ctx, id)
}

// Reopen opens the page of the user that was closed last, where it was scrolled to. Without one, it returns none.
func (ba *BrowserAPI) Reopen() (out *pane.Info, err error) {
	defer ba.recoverProblem(&err)
	return ba.panes.ReopenBrowser()
}

// Navigate loads an address.
func (ba *BrowserAPI) Navigate(id, url string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Navigation.Navigate(ba.ctx, url) })
}

// Back returns to the previous page.
func (ba *BrowserAPI) Back(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Navigation.Back(ba.ctx) })
}

// Forward undoes Back.
func (ba *BrowserAPI) Forward(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Navigation.Forward(ba.ctx) })
}

// Reload loads the page again, and restarts a page that crashed.
func (ba *BrowserAPI) Reload(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Navigation.Reload(ba.ctx) })
}

// Stop stops loading.
func (ba *BrowserAPI) Stop(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Navigation.Stop(ba.ctx) })
}

func (ba *BrowserAPI) with(id string, do func(*browser.Pane) error) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	p, err := ba.panes.Browser(id)
	if err != nil {
		return false, err
	}
	return true, do(p)
}

// WorkspaceAPI lists all panes, and stores their layout.
type WorkspaceAPI struct {
	panes *panes.Registry
	store *store.Store
	apiBase
}

// NewWorkspaceAPI makes the API; ctx is the program's life.
func NewWorkspaceAPI(ctx context.Context, p *panes.Registry, s *store.Store) *WorkspaceAPI {
	return &WorkspaceAPI{p, s, apiBase{ctx}}
}

// Panes lists all panes at one revision.
func (w *WorkspaceAPI) Panes() (out api.PaneList, err error) {
	defer w.recoverProblem(&err)
	return w.panes.Snapshot(), nil
}

// Files lists the files of a folder of the user and below, the nearest first, without those that git ignores.
func (w *WorkspaceAPI) Files(dir string) (out api.FolderFiles, err error) {
	defer w.recoverProblem(&err)
	return w.panes.FolderFiles(w.ctx, dir)
}

// FindFiles returns the absolute paths of those names that are files, and "" for the others. A name may be relative to
// the folder.
func (w *WorkspaceAPI) FindFiles(dir string, names []string) (paths []string, err error) {
	defer w.recoverProblem(&err)
	return w.panes.FindFiles(dir, names), nil
}

// EditLine opens a file in a new terminal pane with the user's editor, at a line. path is as FindFiles returns it.
func (w *WorkspaceAPI) EditLine(path string, line int) (out pane.Info, err error) {
	defer w.recoverProblem(&err)
	return w.panes.EditLine(w.ctx, path, line)
}

// Create adds a workspace with a name and a folder, and returns its id. Both may be "".
func (w *WorkspaceAPI) Create(name, folder string) (id string, err error) {
	defer w.recoverProblem(&err)
	return w.panes.Workspaces.Create(name, folder)
}

// Rename gives a workspace a name and a folder.
func (w *WorkspaceAPI) Rename(id, name, folder string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Rename(id, name, folder)
}

// Move moves a workspace to a place among the tabs, counted from 0.
func (w *WorkspaceAPI) Move(id string, to int) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Move(id, to)
}

// Close closes a workspace and the user's panes in it.
func (w *WorkspaceAPI) Close(id string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Close(w.ctx, id)
}

// Activate makes a workspace the one that new panes belong to.
func (w *WorkspaceAPI) Activate(id string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Activate(id)
}

// Show puts a pane of a goal beside the user's panes of a workspace, or back into the goal's tab.
func (w *WorkspaceAPI) Show(id, paneID string, on bool) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Show(id, paneID, on)
}

// AddGoal notes that a goal was started in a workspace.
func (w *WorkspaceAPI) AddGoal(id, goalID string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.AddGoal(id, goalID)
}

// CloseSoon closes the panes of a goal that has ended after a minute, unless they are kept.
func (w *WorkspaceAPI) CloseSoon(goalID string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.CloseSoon(goalID)
}

// Look notes that the user looks at the panes of a goal that has ended, or has turned away from them.
func (w *WorkspaceAPI) Look(goalID string, on bool) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Look(goalID, on)
}

// Keep keeps the panes of a goal that has ended until the user closes them.
func (w *WorkspaceAPI) Keep(goalID string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.panes.Workspaces.Keep(goalID)
}

// Export returns a workspace as a file has it.
func (w *WorkspaceAPI) Export(id string) (out api.WorkspaceFile, err error) {
	defer w.recoverProblem(&err)
	return w.panes.Workspaces.Export(id)
}

// Layout reads the layout of a workspace that was saved last, "" if there is none.
func (w *WorkspaceAPI) Layout(id string) (out string, err error) {
	defer w.recoverProblem(&err)
	return w.store.Workspace.Layout(w.ctx, panes.LayoutRow(id))
}

// SaveLayout saves the layout of a workspace, which is JSON of at most 1 MiB.
func (w *WorkspaceAPI) SaveLayout(id, body string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	if len(body) > 1<<20 || !json.Valid([]byte(body)) {
		return false, fault.New(fault.Refused, "the layout is not JSON of at most 1 MiB",
			"reload the page; the layout that was saved last stays")
	}
	return true, w.store.Workspace.SaveLayout(w.ctx, panes.LayoutRow(id), body)
}
