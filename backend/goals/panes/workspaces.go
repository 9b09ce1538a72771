package panes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Workspaces has the user's workspaces, which all viewers share. Each change is saved and published. All methods may be
// called concurrently.
type Workspaces struct {
	panes *Registry

	mu     sync.Mutex
	state  pane.Workspaces
	loaded bool
	newest int             // number of the newest id: w1, w2, …
	kept   map[string]bool // goals whose panes the user keeps

	countdowns map[string]*countdown // of goals that have ended
}

const (
	// workspacesRow is the row of the layouts that has the workspaces.
	workspacesRow = "workspaces"
	maxWorkspaces = 50
	// maxStartedGoals is how many of its goals a workspace remembers.
	maxStartedGoals = 200
	// closeAfter is how long the panes of a goal stay after its end.
	closeAfter = time.Minute
)

// load reads the saved workspaces once. The caller holds mu.
func (w *Workspaces) load() {
	if w.loaded {
		return
	}
	w.loaded = true
	if w.panes.Workspace.isHeld() {
		body, err := w.panes.Store.Workspace.Layout(w.panes.Background.ctx, workspacesRow)
		if err == nil && body != "" {
			err = json.Unmarshal([]byte(body), &w.state)
		}
		if err != nil {
			w.panes.Log.Warn("the workspaces were not restored", "error", err)
		}
	}
	if len(w.state.List) == 0 {
		w.state.List = []pane.Workspace{{ID: "w1", Name: "Workspace"}}
	}
	for _, one := range w.state.List {
		n, _ := strconv.Atoi(strings.TrimPrefix(one.ID, "w"))
		w.newest = max(w.newest, n)
	}
	if w.index(w.state.Active) < 0 {
		w.state.Active = w.state.List[0].ID
	}
	w.state.Closing = map[string]int64{}
}

// index returns the place of a workspace, -1 if there is none. The caller holds mu.
func (w *Workspaces) index(id string) int {
	return slices.IndexFunc(w.state.List, func(have pane.Workspace) bool { return have.ID == id })
}

// Get returns the workspaces.
func (w *Workspaces) Get() pane.Workspaces {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.load()
	return w.copy()
}

// copy returns the state, which later changes do not touch. The caller holds mu.
func (w *Workspaces) copy() pane.Workspaces {
	out := pane.Workspaces{Active: w.state.Active, Closing: map[string]int64{}}
	for _, one := range w.state.List {
		one.Panes, one.Goals = append([]string{}, one.Panes...), append([]string{}, one.Goals...)
		out.List = append(out.List, one)
	}
	for id, at := range w.state.Closing {
		out.Closing[id] = at
	}
	return out
}

// change changes the workspaces, saves and publishes them.
func (w *Workspaces) change(do func() error) error {
	w.mu.Lock()
	w.load()
	if err := do(); err != nil {
		w.mu.Unlock()
		return err
	}
	now := w.copy()
	err := w.save(now)
	w.panes.publishWorkspaces(now)
	w.mu.Unlock()
	return err
}

// save stores the workspaces, unless another process has them. While the program closes its panes, they stay as they
// were.
func (w *Workspaces) save(now pane.Workspaces) error {
	ctx := w.panes.Background.ctx
	if !w.panes.Workspace.isHeld() || ctx.Err() != nil {
		return nil
	}
	now.Closing = nil
	body, err := json.Marshal(now)
	if err == nil {
		err = w.panes.Store.Workspace.SaveLayout(ctx, workspacesRow, string(body))
	}
	if err != nil {
		return fmt.Errorf("save the workspaces: %w", err)
	}
	return nil
}

// prune forgets the panes that were not restored.
func (w *Workspaces) prune() {
	isGone := func(id string) bool {
		_, isBrowser := w.panes.Browsers.Get(id)
		_, isFile := w.panes.Files.Get(id)
		_, err := w.panes.Terminals.Get(id)
		return !isBrowser && !isFile && err != nil
	}
	w.warn(w.change(func() error {
		for i := range w.state.List {
			one := &w.state.List[i]
			one.Panes = slices.DeleteFunc(one.Panes, isGone)
		}
		return nil
	}))
}

