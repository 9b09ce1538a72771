package session

import (
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
	external bool // the panes are another agent's, which has no run, so nothing is journaled
	recorder *paneRecorder
	// onPageOpened is called after a tool has opened a page; it may be nil.
	onPageOpened func(*browser.Pane)
}

// recordLease journals that the goal got a pane.
func (p *goalPanes) recordLease(ctx context.Context, id string, k pane.Kind) error {
	if p.external {
		return nil
	}
	run, ok := goal.RunOf(ctx)
	if !ok || run.Goal != p.goal {
		return errors.New("panes are leased inside a run only")
	}
	if err := p.panes.Store.Journal.Append(context.WithoutCancel(ctx), run, &event.Lease{
		Pane: id,
		Kind: k,
		Held: true,
	}); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

func (p *goalPanes) notifyPageOpened(opened *browser.Pane) {
	if p.onPageOpened != nil {
		p.onPageOpened(opened)
	}
}

type goalBrowsers struct{ *goalPanes }

func (b goalBrowsers) Open(ctx context.Context, id, url string) (tools.Page, error) {
	if id != "" {
		p, err := b.pane(id)
		if err != nil {
			return tools.Page{}, err
		}
		if err := p.Navigation.Navigate(ctx, url); err != nil {
			return tools.Page{}, fmt.Errorf("pane %s: %w", id, err)
		}
		b.notifyPageOpened(p)
		return openedPage(p)
	}
	p, err := b.panes.Browsers.Open(ctx, browser.Options{
		ID:     b.panes.NewID(pane.Browser),
		URL:    url,
		GoalID: string(b.goal),
	})
	if err != nil {
		return tools.Page{}, fmt.Errorf("open browser: %w", err)
	}
	b.notifyPageOpened(p)
	b.recorder.recordPage(p)
	if err := b.recordLease(ctx, p.State.Info().ID, pane.Browser); err != nil {
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

func (b goalBrowsers) pane(id string) (*browser.Pane, error) {
	p, ok := b.panes.Browsers.Get(id)
	if !ok || !b.panes.CanDrive(b.goal, p.State.Info()) {
		return nil, panes.NotYoursError(id)
	}
	return p, nil
}

// Get returns a pane of the goal for its tools.
func (b goalBrowsers) Get(id string) (tools.Browser, error) {
	p, err := b.pane(id)
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

func (b goalBrowsers) List() []pane.Info { return b.panes.BrowserPanesOf(b.goal) }

// Close closes a pane that the goal opened. A pane that the user shares stays open.
func (b goalBrowsers) Close(ctx context.Context, id string) error {
	p, err := b.pane(id)
	if err != nil {
		return err
	}
	if p.State.Info().Shared {
		return fmt.Errorf("pane %s is the user's own: it stays", id)
	}
	if err := b.panes.Browsers.ClosePane(ctx, id); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

// goalPaneList lists all panes of one goal.
type goalPaneList struct{ *goalPanes }

func (s goalPaneList) List() []pane.Info {
	var list []pane.Info
	for _, i := range s.panes.Snapshot().Panes {
		if s.panes.CanDrive(s.goal, i) {
			list = append(list, i)
		}
	}
	return list
}

func (s goalPaneList) get(id string) (pane.Info, error) {
	for _, i := range s.List() {
		if i.ID == id {
			return i, nil
		}
	}
	return pane.Info{}, panes.NotYoursError(id)
}

func (s goalPaneList) IsShared(id string) bool { return s.panes.IsShared(id) }

func (s goalPaneList) Close(ctx context.Context, id string) error {
	i, err := s.get(id)
	switch {
	case err != nil:
		return err
	case s.IsShared(id):
		return fmt.Errorf("pane %s is the user's own: it stays", id)
	case i.Kind == pane.Browser:
		err = s.panes.CloseBrowser(ctx, id)
	default:
		err = s.panes.CloseTerminal(ctx, id)
	}
	return err
}

func (s goalPaneList) Focus(id string) error {
	if _, err := s.get(id); err != nil {
		return err
	}
	s.panes.Focus(id)
	return nil
}

func (s goalPaneList) Name(id, title string) error {
	i, err := s.get(id)
	switch {
	case err != nil:
		return err
	case s.IsShared(id):
		return fmt.Errorf("pane %s is the user's own: it keeps its title", id)
	case i.Kind == pane.Terminal:
		return s.panes.RenameTerminal(id, title)
	}
	s.panes.Rename(i, title)
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
func (r *Session) journalPopups(ctx context.Context, run goal.Run) error {
	r.registry.mu.Lock()
	list := r.pendingPopups
	r.pendingPopups = nil
	r.registry.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := r.registry.Store.Journal.Append(context.WithoutCancel(ctx), run, list...); err != nil {
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

func (t *lastInputOffsets) set(s *terminal.Session) {
	_, end := s.Range()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil {
		t.at = map[string]int64{}
	}
	t.at[s.ID()] = end
}

// get returns that offset for a pane, or a negative number if nothing was typed.
func (t *lastInputOffsets) get(pane string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.at[pane]; ok {
		return at
	}
	return -1
}
