package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// Pane is one browser pane. It outlives its page: when the page crashes or
// Chromium ends, the pane says so in Info().Problem, and Reload brings the page
// back. All methods may be called concurrently; actions of the agent (Snapshot,
// Click, Type, Screenshot) take turns.
type Pane struct {
	id      string
	goalID  string
	m       *Manager
	cast    *cast
	inputs  *inputs
	turn    chan struct{} // one token: the agent acts
	attach  chan struct{} // one token: the pane gets a page
	shutter chan struct{} // one token: a picture is taken
	closing sync.Once     // an opening that fails and a manager that closes may both want to
	wants   chan struct{} // the history changed
	ctx     context.Context
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup
	count   counter // of refs in all documents of the pane, so that an old one fits none of a new one
	sought  sought

	profile string
	network string // the goal whose proxy its pages use
	bare    bool

	fitting       sync.Mutex // held while the page is told its size
	numbering     sync.Mutex // held while frames of other sites get their numbers
	mu            sync.Mutex
	page          *page // nil until attached
	info          pane.Info
	lent          string    // the goal that the person lent it to, "" if none
	refused       []refused // to the page while it was lent
	rev           int       // grows with each change of info
	fault         string    // the page or the browser is gone
	woe           string    // why the address shows no page, until the next one
	note          string    // what the person should know, until they act
	width, height int
	ratio         float64 // pixels of the viewer's screen for one of CSS
	load          load
	loading       bool    // Chromium says so; Info().Loading is true from the moment at which somebody wants it
	voyage        *voyage // nil if nobody is under way
	net           traffic
	popupURL      string // of the last window.open
	paying        string // the address at which a card was asked for
	hung          bool   // the page let a call time out
	opening       opening
	happened      []string // since the agent's action began
	acts          int      // counts the agent's actions
	moved         chan struct{}

	overlay     pane.Overlay
	overRev     int // grows with each change of overlay
	questions   []asked
	asks        int             // counts questions
	row         int             // counts dialogs since the person or the agent acted
	calm        context.Context // ends with errAsked while the page waits for an answer
	disturb     context.CancelCauseFunc
	held        context.Context // ends with ErrTakenOver while a person has a goal's pane
	park        context.CancelCauseFunc
	idle        bool // no run of the goal that has the pane goes on
	cursor      string
	copied      pane.Copied
	downloads   []pane.Download
	zoom        int // percent
	zoomScript  proto.PageScriptIdentifier
	touch       bool                  // the page knows of fingers
	drag        *proto.InputDragData  // what the mouse drags, nil if nothing
	dragged     bool                  // the page knows of the drag
	answered    time.Time             // when a question was last answered
	unsigned    []realm               // that the person gave no name and password, until the next document
	trusted     unproven              // by the person's word
	certificate *pane.SiteCertificate // of the page's connection, nil without one
	journal     journal
	told        told
	// Of the action under way, for whoever has the turn: what its last click said about
	// the page, and what changed when that last rested.
	early   map[*page]*calm
	last    map[*page]*changes
	parts   []*part      // of the page: frames of other sites
	parting atomic.Int64 // counts them
	staged  []string     // folders with copies of files for pages
}

// load is how far the main document is.
type load struct {
	loader proto.NetworkLoaderID   // of the document that is shown
	loaded proto.NetworkLoaderID   // of the last document that finished loading
	empty  proto.NetworkLoaderID   // of the empty document that a new window begins with, "" if it has another by now
	moves  int                     // counts documents shown and moves within one
	shown  []proto.NetworkLoaderID // the last few documents: one may have gone on to the next by itself
	posted bool                    // the document is the answer to a form that was sent
	person bool                    // it was a person who went there, in a pane of theirs
	// posting is the document that a form was last sent for.
	posting proto.NetworkLoaderID
	// veil is until when the document may be without its first picture, see unveiled.
	veil time.Time
}

// shows notes another document.
func (l *load) shows(loader proto.NetworkLoaderID) {
	const most = 16
	l.loader, l.shown = loader, append(l.shown[max(0, len(l.shown)-most):], loader)
}

