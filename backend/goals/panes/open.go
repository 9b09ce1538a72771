package panes

import (
	"context"
	"fmt"
	"os"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/terminal"
)

// New sets the unset fields of p and returns it. ctx lasts as long as the program.
func New(ctx context.Context, p *Registry) *Registry {
	p.Background = &background{}
	p.Background.ctx, p.Background.end = context.WithCancel(ctx)
	p.Browsing = &Browsing{panes: p, background: p.Background}
	p.Servers = &SSH{panes: p, background: p.Background}
	p.Workspace = &Workspace{panes: p, servers: p.Servers, background: p.Background}
	p.shares = map[string]*paneShare{}
	p.Terminals = terminal.NewManager(p.OnChange)
	return p
}

// OnChange records a change of a terminal or browser pane and publishes the list.
func (p *Registry) OnChange(info pane.Info, closed bool) {
	p.mu.Lock()
	info = p.leasedTerminal(info)
	if title, ok := p.named[info.ID]; ok {
		info.Title = title
	}
	if closed {
		delete(p.shares, info.ID)
		delete(p.named, info.ID)
	}
	p.publishList(info, closed)
	p.mu.Unlock()
	if closed && info.GoalID != "" {
		p.journalRelease(goal.ID(info.GoalID), info.ID)
		p.Browsing.onPaneClosed(info)
	}
}

func (p *Registry) OpenTerminal(ctx context.Context, in api.ArgsOpenTerminal) (pane.Info, error) {
	dir := in.Dir
	if dir == "" {
		dir = homeDir()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return pane.Info{}, &fault.Error{Code: fault.Refused, Message: "the folder " + dir + " does not exist", Field: "dir"}
	}
	s, err := p.Terminals.Open(ctx, p.Programs, terminal.Options{
		ID:         p.NewID(pane.Terminal),
		Dir:        dir,
		Env:        environ.Base(os.Environ()),
		Cols:       in.Cols,
		Rows:       in.Rows,
		Scrollback: p.Scrollback(),
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open terminal: %w", err)
	}
	return s.Info(), nil
}

func (p *Registry) RestartTerminal(ctx context.Context, id string) (pane.Info, error) {
	s, err := p.Terminal(id)
	if err != nil {
		return pane.Info{}, err
	}
	if s.Info().GoalID != "" {
		return pane.Info{}, fault.New(fault.Conflict, "this terminal belongs to a goal", "open one of your own")
	}
	if link, ok := p.Servers.Client.Connection(id); ok {
		err := p.Servers.reconnectPane(ctx, link, s)
		return s.Info(), err
	}
	if err := s.Restart(ctx); err != nil {
		return pane.Info{}, fmt.Errorf("restart terminal: %w", err)
	}
	return s.Info(), nil
}

func (p *Registry) CloseTerminal(ctx context.Context, id string) error {
	s, err := p.Terminal(id)
	if err != nil {
		return err
	}
	if link, ok := p.Servers.Client.Connection(id); ok {
		link.Close() // the session on the server continues
	}
	if err := p.Terminals.Close(ctx, id); err != nil {
		return fmt.Errorf("close terminal: %w", err)
	}
	return p.endIfLast(ctx, s.Info())
}

// endIfLast ends the programs that a completed goal left running after the last pane of the goal was closed.
func (p *Registry) endIfLast(ctx context.Context, closed pane.Info) error {
	of := func(i pane.Info) bool { return i.GoalID == closed.GoalID && !i.Shared }
	if closed.GoalID == "" || closed.Shared || slices.ContainsFunc(append(p.Terminals.List(), p.Browsers.List()...), of) {
		return nil
	}
	return p.CloseFinished(ctx, goal.ID(closed.GoalID))
}

func (p *Registry) OpenBrowser(ctx context.Context, in api.ArgsOpenBrowser) (pane.Info, error) {
	b, err := p.Browsing.open(ctx, in)
	if err != nil {
		return pane.Info{}, err
	}
	return b.State.Info(), nil
}

// OpenDevTools opens Chromium's developer tools for the page of a pane, see browser.Manager.
func (p *Registry) OpenDevTools(ctx context.Context, id string, in api.ArgsDevTools) (pane.Info, error) {
	if _, err := p.Browser(id); err != nil {
		return pane.Info{}, err
	}
	b, err := p.Browsers.OpenDevTools(ctx, browser.DevToolsOptions{
		ID:       p.NewID(pane.Browser),
		Inspects: id,
		Dark:     in.Dark,
		Element:  in.Element,
		Width:    in.Width,
		Height:   in.Height,
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open developer tools: %w", err)
	}
	return b.State.Info(), nil
}

func (p *Registry) CloseBrowser(ctx context.Context, id string) error {
	b, err := p.Browser(id)
	if err != nil {
		return err
	}
	info := b.State.Info()
	if err := p.Browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("close browser: %w", err)
	}
	return p.endIfLast(ctx, info)
}
