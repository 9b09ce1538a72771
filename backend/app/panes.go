package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/terminal"
)

// panes is the list of all panes, whoever opened them, with a revision that
// grows with every change. It is what the page draws from.
type panes struct {
	app *App

	mu     sync.Mutex
	shares map[string]*paneShare // panes of the user that a goal may drive
	named  map[string]string     // titles given to browser panes
	rev    int64
	list   []pane.Info // in the order in which they were opened
	terms  int         // names of panes: t1, t2, b1, …
	pages  int
}

// validateShareable refuses panes that are not there, or that a goal has already.
func (p *panes) validateShareable(ids []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		i := slices.IndexFunc(p.list, func(have pane.Info) bool { return have.ID == id })
		switch {
		case i < 0:
			return &fault.Error{Field: "panes", Message: fmt.Sprintf("there is no pane %q in this program", id), Hint: "leave it out for new ones; panes of the window are given in its dialog"}
		case p.list[i].GoalID != "" || p.shares[id] != nil:
			return &fault.Error{Field: "panes", Message: fmt.Sprintf("the pane %q belongs to another goal", id), Hint: "choose one of your own"}
		}
	}
	return nil
}

// onChange takes news of a terminal or a browser and tells everyone who listens.
func (p *panes) onChange(info pane.Info, closed bool) {
	p.mu.Lock()
	info = p.leasedTerminal(info)
	if title, ok := p.named[info.ID]; ok {
		info.Title = title
	}
	if closed {
		delete(p.shares, info.ID)
		delete(p.named, info.ID)
	}
	p.publish(info, closed)
	p.mu.Unlock()
	if closed && info.GoalID != "" {
		p.journalRelease(goal.ID(info.GoalID), info.ID)
		p.app.browsing.onPaneClosed(info)
	}
}

// journalRelease journals that a goal has a pane no more.
func (p *panes) journalRelease(id goal.ID, name string) {
	if err := p.app.store.ReleaseLease(context.Background(), id, name); err != nil {
		p.app.log.Warn("the end of a lease", "goal", id, "pane", name, "error", err)
	}
}

// rename gives a browser pane a title that stays whatever its page is called.
func (p *panes) rename(info pane.Info, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.named == nil {
		p.named = map[string]string{}
	}
	p.named[info.ID] = title
	info.Title = title
	p.publish(info, false)
}

// focus asks the window to bring a pane to the front of its tabs.
func (p *panes) focus(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, info := range p.list {
		if info.ID == id {
			p.rev++
			p.app.broker.Publish(event.Event{At: p.app.now(), Body: &event.Pane{Rev: p.rev, Pane: info, Focus: true}})
		}
	}
}

func (p *panes) isShared(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.list, func(i pane.Info) bool { return i.ID == id && i.Shared })
}

// publish brings the list up to date and says so; mu is held.
func (p *panes) publish(info pane.Info, closed bool) {
	i := slices.IndexFunc(p.list, func(have pane.Info) bool { return have.ID == info.ID })
	switch {
	case closed && i < 0:
		return
	case closed:
		p.list = slices.Delete(p.list, i, i+1)
	case i < 0:
		p.list = append(p.list, info)
	case p.list[i] == info:
		return
	default:
		p.list[i] = info
	}
	p.rev++
	p.app.broker.Publish(event.Event{At: p.app.now(), Body: &event.Pane{Rev: p.rev, Pane: info, Closed: closed}})
}

// Snapshot is the list at one revision.
func (p *panes) Snapshot() api.PaneList {
	p.mu.Lock()
	defer p.mu.Unlock()
	return api.PaneList{Rev: p.rev, Panes: append([]pane.Info{}, p.list...)}
}

// newID gives a new pane its id.
func (p *panes) newID(k pane.Kind) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k == pane.Terminal {
		p.terms++
		return fmt.Sprintf("t%d", p.terms)
	}
	p.pages++
	return fmt.Sprintf("b%d", p.pages)
}