// changeOne changes one workspace.
func (w *Workspaces) changeOne(id string, do func(*pane.Workspace) error) error {
	return w.change(func() error {
		i := w.index(id)
		if i < 0 {
			return fault.New(fault.NotFound, "this workspace was closed", "choose another one")
		}
		return do(&w.state.List[i])
	})
}

// publishWorkspaces publishes the workspaces as a change of the list of panes.
func (r *Registry) publishWorkspaces(list pane.Workspaces) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rev++
	r.Broker.Publish(event.Event{At: r.Clock.Now(), Body: &event.Pane{Rev: r.rev, Workspaces: &list}})
}

// Create adds a workspace behind the others and makes it the active one. folder "" is the home folder.
func (w *Workspaces) Create(name, folder string) (id string, err error) {
	if folder, err = existingFolder(folder); err != nil {
		return "", err
	}
	err = w.change(func() error {
		if len(w.state.List) >= maxWorkspaces {
			return fault.New(fault.Refused, fmt.Sprintf("there are %d workspaces already", maxWorkspaces), "close one first")
		}
		w.newest++
		id = fmt.Sprintf("w%d", w.newest)
		name = text.SanitizeLine(strings.TrimSpace(name), 60)
		if name == "" && folder != "" {
			name = filepath.Base(folder)
		}
		if name == "" {
			name = fmt.Sprintf("Workspace %d", w.newest)
		}
		w.state.List = append(w.state.List, pane.Workspace{ID: id, Name: name, Folder: folder})
		w.state.Active = id
		return nil
	})
	return id, err
}