// done says that the shown document is loaded.
func (l load) done() bool { return l.loader == l.loaded && !l.coming() }

// coming says that a window has been opened and its document is on the way.
func (l load) coming() bool { return l.empty != "" && (l.loader == "" || l.loader == l.empty) }

func newPane(m *Manager, o Options) *Pane {
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = 1280, 800
	}
	p := &Pane{
		id: o.ID, goalID: o.GoalID, m: m,
		inputs: newInputs(), turn: make(chan struct{}, 1), attach: make(chan struct{}, 1), shutter: make(chan struct{}, 1), wants: make(chan struct{}, 1),
		moved: make(chan struct{}),
		info:  pane.Info{ID: o.ID, Kind: pane.Browser, Title: clean(o.Title, 200), GoalID: o.GoalID},
	}
	if p.info.Title == "" {
		p.info.Title = untitled(o.URL)
	}
	if p.info.Title == "" {
		p.info.Title = "New page"
	}
	p.width, p.height = bound(o.Width, o.Height)
	p.ratio = 1
	p.bare, p.network = o.bare, o.GoalID
	if o.bare {
		p.network = o.network
	}
	p.profile, p.info.Profile, p.info.Driver = o.Profile, o.Profile, pane.DriverUser
	if o.GoalID != "" {
		p.info.Driver = pane.DriverAgent
	}
	p.calm, p.disturb = context.WithCancelCause(context.Background())
	p.held, p.park = context.WithCancelCause(context.Background())
	p.cursor, p.zoom = "default", 100
	p.redraw()
	p.cast = newCast(p)
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.work.Go(p.followHistory)
	p.work.Go(p.pump)
	return p
}

// Info is the pane as lists show it.
func (p *Pane) Info() pane.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// change is the one way to alter what mu guards: it tells everyone who waits.
func (p *Pane) change(f func()) {
	p.mu.Lock()
	before := p.info
	f()
	p.info.Notice, p.info.Problem = p.note, p.woe
	p.info.Loading = p.ctx.Err() == nil && (p.loading || p.voyage != nil && !p.voyage.begun)
	if p.fault != "" {
		p.info.Problem = p.fault
	}
	if p.info != before {
		p.rev++
		if p.ctx.Err() == nil { // closing has its own news
			p.announce() // within the lock, to keep the order
		}
	}
	close(p.moved)
	p.moved = make(chan struct{})
	p.mu.Unlock()
	p.cast.wakeAll()
}

// announce tells of the pane, unless it is nobody's; mu is held.
func (p *Pane) announce() {
	if !p.bare {
		p.m.news.changed(p.info)
	}
}

// wait returns when ready holds, which is called under mu after each change.
func (p *Pane) wait(ctx context.Context, ready func() bool) error {
	for {
		p.mu.Lock()
		ok, moved := ready(), p.moved
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return cause(ctx)
		}
	}
}

func (p *Pane) setURL(address string) { p.change(func() { p.info.URL = clean(address, 4096) }) }

// notice shows something until the person acts or the page changes.
func (p *Pane) notice(format string, args ...any) {
	p.change(func() { p.note = fmt.Sprintf(format, args...) })
}

// Notice shows the person something beside the page, until they act.
func (p *Pane) Notice(words string) { p.notice("%s", clean(words, 300)) }

// trouble says why there is no page to be seen, until the next one.
func (p *Pane) trouble(format string, args ...any) {
	p.change(func() { p.woe = fmt.Sprintf(format, args...) })
}

// current is the page to talk to. An error says what became of it.
func (p *Pane) current() (*page, error) {
	p.mu.Lock()
	pg := p.page
	p.mu.Unlock()
	switch {
	case p.ctx.Err() != nil:
		return nil, ErrClosed
	case pg == nil:
		return nil, ErrEnded
	case pg.alive.Err() != nil:
		return nil, cause(pg.alive)
	}
	return pg, nil
}

// attachNew gives the pane a new page, in a new Chromium if need be.
func (p *Pane) attachNew(ctx context.Context) error { return p.attachTo(ctx, "") }

