package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/config"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox"
	"goalpost/backend/store"
	"goalpost/backend/terminal"
)

// panes is the list of all panes, whoever opened them, with a revision that
// grows with every change. It is what the page draws from.
type panes struct {
	cfg      *config.Config
	log      *slog.Logger
	store    *store.Store
	clock    runner.Clock
	broker   *event.Broker
	programs *sandbox.Supervisor // the user's terminals and Chromium
	// onShareEnded is called when a goal has pages of the user no more.
	onShareEnded func()
	// closeFinished ends what a goal that is done left running.
	closeFinished func(context.Context, goal.ID) error
	terminals     *terminal.Manager
	browsers      *browser.Manager

	background *background
	browsing   *userBrowsing
	servers    *sshPanes
	workspace  *workspaceKeeper

	mu     sync.Mutex
	shares map[string]*paneShare // panes of the user that a goal may drive
	named  map[string]string     // titles given to browser panes
	rev    int64
	list   []pane.Info // in the order in which they were opened
	terms  int         // names of panes: t1, t2, b1, …
	pages  int
}

// newPanes makes the list of panes of a program, in which there are none. ctx is the program's life.
func newPanes(ctx context.Context, p *panes) *panes {
	p.background = &background{}
	p.background.ctx, p.background.end = context.WithCancel(ctx)
	p.browsing = &userBrowsing{panes: p, background: p.background}
	p.servers = &sshPanes{panes: p, background: p.background}
	p.workspace = &workspaceKeeper{panes: p, servers: p.servers, background: p.background}
	p.terminals = terminal.NewManager(p.onChange)
	return p
}

// validateShareable refuses panes that are not there, or that a goal has already.
func (p *panes) validateShareable(ids []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		i := slices.IndexFunc(p.list, func(have pane.Info) bool { return have.ID == id })
		switch {
		case i < 0:
			return &goal.InvalidError{Field: "panes", Reason: fmt.Sprintf("there is no pane %q in this program", id), Hint: "leave it out for new ones; panes of the window are given in its dialog"}
		case p.list[i].GoalID != "" || p.shares[id] != nil:
			return &goal.InvalidError{Field: "panes", Reason: fmt.Sprintf("the pane %q belongs to another goal", id), Hint: "choose one of your own"}
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
		p.browsing.onPaneClosed(info)
	}
}

// journalRelease journals that a goal has a pane no more.
func (p *panes) journalRelease(id goal.ID, name string) {
	if err := p.store.ReleaseLease(context.Background(), id, name); err != nil {
		p.log.Warn("the end of a lease", "goal", id, "pane", name, "error", err)
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
			p.broker.Publish(event.Event{At: p.clock.Now(), Body: &event.Pane{Rev: p.rev, Pane: info, Focus: true}})
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
	p.broker.Publish(event.Event{At: p.clock.Now(), Body: &event.Pane{Rev: p.rev, Pane: info, Closed: closed}})
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
		return pane.Info{}, &api.Problem{Code: api.Refused, Message: "the folder " + dir + " does not exist", Field: "dir"}
	}
	s, err := p.terminals.Open(ctx, p.programs, terminal.Options{
		ID: p.newID(pane.Terminal), Dir: dir, Env: sandbox.Env(os.Environ()), Cols: in.Cols, Rows: in.Rows, Scrollback: p.scrollback(),
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open terminal: %w", err)
	}
	return s.Info(), nil
}

func (p *panes) terminal(id string) (*terminal.Session, error) {
	s, err := p.terminals.Get(id)
	if err != nil {
		return nil, noPane(id)
	}
	return s, nil
}

func noPane(id string) error {
	if _, _, elsewhere := splitPeerPane(id); elsewhere {
		return &api.Problem{Code: api.Conflict, Message: errReadOnlyPane.Error(), Hint: "take part there, or end that process and resume the goal here"}
	}
	return &api.Problem{Code: api.NotFound, Message: fmt.Sprintf("there is no pane %q", id), Hint: "it may have been closed"}
}

func (p *panes) RestartTerminal(ctx context.Context, id string) (pane.Info, error) {
	s, err := p.terminal(id)
	if err != nil {
		return pane.Info{}, err
	}
	if s.Info().GoalID != "" {
		return pane.Info{}, &api.Problem{Code: api.Conflict, Message: "this terminal belongs to a goal", Hint: "open one of your own"}
	}
	if link, ok := p.servers.client.Connection(id); ok {
		err := p.servers.reconnect(ctx, link, s)
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
	if link, ok := p.servers.client.Connection(id); ok {
		link.Close() // the session on the server lives on
	}
	if err := p.terminals.Close(ctx, id); err != nil {
		return fmt.Errorf("close terminal: %w", err)
	}
	return p.endIfLast(ctx, s.Info())
}

// endIfLast ends what a goal that is done left running, once the last of its panes is closed.
func (p *panes) endIfLast(ctx context.Context, closed pane.Info) error {
	of := func(i pane.Info) bool { return i.GoalID == closed.GoalID && !i.Shared }
	if closed.GoalID == "" || closed.Shared || slices.ContainsFunc(append(p.terminals.List(), p.browsers.List()...), of) {
		return nil
	}
	return p.closeFinished(ctx, goal.ID(closed.GoalID))
}

func (p *panes) OpenBrowser(ctx context.Context, in api.ArgsOpenBrowser) (pane.Info, error) {
	b, err := p.browsing.open(ctx, in)
	if err != nil {
		return pane.Info{}, err
	}
	return b.Info(), nil
}

func (p *panes) Browser(id string) (*browser.Pane, error) {
	b, ok := p.browsers.Get(id)
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
	if err := p.browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("close browser: %w", err)
	}
	return p.endIfLast(ctx, info)
}

// popupOptions shows a window that a page opens as a pane of the same owner.
func (p *panes) popupOptions(opener pane.Info, _ string) (browser.Options, bool) {
	return browser.Options{ID: p.newID(pane.Browser), GoalID: opener.GoalID}, true
}

const peerSeparator = "@"

// splitPeerPane splits the name of a pane of another process.
func splitPeerPane(id string) (own, process string, elsewhere bool) {
	return strings.Cut(id, peerSeparator)
}

var errReadOnlyPane = errors.New("this pane belongs to a goal that another process runs: here it can only be looked at")

// shareable are the user's own panes here that no goal has.
func (p *panes) shareable() []pane.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []pane.Info{}
	for _, info := range p.list {
		_, _, elsewhere := splitPeerPane(info.ID)
		if info.GoalID == "" && p.shares[info.ID] == nil && !elsewhere && (info.Running || info.Kind == pane.Browser) {
			list = append(list, info)
		}
	}
	return list
}

func (p *panes) scrollback() int {
	const bytesPerLine = 800 // generous, colours included
	return p.cfg.Settings().Scrollback * bytesPerLine
}
