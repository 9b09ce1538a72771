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

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// Config configures a Manager. Launcher and Dir are required.
type Config struct {
	Launcher process.Launcher
	Dir      string // private folder for Chromium's files, created if missing; they are deleted when Chromium ends
	Path     string // of Chromium; "" = Find
	// ProxyServer, if set, is the proxy that every page uses, also for addresses of this machine.
	ProxyServer string
	// ContextProxy, if set, returns the proxy of a goal's pages, also for addresses of this machine;
	// "" means none. It is called once for each goal.
	ContextProxy func(goalID string) string
	// DenyAllProxy is required with ContextProxy: the proxy of what the goals' Chromium fetches for
	// itself. It should let nothing through.
	DenyAllProxy string
	// WebSocketProxy, if set, returns the proxy, as HOST:PORT, of all WebSockets of a user's pages
	// with a profile, "" for the temporary one. It is called when Chromium starts. Other requests of
	// such pages use no proxy.
	WebSocketProxy func(ctx context.Context, profile string) (string, error)
	// NeedsFilter reports whether each request of a goal's pages needs a decision. FilterRequest
	// decides about those requests, and about those of a page that is shared with a goal: it returns
	// "" to allow one, or the reason why not. OnRequest receives the requests that need no decision,
	// over https and from shared pages as well. They are called on the goroutine of Chromium's events
	// and must neither wait nor call a Manager. If nil, nothing is decided or reported.
	NeedsFilter   func(goalID string) bool
	FilterRequest func(PageRequest) string
	OnRequest     func(PageRequest)
	// OnChange receives every change of a pane, one call at a time and in order; changes that come
	// faster than it returns are merged. It must not call Close.
	OnChange func(info pane.Info, closed bool)
	// OnPopup decides about a window that a page opens: the options of a new
	// pane (its URL and GoalID are taken from the page) and true, or false to
	// show the address in the same pane. nil means false.
	OnPopup func(opener pane.Info, url string) (Options, bool)
	// OnWindow receives each new pane that OnPopup allowed. May be nil.
	OnWindow func(*Pane)
	// OnVisit receives each page that a user's pane has loaded. May be nil.
	OnVisit func(profile, url, title string)
	// Downloads returns the folder for the files that pages send to the user; its argument is "". No
	// folder, or nil, refuses them.
	Downloads func(goalID string) string
	// AsksWhere reports whether the user is asked where each file is saved. May be nil.
	AsksWhere func() bool
	// OnSaved receives each file that a page of the user has saved, with the profile of the page. May be nil.
	OnSaved func(profile string, d pane.Download)
	// GoalFolder returns the folder of a goal, whose subfolder "downloads" is for the files that
	// pages send to it. No folder, or nil, refuses them.
	GoalFolder func(goalID string) string
	// UserAgent returns the user agent of the user's pages, "" for Chromium's own. May be nil.
	UserAgent func() string
	// Logins stores what the user logs in with. If nil, nothing is stored or filled in.
	Logins LoginStore
	// Secrets are redacted in every picture that is stored or handed on. If nil, nothing is redacted.
	Secrets Secrets
	// OwnPorts are the ports of this program, which no page may reach.
	OwnPorts func() []int
	Log      *slog.Logger
	limits   limits // zero: the default ones
}

// Options describe a pane to open.
type Options struct {
	ID            string // unique among the panes
	URL           string // "" = about:blank
	Width, Height int    // CSS pixels; 0 = 1280 x 800
	GoalID        string // the goal that has the pane, "" for the user
	Profile       string // of a user's pane: where cookies and storage are stored; "" = in memory
	Title         string // shown until the page has one
	scriptless    bool   // without scripts of ours and prompts: see ScreenshotURL
	network       string // of a scriptless pane: the goal whose proxy it uses
	inspects      string // of developer tools: the pane whose page they inspect
}

// Manager owns the panes and the Chromium processes behind them. It starts a process when its
// first pane opens. All methods may be called concurrently.
type Manager struct {
	profiles
	cfg     Config
	limits  limits
	rules   requestRules
	folders downloadFolders
	targets heldTargets
	news    *changeNotifier
	start   chan struct{} // one token: for starting and stopping Chromium
	work    sync.WaitGroup
	ctx     context.Context // ends with Close
	cancel  context.CancelCauseFunc

	mu           sync.Mutex
	closed       bool
	processes    map[string]*browserProcess // see processKey; an ended one stays until the next starts
	panes        map[string]*Pane
	order        []string // of panes, oldest first
	sessions     map[proto.TargetSessionID]*Pane
	remoteFrames map[proto.TargetSessionID]*Pane        // of frames of other sites, see frames.go
	windows      map[proto.TargetTargetID]*popupWindow  // that pages have opened
	closing      map[proto.TargetTargetID]chan struct{} // of pages that are being closed; ends when Chromium has
	shots        int                                    // counts pictures
}

