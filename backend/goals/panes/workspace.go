package panes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/storage/store"
)

// Workspace restores the user's terminals and saves them for the next start.
type Workspace struct {
	panes      *Registry
	servers    *SSH
	background *background

	release func() error // nil if another process has the workspace

	saving sync.Mutex            // one save at a time
	last   map[string]savedState // what was saved last, by terminal
	pages  []browser.SavedPage   // what was saved last

	// Each has a token if something is to be saved now: a page has another address; a terminal was opened or closed.
	pagesMoved, terminalsMoved chan struct{}
}

// onChange wakes the saving after a pane has changed.
func (w *Workspace) onChange(info pane.Info, isNew, closed bool) {
	moved := w.pagesMoved
	switch {
	case info.Kind == pane.Browser && !info.Loading:
	case info.Kind == pane.Terminal && (isNew || closed):
		moved = w.terminalsMoved
	default:
		return
	}
	select {
	case moved <- struct{}{}:
	default:
	}
}

// pagesRow is the row of the layouts that has the user's pages.
const pagesRow = "pages"

// restorePages makes the panes of the user's pages. A page is loaded when its pane is shown.
func (w *Workspace) restorePages(ctx context.Context) {
	body, err := w.panes.Store.Workspace.Layout(ctx, pagesRow)
	if err == nil && body != "" {
		err = json.Unmarshal([]byte(body), &w.pages)
	}
	if err != nil {
		w.panes.Log.Warn("the pages were not restored", "error", err)
	}
	for _, s := range w.pages {
		w.panes.reserveID(s.ID)
		if _, err := w.panes.Browsers.OpenAsleep(s); err != nil {
			w.panes.Log.Warn("a page was not restored", "pane", s.ID, "error", err)
		}
	}
}

// SavePages saves the addresses of the user's pages and how far they are scrolled, if any has changed. A temporary page
// is not saved.
func (w *Workspace) SavePages(ctx context.Context) error {
	w.saving.Lock()
	defer w.saving.Unlock()
	list := []browser.SavedPage{}
	for _, info := range w.panes.Snapshot().Panes {
		if info.Kind != pane.Browser || info.GoalID != "" && !info.Shared || info.Profile == "" || info.Inspects != "" {
			continue
		}
		if p, ok := w.panes.Browsers.Get(info.ID); ok {
			list = append(list, p.Save(ctx))
		}
	}
	if reflect.DeepEqual(list, w.pages) {
		return nil
	}
	body, err := json.Marshal(list)
	if err == nil {
		err = w.panes.Store.Workspace.SaveLayout(ctx, pagesRow, string(body))
	}
	if err != nil {
		return fmt.Errorf("save the pages: %w", err)
	}
	w.pages = list
	return nil
}

const (
	saveInterval  = 20 * time.Second
	maxSavedBytes = 512 << 10 // of a terminal's output
)

// savedState is the state of a saved terminal, which shows whether it has changed since.
type savedState struct {
	info pane.Info
	end  int64
	runs string
}

// RestoreWorkspace reopens the user's terminals and saves them from now on. It types the command that ran in a terminal
// at its prompt, for the user to press Enter. Terminals on servers attach to their sessions again. If another process
// has the workspace, it does nothing.
func (w *Workspace) RestoreWorkspace(ctx context.Context) error {
	release, ok, err := w.panes.Store.Workspace.HoldWorkspace()
	if err != nil || !ok {
		return err
	}
	w.release = release
	list, err := w.panes.Store.Workspace.Terminals(ctx)
	if err != nil {
		return fmt.Errorf("restore the workspace: %w", err)
	}
	for _, t := range list {
		w.panes.reserveID(t.ID)
		if err := w.restore(ctx, t); err != nil {
			w.panes.Log.Warn("a terminal was not restored", "pane", t.ID, "error", err)
		}
	}
	w.restorePages(ctx)
	w.restoreFiles(ctx)
	w.panes.Workspaces.prune()
	w.background.work.Go(w.saveRegularly)
	return nil
}

// isHeld reports whether this process has the workspace.
func (w *Workspace) isHeld() bool { return w.release != nil }

func (w *Workspace) restore(ctx context.Context, t store.Terminal) error {
	o := terminal.Options{
		ID:         t.ID,
		Title:      t.Title,
		Before:     terminal.RestoredScrollback(t.Output, t.SavedAt),
		Scrollback: w.panes.Scrollback(),
	}
	if t.Server != "" {
		return w.restoreRemote(ctx, t, o)
	}
	o.Dir, o.Env = t.Dir, w.panes.shellEnv(os.Environ())
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		o.Dir = homeDir()
	}
	w.restoreProfile(t, &o)
	s, err := w.panes.Terminals.Open(ctx, w.panes.Programs, o)
	if err != nil {
		return fmt.Errorf("open terminal: %w", err)
	}
	if t.Command != "" {
		w.typeAtPrompt(s, t.Command)
	}
	return nil
}

