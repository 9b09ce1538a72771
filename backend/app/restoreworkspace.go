package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/pane"
	"goalpost/backend/store"
	"goalpost/backend/terminal"
)

const (
	saveInterval = 20 * time.Second
	saveMaxBytes = 512 << 10 // of a terminal's output
)

// workspaceSaver keeps the user's terminals for the next start, in the one process that
// holds the workspace.
type workspaceSaver struct {
	release func() error
	last    map[string]savedState
}

// savedState is what tells whether a terminal must be kept again.
type savedState struct {
	info pane.Info
	end  int64
	runs string
}

// RestoreWorkspace opens the user's terminals as they were, and keeps them from
// now on. Nothing that ran in them is started: the command is typed at the prompt
// and Enter is the user's. Terminals on servers attach to their sessions again.
// Where another process holds the workspace nothing happens.
func (a *App) RestoreWorkspace(ctx context.Context) error {
	release, ok, err := a.store.HoldWorkspace()
	if err != nil || !ok {
		return err
	}
	a.workspaceSaver.release = release
	list, err := a.store.Terminals(ctx)
	if err != nil {
		return fmt.Errorf("restore the workspace: %w", err)
	}
	for _, t := range list {
		a.panes.reserveID(t.ID)
		if err := a.restore(ctx, t); err != nil {
			a.log.Warn("a terminal was not restored", "pane", t.ID, "error", err)
		}
	}
	a.background.Go(a.startSaving)
	return nil
}

func (a *App) restore(ctx context.Context, t store.Terminal) error {
	o := terminal.Options{ID: t.ID, Title: t.Title, Before: terminal.RestoredScrollback(t.Output, t.SavedAt), Scrollback: a.scrollback()}
	if t.Server != "" {
		return a.restoreRemote(ctx, t, o)
	}
	o.Dir, o.Env = t.Dir, a.userEnv()
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		o.Dir = home()
	}
	s, err := a.terminals.Open(ctx, a.userPrograms, o)
	if err != nil {
		return fmt.Errorf("open terminal: %w", err)
	}
	if t.Command != "" {
		a.background.Go(func() {
			if err := s.TypeAtPrompt(a.lifetime, t.Command); err != nil && a.lifetime.Err() == nil {
				a.log.Warn("a command was not offered", "pane", t.ID, "error", err)
			}
		})
	}
	return nil
}

// restoreRemote attaches to the session that the terminal showed. Without tmux
// there is none: connecting is left to the user.
func (a *App) restoreRemote(ctx context.Context, t store.Terminal, o terminal.Options) error {
	server, err := a.store.Server(ctx, t.Server)
	if errors.Is(err, os.ErrNotExist) {
		a.log.Info("a terminal's server is gone", "pane", t.ID, "server", t.Server)
		return nil
	}
	if err != nil {
		return err
	}
	if t.Session == "" || !server.Tmux {
		o.Asleep = true
		o.Note.Problem = "Not connected."
	}
	_, err = a.connect(ctx, server, t.Session, true, o)
	return err
}

// reserveID makes sure that no new pane gets the id.
func (p *panes) reserveID(id string) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.terms = max(p.terms, n)
}

// startSaving keeps the terminals now and then: a crash loses little.
func (a *App) startSaving() {
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := a.saveTerminals(a.lifetime); err != nil && a.lifetime.Err() == nil {
				a.log.Warn("the terminals were not kept", "error", err)
			}
		case <-a.lifetime.Done():
			return
		}
	}
}

// saveTerminals writes down the user's terminals if something of them has changed.
func (a *App) saveTerminals(ctx context.Context) error {
	now := map[string]savedState{}
	var list []store.Terminal
	for _, info := range a.panes.Snapshot().Panes {
		if info.Kind != pane.Terminal || info.GoalID != "" && !info.Shared {
			continue
		}
		s, err := a.terminals.Get(info.ID)
		if err != nil {
			continue // closed
		}
		line, _ := s.Running()
		_, end := s.Range()
		now[info.ID] = savedState{info, end, line}
		t := store.Terminal{ID: info.ID, Title: info.Title, Dir: info.Cwd, Command: line}
		if link, ok := a.ssh.Connection(info.ID); ok {
			t.Server, t.Session, t.Command = link.Server().ID, link.Session(), ""
		}
		list = append(list, t)
	}
	if unchanged(a.workspaceSaver.last, now) {
		return nil
	}
	for i := range list {
		s, err := a.terminals.Get(list[i].ID)
		if err == nil {
			list[i].Output = s.Tail(saveMaxBytes)
		}
	}
	if err := a.store.SaveTerminals(ctx, list); err != nil {
		return err
	}
	a.workspaceSaver.last = now
	return nil
}

func unchanged(a, b map[string]savedState) bool {
	if len(a) != len(b) {
		return false
	}
	for id, k := range a {
		if b[id] != k {
			return false
		}
	}
	return true
}

// stopSaving keeps the terminals a last time, before they are closed, and ends what
// runs beside them.
func (a *App) stopSaving(ctx context.Context) error {
	var errs []error
	if a.end != nil {
		a.end()
		a.background.Wait()
	}
	if a.workspaceSaver.release != nil {
		errs = append(errs, a.saveTerminals(context.WithoutCancel(ctx)), a.workspaceSaver.release())
	}
	if a.ssh != nil {
		errs = append(errs, a.ssh.Close())
	}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
