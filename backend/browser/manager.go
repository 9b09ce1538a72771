package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
	"goalpost/backend/process"
)

// Config says how a Manager works. Launcher and Dir are needed.
type Config struct {
	Launcher process.Launcher
	Dir      string // private folder for Chromium's files, made if missing; they go when Chromium ends
	Path     string // of Chromium; "" = Find
	// ProxyServer, if set, is the proxy that every page uses, also for addresses of this machine.
	ProxyServer string
	// ContextProxy, if set, names the proxy of a goal's pages, also for addresses
	// of this machine; "" is none. It is asked once for each goal.
	ContextProxy func(goalID string) string
	// Nowhere, needed with ContextProxy, is the proxy of what the goals' Chromium fetches
	// beside their pages. It should let nothing through.
	DenyAllProxy string
	// WebSocketProxy, if set, gives the proxy, as HOST:PORT, of all WebSockets of a user's
	// pages with a profile, "" for the temporary one. It is asked when Chromium is started.
	// All else that such pages fetch goes to no proxy.
	WebSocketProxy func(ctx context.Context, profile string) (string, error)
	// Judged says whether the requests of a goal's pages have to be judged one by one,
	// and Judge decides about each of them, and of those of a page that is lent to a goal:
	// "" lets it go, words are why not. OnRequest
	// hears of those that are not judged, over https and of lent pages as well. They are
	// called with the events of Chromium and must neither wait nor call a Manager. nil:
	// nothing is judged or told.
	NeedsFilter   func(goalID string) bool
	FilterRequest func(PageRequest) string
	OnRequest     func(PageRequest)
	// OnChange hears of every change of a pane, one call at a time and in
	// order; changes that come faster than they are heard are merged. It must
	// not call Close.
	OnChange func(info pane.Info, closed bool)
	// OnPopup decides about a window that a page opens: the options of a new
	// pane (its URL and GoalID are taken from the page) and true, or false to
	// show the address in the same pane. nil means false.
	OnPopup func(opener pane.Info, url string) (Options, bool)
	// OnWindow hears of a pane that OnPopup asked for, once it is there. nil: nobody.
	OnWindow func(*Pane)
	// OnVisit hears of every page that a user's pane has come to. nil: nobody.
	OnVisit func(profile, url, title string)
	// Downloads gives the folder for the files that pages send to the user; it is
	// asked with "". No folder, or nil, refuses them.
	Downloads func(goalID string) string
	// GoalFolder gives the folder of a goal, in which "downloads" is for the files
	// that pages send to it. No folder, or nil, refuses them.
	GoalFolder func(goalID string) string
	// Logins keep what the user logs in with; nil: nothing is kept or filled in.
	Logins LoginStore
	// Secrets are what no picture shows that is kept or handed on; nil: there are none.
	Secrets Secrets
	// OwnPorts are the ports of this program, which no page may reach.
	OwnPorts func() []int
	Log      *slog.Logger
	limits   limits // zero: the usual ones
}

// Options say how to open a pane.
type Options struct {
	ID            string // unique among the panes
	URL           string // "" = about:blank
	Width, Height int    // CSS pixels; 0 = 1280 x 800
	GoalID        string // the goal that leases it, "" for the user
	Profile       string // of a user's pane: where cookies and storage are kept; "" = nowhere
	Title         string // shown until the page has one
	bare          bool   // no script of ours, no questions: see Shoot
	network       string // of a bare one: the goal whose proxy it uses
}

// Manager holds the panes and the one Chromium behind them. It starts Chromium
// when the first pane opens. All methods may be called concurrently.
type Manager struct {
	profiles
	cfg     Config
	limits  limits
	rules   requestRules
	folders downloadFolders
	held    heldTargets
	news    *changeNotifier
	start   chan struct{} // holds one token: starting and stopping Chromium
	work    sync.WaitGroup
	ctx     context.Context // ends with Close
	cancel  context.CancelCauseFunc

	mu       sync.Mutex
	closed   bool
	engines  map[string]*browserProcess // see processKey; one that has ended stays until the next is started
	panes    map[string]*Pane
	order    []string // of panes, as they were opened
	sessions map[proto.TargetSessionID]*Pane
	parts    map[proto.TargetSessionID]*Pane       // of frames of other sites, see frames.go
	windows  map[proto.TargetTargetID]*popupWindow // that pages have opened
	shots    int                                   // counts pictures
}