// New creates a Manager. It starts nothing yet.
func New(cfg Config) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.limits == (limits{}) {
		cfg.limits = defaultLimits()
	}
	m := &Manager{
		cfg:          cfg,
		limits:       cfg.limits,
		news:         newChangeNotifier(cfg.OnChange, cfg.OnVisit),
		start:        make(chan struct{}, 1),
		processes:    map[string]*browserProcess{},
		panes:        map[string]*Pane{},
		sessions:     map[proto.TargetSessionID]*Pane{},
		remoteFrames: map[proto.TargetSessionID]*Pane{},
		windows:      map[proto.TargetTargetID]*popupWindow{},
		closing:      map[proto.TargetTargetID]chan struct{}{},
	}
	m.rules = requestRules{&m.cfg}
	m.folders = downloadFolders{&m.cfg}
	m.targets = heldTargets{manager: m, targets: map[proto.TargetSessionID]*heldTarget{}}
	m.profiles = profiles{filepath.Join(cfg.Dir, "profiles"), m.whileProfileUnused}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	return m
}

// Open opens a pane and loads its address. A page that fails to load is not an error: the pane
// exists, and Info().Problem has the reason. Open fails if the address is refused (ErrRefused),
// or if Chromium is missing (ErrMissing) or does not start.
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
	p.State.setAddress(address)
	if err := p.attachNew(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening a browser pane: %w", err), m.removePane(ctx, p))
	}
	if address != "about:blank" {
		if err := p.Navigation.navigate(ctx, address); err != nil {
			p.State.setLoadError("%s", text.SanitizeLine(err.Error(), 300))
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
	switch _, isTaken := m.panes[o.ID]; {
	case m.closed:
		return nil, ErrClosed
	case isTaken:
		return nil, fmt.Errorf("a browser pane %s already exists", o.ID)
	}
	p := newPane(m, o)
	m.panes[o.ID] = p
	m.order = append(m.order, o.ID)
	return p, nil
}

// Get returns a pane by its id.
func (m *Manager) Get(id string) (*Pane, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.panes[id]
	return p, ok
}

// List returns all panes, oldest first.
func (m *Manager) List() []pane.Info {
	m.mu.Lock()
	all := make([]*Pane, 0, len(m.order))
	for _, id := range m.order {
		all = append(all, m.panes[id])
	}
	m.mu.Unlock()
	list := make([]pane.Info, 0, len(all))
	for _, p := range all {
		list = append(list, p.State.Info())
	}
	return list
}

// ClosePane closes one pane. An unknown id is an error.
func (m *Manager) ClosePane(ctx context.Context, id string) error {
	p, ok := m.Get(id)
	if !ok {
		return fmt.Errorf("there is no browser pane %q", text.SanitizeLine(id, 40))
	}
	return m.removePane(ctx, p)
}

// CloseGoal closes the panes that a goal opened and deletes its cookies and storage.
func (m *Manager) CloseGoal(ctx context.Context, goalID string) error {
	if goalID == "" {
		return errors.New("closing a goal's browser panes: no goal is named")
	}
	var err error
	for _, info := range m.List() {
		if p, ok := m.Get(info.ID); ok && p.State.goalID == goalID {
			err = errors.Join(err, m.removePane(ctx, p))
		}
	}
	e := m.findProcess(goalProcess)
	if e != nil && e.Alive.Err() == nil {
		err = errors.Join(err, e.disposeContext(ctx, goalID))
	}
	return err
}

// removePane removes a pane, closes its page and waits for its goroutines.
func (m *Manager) removePane(ctx context.Context, p *Pane) error {
	m.mu.Lock()
	isOpen := m.panes[p.State.id] == p
	if isOpen {
		delete(m.panes, p.State.id)
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == p.State.id })
	}
	m.mu.Unlock()
	err := p.close(ctx)
	if isOpen {
		m.news.closed(p.State.Info())
	}
	return err
}

// Close closes every pane and Chromium and waits until all have ended.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	m.mu.Unlock()
	m.cancel(ErrClosed)
	// m.ctx ends a start that is running, which then returns the token.
	m.start <- struct{}{}
	var err error
	for _, info := range m.List() {
		if p, ok := m.Get(info.ID); ok {
			err = errors.Join(err, m.removePane(ctx, p))
		}
	}
	m.mu.Lock()
	engines := m.processes
	m.processes = map[string]*browserProcess{}
	m.mu.Unlock()
	for _, e := range engines {
		err = errors.Join(err, e.Close(ctx))
	}
	m.work.Wait()
	m.news.close()
	return err
}

// fallbackTitle returns the title of a page without one: its address.
func fallbackTitle(address string) string {
	return text.SanitizeLine(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"), 200)
}
