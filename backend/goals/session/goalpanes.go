package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/terminal"
)

// goalPanes gives one goal access to its own panes.
type goalPanes struct {
	panes    *panes.Registry
	goal     goal.ID
	dir      string
	launcher process.Launcher
	env      []string
	typed    lastInputOffsets
	pageSize goal.PageSize
	external bool // the panes are another agent's, which has no run, so nothing is journaled
	recorder *paneRecorder
	// onPageOpened is called after a tool has opened a page; it may be nil.
	onPageOpened func(*browser.Pane)
}

// recordLease journals that the goal got a pane.
func (g *goalPanes) recordLease(ctx context.Context, id string, k pane.Kind) error {
	if g.external {
		return nil
	}
	run, ok := goal.RunOf(ctx)
	if !ok || run.Goal != g.goal {
		return errors.New("panes are leased inside a run only")
	}
	if err := g.panes.Store.Journal.Append(context.WithoutCancel(ctx), run, &event.Lease{
		Pane: id,
		Kind: k,
		Held: true,
	}); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

func (g *goalPanes) notifyPageOpened(opened *browser.Pane) {
	if g.onPageOpened != nil {
		g.onPageOpened(opened)
	}
}

type goalBrowsers struct{ *goalPanes }

func (g goalBrowsers) Open(ctx context.Context, id, url string, size goal.PageSize) (tools.Page, error) {
	width, height, err := cmp.Or(size, g.pageSize).Pixels()
	if err != nil {
		return tools.Page{}, fmt.Errorf("size: %w", err)
	}
	if id != "" {
		p, err := g.pane(id)
		if err != nil {
			return tools.Page{}, err
		}
		if size != "" && !p.Viewport.SetOwn(ctx, width, height) {
			return tools.Page{}, fmt.Errorf("pane %s is the user's own: it keeps its size", id)
		}
		if err := p.Navigation.Navigate(ctx, url); err != nil {
			return tools.Page{}, fmt.Errorf("pane %s: %w", id, err)
		}
		g.notifyPageOpened(p)
		return openedPage(p)
	}
	p, err := g.panes.Browsers.Open(ctx, browser.Options{
		ID:     g.panes.NewID(pane.Browser),
		URL:    url,
		GoalID: string(g.goal),
		Width:  width,
		Height: height,
	})
	if err != nil {
		return tools.Page{}, fmt.Errorf("open browser: %w", err)
	}
	g.notifyPageOpened(p)
	g.recorder.recordPage(p) //nolint:contextcheck // the recording outlives the call
	if err := g.recordLease(ctx, p.State.Info().ID, pane.Browser); err != nil {
		return tools.Page{}, err
	}
	return openedPage(p)
}

// openedPage returns the page that a pane shows. If the page did not load, the error names the pane.
func openedPage(p *browser.Pane) (tools.Page, error) {
	info := p.State.Info()
	if info.Problem != "" {
		return tools.Page{}, fmt.Errorf("pane %s is open at %s, but the page did not load: %s", info.ID, info.URL,
			info.Problem)
	}
	return tools.Page{Pane: info.ID, URL: info.URL, Title: info.Title}, nil
}

func (g goalBrowsers) pane(id string) (*browser.Pane, error) {
	p, ok := g.panes.Browsers.Get(id)
	if !ok || !g.panes.CanDrive(g.goal, p.State.Info()) {
		return nil, panes.NotYoursError(id)
	}
	return p, nil
}

// Get returns a pane of the goal for its tools.
func (g goalBrowsers) Get(id string) (tools.Browser, error) {
	p, err := g.pane(id)
	if err != nil {
		return tools.Browser{}, err
	}
	return PageParts(p), nil
}

// PageParts returns a pane as the tools use it.
func PageParts(p *browser.Pane) tools.Browser {
	return tools.Browser{
		State:      &p.State,
		Prompts:    &p.Prompts,
		Activity:   &p.Activity,
		Reader:     &p.Reader,
		Pictures:   &p.Pictures,
		Actions:    &p.Actions,
		Mouse:      &p.Mouse,
		Forms:      &p.Forms,
		Navigation: &p.Navigation,
		History:    p,
		Downloads:  &p.Downloads,
		Logins:     &p.Logins,
		SiteData:   &p.SiteData,
	}
}

func (g goalBrowsers) List() []pane.Info { return g.panes.BrowserPanesOf(g.goal) }

// Close closes a pane that the goal opened. A pane that the user shares stays open.
func (g goalBrowsers) Close(ctx context.Context, id string) error {
	p, err := g.pane(id)
	if err != nil {
		return err
	}
	if p.State.Info().Shared {
		return fmt.Errorf("pane %s is the user's own: it stays", id)
	}
	if err := g.panes.Browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

// goalPaneList lists all panes of one goal.
type goalPaneList struct{ *goalPanes }

func (g goalPaneList) List() []pane.Info {
	var list []pane.Info
	for _, i := range g.panes.Snapshot().Panes {
		if g.panes.CanDrive(g.goal, i) {
			list = append(list, i)
		}
	}
	return list
}

func (g goalPaneList) get(id string) (pane.Info, error) {
	for _, i := range g.List() {
		if i.ID == id {
			return i, nil
		}
	}
	return pane.Info{}, panes.NotYoursError(id)
}

func (g goalPaneList) IsShared(id string) bool { return g.panes.IsShared(id) }

func (g goalPaneList) Close(ctx context.Context, id string) error {
	i, err := g.get(id)
	switch {
	case err != nil:
		return err
	case g.IsShared(id):
		return fmt.Errorf("pane %s is the user's own: it stays", id)
	case i.Kind == pane.Browser:
		err = g.panes.CloseBrowser(ctx, id)
	default:
		err = g.panes.CloseTerminal(ctx, id)
	}
	return err
}

func (g goalPaneList) Focus(id string) error {
	if _, err := g.get(id); err != nil {
		return err
	}
	g.panes.Focus(id)
	return nil
}

func (g goalPaneList) Name(id, title string) error {
	i, err := g.get(id)
	switch {
	case err != nil:
		return err
	case g.IsShared(id):
		return fmt.Errorf("pane %s is the user's own: it keeps its title", id)
	case i.Kind == pane.Terminal:
		return g.panes.RenameTerminal(id, title)
	}
	g.panes.Rename(i, title)
	return nil
}

// OnPopup treats a window that a goal's page opened like the page itself: it records the window and journals its lease.
// The lease of a window that opens between two runs is journaled when the next run begins.
func (reg *Registry) OnPopup(w *browser.Pane) {
	info := w.State.Info()
	if info.GoalID == "" {
		return
	}
	reg.mu.Lock()
	r := reg.open[goal.ID(info.GoalID)]
	if r == nil || r.recorder == nil { // the pane is another agent's, which has no run
		reg.mu.Unlock()
		return
	}
	if !info.Shared {
		r.recorder.recordPage(w)
	}
	r.pendingPopups = append(r.pendingPopups, &event.Lease{
		Pane:   info.ID,
		Kind:   pane.Browser,
		Held:   true,
		Shared: info.Shared,
	})
	run := r.run
	reg.mu.Unlock()
	if run.ID == "" {
		return
	}
	if err := r.journalPopups(context.Background(), run); err != nil {
		reg.Log.Error("the lease of a window was not journaled", "pane", info.ID, "error", err)
	}
}

// journalPopups journals the windows that were opened since the last call.
func (se *Session) journalPopups(ctx context.Context, run goal.Run) error {
	se.registry.mu.Lock()
	list := se.pendingPopups
	se.pendingPopups = nil
	se.registry.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := se.registry.Store.Journal.Append(context.WithoutCancel(ctx), run, list...); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

// lastInputOffsets stores the end of each pane's output when the agent last typed, so that a wait also finds output
// from before the wait. All methods may be called concurrently.
type lastInputOffsets struct {
	mu sync.Mutex
	at map[string]int64
}

func (l *lastInputOffsets) set(s *terminal.Session) {
	_, end := s.Range()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string]int64{}
	}
	l.at[s.ID()] = end
}

// get returns that offset for a pane, or a negative number if nothing was typed.
func (l *lastInputOffsets) get(pane string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.at[pane]; ok {
		return at
	}
	return -1
}
