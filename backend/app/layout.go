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
	keepEvery = 20 * time.Second
	keepBytes = 512 << 10 // of a terminal's output
)

// keeper keeps the person's terminals for the next start, in the one process that
// holds the workspace.
type keeper struct {
	release func() error
	last    map[string]kept
}

// kept is what tells whether a terminal must be kept anew.
type kept struct {
	info pane.Info
	end  int64
	runs string
}

// RestoreWorkspace opens the person's terminals as they were, and keeps them from
// now on. Nothing that ran in them is started: the command is typed at the prompt
// and Enter is the person's. Terminals on servers attach to their sessions again.
// Where another process holds the workspace nothing happens.
func (a *App) RestoreWorkspace(ctx context.Context) error {
	release, ok, err := a.store.HoldWorkspace()
	if err != nil || !ok {
		return err
	}
	a.keeper.release = release
	list, err := a.store.Terminals(ctx)
	if err != nil {
		return fmt.Errorf("restore the workspace: %w", err)
	}
	for _, t := range list {
		a.panes.taken(t.ID)
		if err := a.restore(ctx, t); err != nil {
			a.log.Warn("a terminal was not restored", "pane", t.ID, "error", err)
		}
	}
	a.beside.Go(a.keepOn)
	return nil
}

func (a *App) restore(ctx context.Context, t store.Terminal) error {
	o := terminal.Options{ID: t.ID, Title: t.Title, Before: terminal.Restored(t.Output, t.SavedAt), Scrollback: a.scrollback()}
	if t.Server != "" {
		return a.restoreRemote(ctx, t, o)
	}
	o.Dir, o.Env = t.Dir, a.personEnv()
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		o.Dir = home()
	}
	s, err := a.terminals.Open(ctx, a.person, o)
	if err != nil {
		return fmt.Errorf("open terminal: %w", err)
	}
	if t.Command != "" {
		a.beside.Go(func() {
			if err := s.Offer(a.life, t.Command); err != nil && a.life.Err() == nil {
				a.log.Warn("a command was not offered", "pane", t.ID, "error", err)
			}
		})
	}
	return nil
}

// restoreRemote attaches to the session that the terminal showed. Without tmux
// there is none: connecting is left to the person.
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

// taken makes sure that no new pane gets the id.
func (p *panes) taken(id string) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.terms = max(p.terms, n)
}

// keepOn keeps the terminals now and then: a crash loses little.
func (a *App) keepOn() {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := a.keep(a.life); err != nil && a.life.Err() == nil {
				a.log.Warn("the terminals were not kept", "error", err)
			}
		case <-a.life.Done():
			return
		}
	}
}

// keep writes down the person's terminals if something of them has changed.
func (a *App) keep(ctx context.Context) error {
	now := map[string]kept{}
	var list []store.Terminal
	for _, info := range a.panes.Snapshot().Panes {
		if info.Kind != pane.Terminal || info.GoalID != "" && !info.Lent {
			continue
		}
		s, err := a.terminals.Get(info.ID)
		if err != nil {
			continue // closed meanwhile
		}
		line, _ := s.Running()
		_, end := s.Range()
		now[info.ID] = kept{info, end, line}
		t := store.Terminal{ID: info.ID, Title: info.Title, Dir: info.Cwd, Command: line}
		if link, ok := a.ssh.Link(info.ID); ok {
			t.Server, t.Session, t.Command = link.Server().ID, link.Session(), ""
		}
		list = append(list, t)
	}
	if same(a.keeper.last, now) {
		return nil
	}
	for i := range list {
		s, err := a.terminals.Get(list[i].ID)
		if err == nil {
			list[i].Output = s.Tail(keepBytes)
		}
	}
	if err := a.store.SaveTerminals(ctx, list); err != nil {
		return err
	}
	a.keeper.last = now
	return nil
}

func same(a, b map[string]kept) bool {
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

// letGo keeps the terminals a last time, before they are closed, and ends what
// runs beside them.
func (a *App) letGo(ctx context.Context) error {
	var errs []error
	if a.end != nil {
		a.end()
		a.beside.Wait()
	}
	if a.keeper.release != nil {
		errs = append(errs, a.keep(context.WithoutCancel(ctx)), a.keeper.release())
	}
	if a.ssh != nil {
		errs = append(errs, a.ssh.Close())
	}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
