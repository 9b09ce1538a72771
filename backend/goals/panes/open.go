package panes

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/panes/textfile"
)

// New sets the unset fields of p and returns it. ctx lasts as long as the program.
func New(ctx context.Context, p *Registry) *Registry {
	p.Background = &background{}
	p.Background.ctx, p.Background.end = context.WithCancel(ctx)
	p.Browsing = &Browsing{panes: p, background: p.Background, kept: keptDownloads{panes: p}}
	p.Servers = &SSH{panes: p, background: p.Background}
	p.Workspace = &Workspace{
		panes: p, servers: p.Servers, background: p.Background,
		pagesMoved: make(chan struct{}, 1), terminalsMoved: make(chan struct{}, 1),
	}
	p.Workspaces = &Workspaces{panes: p, kept: map[string]bool{}, countdowns: map[string]*countdown{}}
	p.shares, p.newest = map[string]*paneShare{}, map[byte]int{}
	p.Terminals = terminal.NewManager(p.OnChange)
	p.Files = textfile.NewManager(p.OnChange)
	return p
}

// OnChange records a change of a pane and publishes the list.
func (r *Registry) OnChange(info pane.Info, closed bool) {
	isNew := !closed && !r.has(info.ID)
	switch {
	case closed:
		r.Workspaces.remove(info.ID)
	case isNew:
		r.Workspaces.place(info, info.Inspects)
	}
	r.mu.Lock()
	info = r.leasedTerminal(info)
	if title, ok := r.named[info.ID]; ok {
		info.Title = title
	}
	if closed {
		delete(r.shares, info.ID)
		delete(r.named, info.ID)
	}
	r.publishList(info, closed)
	r.mu.Unlock()
	r.Workspace.onChange(info, isNew, closed)
	if closed && info.GoalID != "" {
		r.journalRelease(goal.ID(info.GoalID), info.ID)
		r.Browsing.onPaneClosed(info)
	}
}

func (r *Registry) OpenTerminal(ctx context.Context, in api.ArgsOpenTerminal) (pane.Info, error) {
	profile, ok := r.Config.TerminalProfile(in.Profile)
	if in.Profile != "" && !ok {
		return pane.Info{}, fault.Invalid("profile", fmt.Sprintf("there is no terminal profile %q", in.Profile),
			"choose one that the settings list")
	}
	dir := in.Dir
	if dir == "" {
		dir = homeDir()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return pane.Info{}, fault.Invalid("dir", "the folder "+dir+" does not exist", "choose a folder that exists")
	}
	if strings.ContainsFunc(in.Command, unicode.IsControl) { // it could run without the user
		return pane.Info{}, fault.Invalid("command", "the command has control characters", "type it yourself")
	}
	if err := ValidateShell(r.Config.Settings().Shell); err != nil {
		return pane.Info{}, err
	}
	o := terminal.Options{
		Dir:        dir,
		Env:        r.shellEnv(environ.Of(ctx)),
		Cols:       in.Cols,
		Rows:       in.Rows,
		Scrollback: r.Scrollback(),
	}
	if in.Dir != "" {
		profile.Dir = ""
	}
	if in.Command != "" && in.Profile == "" {
		profile.Command = "" // it is to be typed at the prompt of a shell
	}
	if ok {
		if err := r.applyProfile(profile, &o); err != nil {
			return pane.Info{}, err
		}
	}
	o.ID = r.NewID(pane.Terminal)
	s, err := r.Terminals.Open(ctx, r.Programs, o)
	if err != nil {
		return pane.Info{}, fmt.Errorf("open terminal: %w", err)
	}
	if in.Command != "" {
		r.Workspace.typeAtPrompt(s, in.Command)
	}
	return s.Info(), nil
}

// ValidateShell refuses a shell of the settings that cannot be started.
func ValidateShell(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fault.Invalid("shell", "the shell "+path+" is not a program", "choose another one under Settings, Shell")
	}
	return nil
}

// shellEnv returns the environment of a shell of the user, with the shell of the settings.
func (r *Registry) shellEnv(of []string) []string {
	env := environ.Base(of)
	if chosen := r.Config.Settings().Shell; chosen != "" {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "SHELL=") })
		env = append(env, "SHELL="+chosen)
	}
	return env
}

func (r *Registry) RestartTerminal(ctx context.Context, id string) (pane.Info, error) {
	s, err := r.ownTerminal(id)
	if err != nil {
		return pane.Info{}, err
	}
	if link, ok := r.Servers.Client.Connection(id); ok {
		err := r.Servers.reconnectPane(ctx, link, s)
		return s.Info(), err
	}
	if err := s.Restart(ctx); err != nil {
		return pane.Info{}, fmt.Errorf("restart terminal: %w", err)
	}
	return s.Info(), nil
}

// EndTerminal ends the program of a terminal of the user, whose pane stays with its output.
func (r *Registry) EndTerminal(ctx context.Context, id string) error {
	s, err := r.ownTerminal(id)
	if err != nil {
		return err
	}
	if _, ok := r.Servers.Client.Connection(id); ok {
		return fault.New(fault.Conflict, "this terminal is a connection to a server", "close it")
	}
	if err := s.End(ctx); err != nil {
		return fmt.Errorf("end terminal: %w", err)
	}
	return nil
}

// ownTerminal returns a terminal of the user.
func (r *Registry) ownTerminal(id string) (*terminal.Session, error) {
	s, err := r.Terminal(id)
	if err == nil && s.Info().GoalID != "" {
		return nil, fault.New(fault.Conflict, "this terminal belongs to a goal", "open one of your own")
	}
	return s, err
}

func (r *Registry) CloseTerminal(ctx context.Context, id string) error {
	s, err := r.Terminal(id)
	if err != nil {
		return err
	}
	if link, ok := r.Servers.Client.Connection(id); ok {
		link.Close() // the session on the server continues
	}
	if err := r.Terminals.Close(ctx, id); err != nil {
		return fmt.Errorf("close terminal: %w", err)
	}
	return r.endIfLast(ctx, s.Info())
}

// endIfLast ends the programs that a completed goal left running after the last pane of the goal was closed.
func (r *Registry) endIfLast(ctx context.Context, closed pane.Info) error {
	of := func(i pane.Info) bool { return i.GoalID == closed.GoalID && !i.Shared }
	if closed.GoalID == "" || closed.Shared || slices.ContainsFunc(append(r.Terminals.List(), r.Browsers.List()...), of) {
		return nil
	}
	return r.CloseFinished(ctx, goal.ID(closed.GoalID))
}

func (r *Registry) OpenBrowser(ctx context.Context, in api.ArgsOpenBrowser) (pane.Info, error) {
	b, err := r.Browsing.open(ctx, in)
	if err != nil {
		return pane.Info{}, err
	}
	return b.State.Info(), nil
}

// OpenDevTools opens Chromium's developer tools for the page of a pane, see browser.Manager.
func (r *Registry) OpenDevTools(ctx context.Context, id string, in api.ArgsDevTools) (pane.Info, error) {
	if _, err := r.Browser(id); err != nil {
		return pane.Info{}, err
	}
	b, err := r.Browsers.OpenDevTools(ctx, browser.DevToolsOptions{
		ID:       r.NewID(pane.Browser),
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

func (r *Registry) CloseBrowser(ctx context.Context, id string) error {
	b, err := r.Browser(id)
	if err != nil {
		return err
	}
	info := b.State.Info()
	r.closed.add(ctx, b)
	if err := r.Browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("close browser: %w", err)
	}
	return r.endIfLast(ctx, info)
}