// New makes a Manager. Nothing is started yet.
func New(cfg Config) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.limits == (limits{}) {
		cfg.limits = defaultLimits()
	}
	m := &Manager{
		cfg:      cfg,
		limits:   cfg.limits,
		news:     newAnnouncer(cfg.OnChange, cfg.OnVisit),
		start:    make(chan struct{}, 1),
		engines:  map[string]*browserProcess{},
		panes:    map[string]*Pane{},
		sessions: map[proto.TargetSessionID]*Pane{},
		parts:    map[proto.TargetSessionID]*Pane{},
		windows:  map[proto.TargetTargetID]*popupWindow{},
	}
	m.rules = requestRules{&m.cfg}
	m.folders = downloadFolders{&m.cfg}
	m.held = heldTargets{manager: m, held: map[proto.TargetSessionID]*heldTarget{}}
	m.profiles = profiles{filepath.Join(cfg.Dir, "profiles"), m.whileProfileUnused}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	return m
}

// Open opens a pane and loads its address. A page that does not load is no
// error: the pane is there, and Info().Problem says what went wrong. Errors are
// a refused address (ErrRefused), a missing Chromium (ErrMissing), or one that
// does not start.
func (m *Manager) Open(ctx context.Context, o Options) (*Pane, error) {
	address, err := m.rules.validateAddress(o.URL)
	if err != nil {
		return nil, err
	}
	if o.GoalID != "" {
		o.Profile = ""
	} else if o.Profile != "" {
		if err := CheckProfile(o.Profile); err != nil {
			return nil, err
		}
	}
	p, err := m.reservePane(o)
	if err != nil {
		return nil, err
	}
	p.state.setAddress(address)
	if err := p.attachNew(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening a browser pane: %w", err), m.removePane(ctx, p))
	}
	if address != "about:blank" {
		if err := p.navigation.navigate(ctx, address); err != nil {
			p.state.setLoadError("%s", sanitize.Line(err.Error(), 300))
		}
	}
	return p, nil
}

// reservePane registers the pane under its id.
func (m *Manager) reservePane(o Options) (*Pane, error) {
	if o.ID == "" {
		return nil, errors.New("a browser pane needs an id")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch _, taken := m.panes[o.ID]; {
	case m.closed:
		return nil, ErrClosed
	case taken:
		return nil, fmt.Errorf("there is a browser pane %s already", o.ID)
	}
	p := newPane(m, o)
	m.panes[o.ID] = p
	m.order = append(m.order, o.ID)
	return p, nil
}

// Get finds a pane.
func (m *Manager) Get(id string) (*Pane, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.panes[id]
	return p, ok
}

// List gives all panes in the order in which they were opened.
func (m *Manager) List() []pane.Info {
	m.mu.Lock()
	all := make([]*Pane, 0, len(m.order))
	for _, id := range m.order {
		all = append(all, m.panes[id])
	}
	m.mu.Unlock()
	list := make([]pane.Info, 0, len(all))
	for _, p := range all {
		list = append(list, p.Info())
	}
	return list
}

// ClosePane closes one pane. An unknown id is an error.
func (m *Manager) ClosePane(ctx context.Context, id string) error {
	p, ok := m.Get(id)
	if !ok {
		return fmt.Errorf("there is no browser pane %q", sanitize.Line(id, 40))
	}
	return m.removePane(ctx, p)
}

// CloseGoal closes the panes that a goal opened and forgets its cookies and storage.
func (m *Manager) CloseGoal(ctx context.Context, goalID string) error {
	if goalID == "" {
		return errors.New("closing a goal's browser panes: no goal is named")
	}
	var err error
	for _, info := range m.List() {
		if p, ok := m.Get(info.ID); ok && p.state.goalID == goalID {
			err = errors.Join(err, m.removePane(ctx, p))
		}
	}
	e := m.findEngine(goalEngine)
	if e != nil && e.Alive.Err() == nil {
		err = errors.Join(err, e.disposeContext(ctx, goalID))
	}
	return err
}

// removePane takes a pane out, closes its page and waits for its goroutines.
func (m *Manager) removePane(ctx context.Context, p *Pane) error {
	m.mu.Lock()
	known := m.panes[p.state.id] == p
	if known {
		delete(m.panes, p.state.id)
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == p.state.id })
	}
	m.mu.Unlock()
	err := p.close(ctx)
	if known {
		m.news.closed(p.Info())
	}
	return err
}

// Close closes every pane and Chromium and waits until all is gone.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	m.mu.Unlock()
	m.cancel(ErrClosed)
	// A start that is under way is cut off by m.ctx and gives the token back.
	m.start <- struct{}{}
	var err error
	for _, info := range m.List() {
		if p, ok := m.Get(info.ID); ok {
			err = errors.Join(err, m.removePane(ctx, p))
		}
	}
	m.mu.Lock()
	engines := m.engines
	m.engines = map[string]*browserProcess{}
	m.mu.Unlock()
	for _, e := range engines {
		err = errors.Join(err, e.Close(ctx))
	}
	m.work.Wait()
	m.news.close()
	return err
}

// fallbackTitle is the name of a page that gives itself none: its address.
func fallbackTitle(address string) string {
	return sanitize.Line(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"), 200)
}