// attachTo takes over a page that exists, or makes one if target is "".
func (p *Pane) attachTo(ctx context.Context, target proto.TargetTargetID) error {
	select {
	case p.attach <- struct{}{}:
		defer func() { <-p.attach }()
	case <-p.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cause(ctx)
	}
	if _, err := p.current(); err == nil || errors.Is(err, ErrClosed) {
		return err // somebody else was faster
	}
	ctx, cancel := tie(ctx, p.ctx)
	defer cancel(nil)
	e, err := p.m.running(ctx, engineOf(p.goalID, p.profile))
	if err != nil {
		return err
	}
	p.mu.Lock()
	width, height := p.width, p.height
	p.mu.Unlock()
	pg, err := e.attach(ctx, p, width, height, target)
	if err != nil {
		if pg != nil {
			pg.end(err)
			e.post("", proto.TargetCloseTarget{TargetID: pg.target})
		}
		return err
	}
	if zoom := p.overlayNow().Zoom; zoom != 100 && !p.bare {
		if err := p.zoomPage(ctx, pg, zoom); err != nil {
			p.m.cfg.Log.Debug("zooming", "pane", p.id, "error", err)
		}
	}
	p.change(func() { p.fault, p.woe, p.note, p.info.Running = "", "", "", true })
	p.fit(pg) // it may have changed meanwhile
	p.cast.use(pg)
	return nil
}

// adopt registers a page that is about to be prepared, so that its events arrive,
// and says whether a goal has the pane.
func (p *Pane) adopt(pg *page) (listens bool) {
	p.change(func() {
		p.page, p.load, p.net, p.hung, p.loading = pg, load{}, traffic{}, false, false
		listens = p.listens()
		p.zoomScript, p.touch, p.drag = "", false, nil
		p.withdrawn(everything)
	})
	p.dropParts()
	p.m.mu.Lock()
	p.m.sessions[pg.session] = p
	p.m.mu.Unlock()
	return listens
}

// on says whether the pane's page is this session of this connection.
func (p *Pane) on(c *conn, session proto.TargetSessionID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.page != nil && p.page.engine.conn == c && p.page.session == session
}

// lose says that Chromium is gone.
func (p *Pane) lose(c *conn) {
	p.change(func() {
		if p.page == nil || p.page.engine.conn != c {
			return
		}
		p.page.end(ErrEnded)
		p.fault, p.info.Running, p.loading = "the browser ended", false, false
		p.withdrawn(everything)
		p.interrupted()
	})
	p.dropParts()
	p.cast.use(nil)
}

func everything(asked) bool { return true }

func (p *Pane) overlayNow() pane.Overlay {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.overlay
}

// close ends the pane: its page, its viewers and its goroutines. Whoever comes
// second waits until it is done.
func (p *Pane) close(ctx context.Context) (err error) {
	p.closing.Do(func() { err = p.end(ctx) })
	return err
}

func (p *Pane) end(ctx context.Context) error {
	p.cancel(ErrClosed)
	p.attach <- struct{}{} // an attachment under way is cut off by p.ctx; no new one starts
	p.mu.Lock()
	pg := p.page
	p.page = nil
	p.mu.Unlock()
	p.cast.close()
	var err error
	if pg != nil {
		p.m.mu.Lock()
		delete(p.m.sessions, pg.session)
		p.m.mu.Unlock()
		pg.end(ErrClosed)
		p.dropParts()
		if e := pg.engine; e.alive.Err() == nil {
			for _, d := range p.Downloads() {
				if d.State == pane.Downloading {
					e.post("", proto.BrowserCancelDownload{GUID: d.ID, BrowserContextID: e.contextOf(p.goalID)})
				}
			}
			err = e.do(ctx, e.alive, "", callLimit, "closing a page", func(c proto.Client) error {
				return closeTarget(c, pg.target)
			})
			if e.alive.Err() != nil { // it ended meanwhile, and the page with it
				err = nil
			}
		}
	}
	p.change(func() { p.info.Running = false })
	p.work.Wait()
	return errors.Join(err, p.unstage())
}