// existingFolder returns the absolute path of a folder, which may begin with ~.
func existingFolder(folder string) (string, error) {
	folder = strings.TrimSpace(folder)
	if folder == "" {
		return "", nil
	}
	if rest, ok := strings.CutPrefix(folder, "~"); ok {
		folder = filepath.Join(homeDir(), rest)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || !filepath.IsAbs(folder) {
		return "", fault.Invalid("folder", "the folder "+folder+" does not exist", "choose a folder that exists")
	}
	return filepath.Clean(folder), nil
}

// Rename gives a workspace a name and a folder.
func (w *Workspaces) Rename(id, name, folder string) error {
	folder, err := existingFolder(folder)
	if err != nil {
		return err
	}
	return w.changeOne(id, func(one *pane.Workspace) error {
		if name = text.SanitizeLine(strings.TrimSpace(name), 60); name == "" {
			return fault.Invalid("name", "the workspace needs a name", "type one")
		}
		one.Name, one.Folder = name, folder
		return nil
	})
}

// Move moves a workspace to a place among the tabs.
func (w *Workspaces) Move(id string, to int) error {
	return w.change(func() error {
		i := w.index(id)
		if i < 0 {
			return nil
		}
		one := w.state.List[i]
		w.state.List = slices.Delete(w.state.List, i, i+1)
		w.state.List = slices.Insert(w.state.List, min(max(to, 0), len(w.state.List)), one)
		return nil
	})
}

// Activate notes that the user acts in a workspace: new panes belong to it.
func (w *Workspaces) Activate(id string) error {
	if w.Get().Active == id {
		return nil
	}
	return w.changeOne(id, func(one *pane.Workspace) error {
		w.state.Active = one.ID
		return nil
	})
}

// Show puts a pane of a goal beside the user's panes of a workspace, or back into the goal's tab. It also moves a pane
// of the user to another workspace.
func (w *Workspaces) Show(id, paneID string, on bool) error {
	return w.changeOne(id, func(one *pane.Workspace) error {
		w.forget(paneID)
		if on {
			one.Panes = append(one.Panes, paneID)
		}
		return nil
	})
}

// AddGoal notes that a goal was started in a workspace.
func (w *Workspaces) AddGoal(id, goalID string) error {
	return w.changeOne(id, func(one *pane.Workspace) error {
		if !slices.Contains(one.Goals, goalID) {
			one.Goals = append(one.Goals, goalID)
			one.Goals = one.Goals[max(0, len(one.Goals)-maxStartedGoals):]
		}
		return nil
	})
}

// Close closes a workspace with the user's panes in it. The last workspace stays.
func (w *Workspaces) Close(ctx context.Context, id string) error {
	var ids []string
	err := w.changeOne(id, func(one *pane.Workspace) error {
		if len(w.state.List) == 1 {
			return fault.New(fault.Refused, "the last workspace stays", "close its panes instead")
		}
		ids = one.Panes
		i := w.index(id)
		w.state.List = slices.Delete(w.state.List, i, i+1)
		if w.state.Active == id {
			w.state.Active = w.state.List[max(0, i-1)].ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, info := range w.panes.Snapshot().Panes {
		if !slices.Contains(ids, info.ID) || info.GoalID != "" && !info.Shared {
			continue
		}
		errs = append(errs, w.panes.closePane(ctx, info))
	}
	return errors.Join(errs...)
}

// forget removes a pane from all workspaces. The caller holds mu.
func (w *Workspaces) forget(paneID string) bool {
	found := false
	for i := range w.state.List {
		one := &w.state.List[i]
		if at := slices.Index(one.Panes, paneID); at >= 0 {
			one.Panes = slices.Delete(one.Panes, at, at+1)
			found = true
		}
	}
	return found
}

// place puts a new pane of the user into the workspace of its opener, or into the active one.
func (w *Workspaces) place(info pane.Info, opener string) {
	if info.GoalID != "" && !info.Shared {
		return
	}
	w.mu.Lock()
	w.load()
	in := w.state.Active
	for _, one := range w.state.List {
		if slices.Contains(one.Panes, info.ID) {
			w.mu.Unlock()
			return
		}
		if opener != "" && slices.Contains(one.Panes, opener) {
			in = one.ID
		}
	}
	w.mu.Unlock()
	w.warn(w.changeOne(in, func(one *pane.Workspace) error {
		one.Panes = append(one.Panes, info.ID)
		return nil
	}))
}

// remove forgets a pane that was closed.
func (w *Workspaces) remove(paneID string) {
	w.mu.Lock()
	w.load()
	has := slices.ContainsFunc(w.state.List, func(one pane.Workspace) bool { return slices.Contains(one.Panes, paneID) })
	w.mu.Unlock()
	if !has {
		return
	}
	w.warn(w.change(func() error {
		w.forget(paneID)
		return nil
	}))
}

func (w *Workspaces) warn(err error) {
	if err != nil {
		w.panes.Log.Warn("the workspaces were not saved", "error", err)
	}
}

// CloseSoon closes the panes of a goal that has ended after a minute, unless the user keeps them. They stay as long as
// the user looks at them, and as long as a program of the goal serves.
func (w *Workspaces) CloseSoon(goalID string) error {
	w.mu.Lock()
	w.load()
	known := w.kept[goalID] || w.countdowns[goalID] != nil
	w.mu.Unlock()
	if known {
		return nil
	}
	return w.change(func() error {
		if !w.kept[goalID] && w.countdowns[goalID] == nil {
			w.begin(goalID)
		}
		return nil
	})
}

// Look notes that the user looks at the panes of a goal that has ended, or has turned away from them. The note lasts a
// minute, because a window can end without a word.
func (w *Workspaces) Look(goalID string, on bool) error {
	w.mu.Lock()
	w.load()
	c := w.countdowns[goalID]
	if c != nil && on {
		c.lookedAt = w.panes.Clock.Now()
	}
	isKnown := c == nil || on && w.state.Closing[goalID] == 0
	w.mu.Unlock()
	if isKnown {
		return nil
	}
	return w.change(func() error {
		switch {
		case w.countdowns[goalID] == nil:
		case on:
			w.state.Closing[goalID] = 0
		default:
			w.begin(goalID)
		}
		return nil
	})
}

// begin begins a countdown of a goal anew. The caller holds mu.
func (w *Workspaces) begin(goalID string) {
	w.stop(goalID)
	ctx, end := context.WithCancel(w.panes.Background.ctx)
	c := &countdown{end: end}
	w.countdowns[goalID] = c
	w.state.Closing[goalID] = w.panes.Clock.Now().Add(closeAfter).UnixMilli()
	over := w.panes.Clock.After(closeAfter)
	w.panes.Background.work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-over:
			}
			if w.isOver(ctx, goalID, c) {
				w.closeNow(goalID, c)
				return
			}
			over = w.panes.Clock.After(closeAfter)
		}
	})
}

