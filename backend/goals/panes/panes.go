// Package panes manages all panes of this process and who has them: the panes of the user, of goals, and those that the
// user shares with goals.
package panes

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/panes/textfile"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// Registry lists all panes of this process, with a revision that grows with every change. The page shows this list. All
// methods may be called concurrently.
type Registry struct {
	Config   *config.Config
	Log      *slog.Logger
	Store    *store.Store
	Clock    runner.Clock
	Broker   *event.Broker
	Programs *sandbox.Supervisor // for the user's terminals and Chromium
	// OnShareEnded is called when pages are no longer shared with a goal.
	OnShareEnded func()
	// CloseFinished ends what a completed goal left running.
	CloseFinished func(context.Context, goal.ID) error
	// Serves reports whether a program of a goal listens.
	Serves    func(context.Context, goal.ID) bool
	Terminals *terminal.Manager
	Browsers  *browser.Manager
	Files     *textfile.Manager
	// Drafts has what the user wrote in files and has not saved.
	Drafts *textfile.Drafts

	Background *background
	Browsing   *Browsing
	Servers    *SSH
	Workspace  *Workspace
	Workspaces *Workspaces
	closed     closedPages

	mu     sync.Mutex
	shares map[string]*paneShare // panes of the user that a goal may drive, by id
	named  map[string]string     // titles that the user gave to browser panes
	rev    int64
	list   []pane.Info  // in the order in which they were opened
	newest map[byte]int // number of the newest id by its letter: t1, t2, … for terminals, b1 for pages, f1 for files
}

// ValidateShareable refuses panes that do not exist, or that a goal already has.
func (r *Registry) ValidateShareable(ids []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		i := slices.IndexFunc(r.list, func(have pane.Info) bool { return have.ID == id })
		switch {
		case i < 0:
			return fault.Invalid("panes", fmt.Sprintf("pane %q not found in this process", id),
				"leave it out, or share panes of the window in its New goal dialog")
		case r.list[i].Kind == pane.TextFile:
			return fault.Invalid("panes", fmt.Sprintf("pane %q shows a file, which a goal reads itself", id),
				"share terminals and pages")
		case r.list[i].GoalID != "" || r.shares[id] != nil:
			return fault.Invalid("panes", fmt.Sprintf("the pane %q belongs to another goal", id), "choose one of your own")
		}
	}
	return nil
}

// journalRelease journals that a goal's lease of a pane has ended.
func (r *Registry) journalRelease(id goal.ID, name string) {
	if err := r.Store.Journal.ReleaseLease(context.Background(), id, name); err != nil {
		r.Log.Warn("the end of a lease was not journaled", "goal", id, "pane", name, "error", err)
	}
}

// Rename gives a browser pane a title that does not change with its page.
func (r *Registry) Rename(info pane.Info, title string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named == nil {
		r.named = map[string]string{}
	}
	r.named[info.ID] = title
	info.Title = title
	r.publishList(info, false)
}

// Focus asks the window to bring a pane to the front of its tabs.
func (r *Registry) Focus(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, info := range r.list {
		if info.ID == id {
			r.rev++
			r.Broker.Publish(event.Event{At: r.Clock.Now(), Body: &event.Pane{Rev: r.rev, Pane: info, Focus: true}})
		}
	}
}

func (r *Registry) IsShared(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(i pane.Info) bool { return i.ID == id && i.Shared })
}

// publishList updates the list and publishes the change. The caller holds mu.
func (r *Registry) publishList(info pane.Info, closed bool) {
	i := slices.IndexFunc(r.list, func(have pane.Info) bool { return have.ID == info.ID })
	switch {
	case closed && i < 0:
		return
	case closed:
		r.list = slices.Delete(r.list, i, i+1)
	case i < 0:
		r.list = append(r.list, info)
	case r.list[i] == info:
		return
	default:
		r.list[i] = info
	}
	r.rev++
	r.Broker.Publish(event.Event{At: r.Clock.Now(), Body: &event.Pane{Rev: r.rev, Pane: info, Closed: closed}})
}

// Snapshot returns the list with its revision.
func (r *Registry) Snapshot() api.PaneList {
	workspaces := r.Workspaces.Get()
	r.mu.Lock()
	defer r.mu.Unlock()
	return api.PaneList{Rev: r.rev, Panes: append([]pane.Info{}, r.list...), Workspaces: workspaces}
}

// has reports whether a pane is in the list.
func (r *Registry) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(i pane.Info) bool { return i.ID == id })
}

// NewID returns the id for a new pane.
func (r *Registry) NewID(k pane.Kind) string {
	letter := map[pane.Kind]byte{pane.Terminal: 't', pane.Browser: 'b', pane.TextFile: 'f'}[k]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest[letter]++
	return fmt.Sprintf("%c%d", letter, r.newest[letter])
}

func (r *Registry) Terminal(id string) (*terminal.Session, error) {
	s, err := r.Terminals.Get(id)
	if err != nil {
		return nil, NotFoundError(id)
	}
	return s, nil
}

// NotFoundError is the user's error for a pane that this process does not have.
func NotFoundError(id string) error {
	return fault.New(fault.NotFound, fmt.Sprintf("pane %q not found", id), "it may have been closed")
}

func (r *Registry) RenameTerminal(id, title string) error {
	s, err := r.Terminal(id)
	if err != nil {
		return err
	}
	s.Rename(title)
	return nil
}

func (r *Registry) Browser(id string) (*browser.Pane, error) {
	b, ok := r.Browsers.Get(id)
	if !ok {
		return nil, NotFoundError(id)
	}
	return b, nil
}

// PopupOptions returns the options of the pane for a window that a page opens: it has the same owner.
func (r *Registry) PopupOptions(opener pane.Info, _ string) (browser.Options, bool) {
	o := browser.Options{ID: r.NewID(pane.Browser), GoalID: opener.GoalID}
	r.Workspaces.place(pane.Info{ID: o.ID, GoalID: opener.GoalID, Shared: opener.Shared}, opener.ID)
	return o, true
}

// Scrollback returns the size of a terminal's scrollback in bytes.
func (r *Registry) Scrollback() int {
	const bytesPerLine = 800 // a generous estimate, with colours
	return r.Config.Settings().Scrollback * bytesPerLine
}

// paneShare is a pane of the user that a goal may drive: reserved from the goal's start, held during a run.
type paneShare struct {
	to     goal.ID
	isHeld bool
}

// leasedTerminal adds to the info of a terminal the goal that holds it, if it is shared. The caller holds mu.
func (r *Registry) leasedTerminal(info pane.Info) pane.Info {
	if l := r.shares[info.ID]; l != nil && l.isHeld && info.Kind == pane.Terminal {
		info.GoalID, info.Shared = string(l.to), true
	}
	return info
}

func homeDir() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/"
	}
	return dir
}

// background is work that outlives calls and ends with the program: connections to servers, saving the
// workspace, goals that continue because a page was closed.
type background struct {
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	// Closing is set when the program closes: panes that close then must not continue a goal.
	Closing atomic.Bool
}