func (p *panes) OpenTerminal(ctx context.Context, in api.ArgsOpenTerminal) (pane.Info, error) {
	dir := in.Dir
	if dir == "" {
		dir = home()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return pane.Info{}, &fault.Error{Code: fault.Refused, Message: "the folder " + dir + " does not exist", Field: "dir"}
	}
	s, err := p.app.terminals.Open(ctx, p.app.userPrograms, terminal.Options{
		ID: p.newID(pane.Terminal), Dir: dir, Env: p.app.userEnv(), Cols: in.Cols, Rows: in.Rows, Scrollback: p.app.scrollback(),
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open terminal: %w", err)
	}
	return s.Info(), nil
}

func (p *panes) terminal(id string) (*terminal.Session, error) {
	s, err := p.app.terminals.Get(id)
	if err != nil {
		return nil, noPane(id)
	}
	return s, nil
}

func noPane(id string) error {
	if _, _, elsewhere := splitPeerPane(id); elsewhere {
		return &fault.Error{Code: fault.Conflict, Message: errReadOnlyPane.Error(), Hint: "take part there, or end that process and resume the goal here"}
	}
	return &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("there is no pane %q", id), Hint: "it may have been closed"}
}

func (p *panes) RestartTerminal(ctx context.Context, id string) (pane.Info, error) {
	s, err := p.terminal(id)
	if err != nil {
		return pane.Info{}, err
	}
	if s.Info().GoalID != "" {
		return pane.Info{}, &fault.Error{Code: fault.Conflict, Message: "this terminal belongs to a goal", Hint: "open one of your own"}
	}
	if link, ok := p.app.ssh.Connection(id); ok {
		err := p.app.reconnect(ctx, link, s)
		return s.Info(), err
	}
	if err := s.Restart(ctx); err != nil {
		return pane.Info{}, fmt.Errorf("restart terminal: %w", err)
	}
	return s.Info(), nil
}

func (p *panes) RenameTerminal(id, title string) error {
	s, err := p.terminal(id)
	if err != nil {
		return err
	}
	s.Rename(title)
	return nil
}

func (p *panes) CloseTerminal(ctx context.Context, id string) error {
	s, err := p.terminal(id)
	if err != nil {
		return err
	}
	if link, ok := p.app.ssh.Connection(id); ok {
		link.Close() // the session on the server lives on
	}
	if err := p.app.terminals.Close(ctx, id); err != nil {
		return fmt.Errorf("close terminal: %w", err)
	}
	return p.endIfLast(ctx, s.Info())
}

// endIfLast ends what a goal that is done left running, once the last of its panes is closed.
func (p *panes) endIfLast(ctx context.Context, closed pane.Info) error {
	of := func(i pane.Info) bool { return i.GoalID == closed.GoalID && !i.Shared }
	if closed.GoalID == "" || closed.Shared || slices.ContainsFunc(append(p.app.terminals.List(), p.app.browsers.List()...), of) {
		return nil
	}
	return p.app.closeFinished(ctx, goal.ID(closed.GoalID))
}

func (p *panes) OpenBrowser(ctx context.Context, in api.ArgsOpenBrowser) (pane.Info, error) {
	b, err := p.app.browsing.open(ctx, in)
	if err != nil {
		return pane.Info{}, err
	}
	return b.Info(), nil
}

func (p *panes) Browser(id string) (*browser.Pane, error) {
	b, ok := p.app.browsers.Get(id)
	if !ok {
		return nil, noPane(id)
	}
	return b, nil
}

func (p *panes) CloseBrowser(ctx context.Context, id string) error {
	b, err := p.Browser(id)
	if err != nil {
		return err
	}
	info := b.Info()
	if err := p.app.browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("close browser: %w", err)
	}
	return p.endIfLast(ctx, info)
}

// popupOptions shows a window that a page opens as a pane of the same owner.
func (p *panes) popupOptions(opener pane.Info, _ string) (browser.Options, bool) {
	return browser.Options{ID: p.newID(pane.Browser), GoalID: opener.GoalID}, true
}