// isOver reports whether the panes of a goal are to be closed now. Panes that had a reason to stay get another minute
// once it is gone, which the user sees.
func (w *Workspaces) isOver(ctx context.Context, goalID string, c *countdown) bool {
	serves := w.panes.Serves(ctx, goal.ID(goalID))
	over := false
	w.warn(w.change(func() error {
		stays := serves || w.panes.Clock.Now().Sub(c.lookedAt) < closeAfter
		before := w.state.Closing[goalID]
		switch {
		case w.countdowns[goalID] != c:
		case stays:
			w.state.Closing[goalID] = 0
		case before == 0:
			w.state.Closing[goalID] = w.panes.Clock.Now().Add(closeAfter).UnixMilli()
		default:
			over = true
		}
		return nil
	}))
	return over
}

// countdown is that of the panes of a goal that has ended.
type countdown struct {
	lookedAt time.Time
	end      context.CancelFunc
}

// Keep keeps the panes of a goal that has ended until the user closes them.
func (w *Workspaces) Keep(goalID string) error {
	return w.change(func() error {
		if w.kept == nil {
			w.kept = map[string]bool{}
		}
		w.kept[goalID] = true
		w.stop(goalID)
		return nil
	})
}

// stop ends the countdown of a goal. The caller holds mu.
func (w *Workspaces) stop(goalID string) {
	if c := w.countdowns[goalID]; c != nil {
		c.end()
	}
	delete(w.countdowns, goalID)
	delete(w.state.Closing, goalID)
}

// Resumed ends the countdown of a goal that runs again, and forgets that its panes were kept.
func (w *Workspaces) Resumed(goalID string) {
	w.mu.Lock()
	known := w.kept[goalID] || w.countdowns[goalID] != nil
	w.mu.Unlock()
	if !known {
		return
	}
	w.warn(w.change(func() error {
		delete(w.kept, goalID)
		w.stop(goalID)
		return nil
	}))
}

// closeNow closes the panes of a goal. Those that the user shows beside their own stay.
func (w *Workspaces) closeNow(goalID string, c *countdown) {
	shown := map[string]bool{}
	w.mu.Lock()
	due := w.countdowns[goalID] == c
	for _, one := range w.state.List {
		for _, id := range one.Panes {
			shown[id] = true
		}
	}
	w.mu.Unlock()
	if !due {
		return
	}
	w.warn(w.change(func() error {
		w.stop(goalID)
		return nil
	}))
	ctx := w.panes.Background.ctx
	for _, info := range w.panes.Snapshot().Panes {
		if info.GoalID != goalID || info.Shared || shown[info.ID] {
			continue
		}
		if err := w.panes.closePane(ctx, info); err != nil && ctx.Err() == nil {
			w.panes.Log.Warn("a pane of a goal that has ended was not closed", "pane", info.ID, "error", err)
		}
	}
}

// Export returns a workspace with the user's panes in it, as a file has it.
func (w *Workspaces) Export(id string) (api.WorkspaceFile, error) {
	file := api.WorkspaceFile{Version: 1, Panes: []api.WorkspacePane{}}
	var ids []string
	for _, one := range w.Get().List {
		if one.ID == id {
			file.Name, file.Folder, ids = one.Name, one.Folder, one.Panes
		}
	}
	for _, info := range w.panes.Snapshot().Panes {
		if !slices.Contains(ids, info.ID) || info.GoalID != "" && !info.Shared || info.Server != "" || info.Inspects != "" {
			continue
		}
		if info.Kind == pane.TextFile {
			continue // the file is elsewhere on another computer
		}
		out := api.WorkspacePane{ID: info.ID, Kind: info.Kind, Title: info.Title, Dir: info.Cwd, URL: info.URL}
		if s, err := w.panes.Terminals.Get(info.ID); err == nil {
			out.Command, _ = s.Running()
		}
		file.Panes = append(file.Panes, out)
	}
	layout, err := w.panes.Store.Workspace.Layout(w.panes.Background.ctx, LayoutRow(id))
	file.Layout = layout
	return file, err
}

// LayoutRow is the row with the layout of a workspace. The first one has the row from before there were several.
func LayoutRow(id string) string {
	if id == "w1" {
		return "main"
	}
	return "workspace " + id
}