// restoreProfile gives a terminal the profile that it had, in the folder in which it was. One that cannot be used any
// more is named in the terminal, which gets the user's shell.
func (w *Workspace) restoreProfile(t store.Terminal, o *terminal.Options) {
	profile, ok := w.panes.Config.TerminalProfile(t.Profile)
	if t.Profile == "" || !ok {
		return
	}
	with := *o
	with.Env = slices.Clone(o.Env)
	profile.Dir = ""
	if err := w.panes.applyProfile(profile, &with); err != nil {
		o.Before = append(o.Before, "\r\nNot started as before: "+text.Sanitize(err.Error())+"\r\n"...)
		return
	}
	*o = with
}

// typeAtPrompt types a command at the next prompt, for the user to press Enter.
func (w *Workspace) typeAtPrompt(s *terminal.Session, command string) {
	w.background.work.Go(func() {
		if err := s.TypeAtPrompt(w.background.ctx, command); err != nil && w.background.ctx.Err() == nil {
			w.panes.Log.Warn("a command was not typed at its prompt", "pane", s.ID(), "error", err)
		}
	})
}

// restoreRemote attaches to the session that the terminal showed. Without tmux there is no session, and the user has to
// connect.
func (w *Workspace) restoreRemote(ctx context.Context, t store.Terminal, o terminal.Options) error {
	server, err := w.panes.Store.Workspace.Server(ctx, t.Server)
	if errors.Is(err, os.ErrNotExist) {
		w.panes.Log.Info("a terminal's server was deleted", "pane", t.ID, "server", t.Server)
		return nil
	}
	if err != nil {
		return err
	}
	if t.Session == "" || !server.Tmux {
		o.Asleep = true
		o.Note.Problem = "Not connected."
	}
	_, err = w.servers.connectPane(ctx, server, t.Session, true, o)
	return err
}

// reserveID ensures that no new pane gets the id.
func (r *Registry) reserveID(id string) {
	if id == "" {
		return
	}
	n, err := strconv.Atoi(id[1:])
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest[id[0]] = max(r.newest[id[0]], n)
}

// saveRegularly saves the terminals at intervals until the program closes, so that a crash loses little.
func (w *Workspace) saveRegularly() {
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	save := func(what string, f func(context.Context) error) {
		if err := f(w.background.ctx); err != nil && w.background.ctx.Err() == nil {
			w.panes.Log.Warn("the "+what+" were not saved", "error", err)
		}
	}
	for {
		select {
		case <-tick.C:
			save("terminals", w.SaveTerminals)
			save("pages", w.SavePages)
			w.discardIdlePages()
		case <-w.pagesMoved:
			save("pages", w.SavePages)
		case <-w.terminalsMoved:
			save("terminals", w.SaveTerminals)
		case <-w.background.ctx.Done():
			return
		}
	}
}

// discardIdlePages ends the pages that nobody has seen for the time in the settings.
func (w *Workspace) discardIdlePages() {
	if minutes := w.panes.Config.Settings().PageIdleMinutes; minutes > 0 {
		w.panes.Browsers.DiscardIdle(w.background.ctx, time.Duration(minutes)*time.Minute)
	}
}

// SaveTerminals saves the user's terminals, if any has changed.
func (w *Workspace) SaveTerminals(ctx context.Context) error {
	w.saving.Lock()
	defer w.saving.Unlock()
	now := map[string]savedState{}
	var list []store.Terminal
	for _, info := range w.panes.Snapshot().Panes {
		if info.Kind != pane.Terminal || info.GoalID != "" && !info.Shared {
			continue
		}
		s, err := w.panes.Terminals.Get(info.ID)
		if err != nil {
			continue // closed
		}
		line, _ := s.Running()
		_, end := s.Range()
		now[info.ID] = savedState{info, end, line}
		t := store.Terminal{ID: info.ID, Title: info.Title, Dir: info.Cwd, Command: line, Profile: info.TerminalProfile}
		if link, ok := w.servers.Client.Connection(info.ID); ok {
			t.Server, t.Session, t.Command = link.Server().ID, link.Session(), ""
		}
		list = append(list, t)
	}
	if maps.Equal(w.last, now) {
		return nil
	}
	for i := range list {
		s, err := w.panes.Terminals.Get(list[i].ID)
		if err == nil {
			list[i].Output = s.Tail(maxSavedBytes)
		}
	}
	if err := w.panes.Store.Workspace.SaveTerminals(ctx, list); err != nil {
		return err
	}
	w.last = now
	return nil
}

// StopSaving saves the terminals a last time, before they are closed, and ends the background work.
func (w *Workspace) StopSaving(ctx context.Context) error {
	var errs []error
	if w.background.end != nil {
		w.background.end()
		w.background.work.Wait()
	}
	if w.release != nil {
		last := context.WithoutCancel(ctx)
		errs = append(errs, w.SaveTerminals(last), w.SavePages(last), w.release())
	}
	if w.servers.Client != nil {
		errs = append(errs, w.servers.Client.Close())
	}
	return errors.Join(errs...)
}
