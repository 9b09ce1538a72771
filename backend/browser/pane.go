package browser

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// Pane is one browser pane. It outlives its page: when the page crashes or
// Chromium ends, the pane says so in Info().Problem, and Reload brings the page
// back. All methods may be called concurrently; actions of the agent (Snapshot,
// Click, Type, Screenshot) take turns.
type Pane struct {
	id             string
	goalID         string
	m              *Manager
	screencast     *screencast
	inputQueue     *inputQueue
	agentTurn      chan struct{} // one token: the agent acts
	attachToken    chan struct{} // one token: the pane gets a page
	pictureToken   chan struct{} // one token: a picture is taken
	closing        sync.Once     // an opening that fails and a manager that closes may both want to
	historyChanged chan struct{} // the history changed
	ctx            context.Context
	cancel         context.CancelCauseFunc
	work           sync.WaitGroup
	refs           refAllocator // of refs in all documents of the pane, so that an old one fits none of a new one
	search         searchState

	profile    string
	proxyGoal  string // the goal whose proxy its pages use
	scriptless bool

	viewportMu        sync.Mutex // held while the page is told its size
	frameNumberMu     sync.Mutex // held while frames of other sites get their numbers
	mu                sync.Mutex
	page              *page // nil until attached
	info              pane.Info
	sharedWith        string             // the goal that the user lent it to, "" if none
	deniedPermissions []permissionDenial // to the page while it was lent
	rev               int                // grows with each change of info
	processError      string             // the page or the browser is gone
	loadError         string             // why the address shows no page, until the next one
	loadNotice        string             // what the user should know, until they act
	width             int
	height            int
	ratio             float64 // pixels of the viewer's screen for one of CSS
	load              load
	loading           bool               // Chromium says so; Info().Loading is true from the moment at which somebody wants it
	navigation        *pendingNavigation // nil if nobody is under way
	network           networkActivity
	popupURL          string // of the last window.open
	paymentURL        string // the address at which a card was asked for
	unresponsive      bool   // the page let a call time out
	popup             popupState
	actionEvents      []string // since the agent's action began
	actionCount       int      // counts the agent's actions
	changed           chan struct{}

	overlay        pane.Overlay
	overlayRev     int // grows with each change of overlay
	prompts        []openPrompt
	promptCount    int             // counts questions
	dialogsInARow  int             // counts dialogs since the user or the agent acted
	noPromptCtx    context.Context // ends with errPromptOpen while the page waits for an answer
	cancelNoPrompt context.CancelCauseFunc
	agentCtx       context.Context // ends with ErrTakenOver while a user has a goal's pane
	cancelAgent    context.CancelCauseFunc
	idle           bool // no run of the goal that has the pane continues
	cursor         string
	copied         pane.Copied
	downloads      []pane.Download
	zoom           int // percent
	zoomScript     proto.PageScriptIdentifier
	touch          bool                  // the page knows of fingers
	drag           *proto.InputDragData  // what the mouse drags, nil if nothing
	dragged        bool                  // the page knows of the drag
	answered       time.Time             // when a question was last answered
	declinedRealms []authRealm           // that the user gave no name and password, until the next document
	certException  certificateException  // by the user's word
	certificate    *pane.SiteCertificate // of the page's connection, nil without one
	journal        activityLog
	lastSnapshot   lastSnapshot
	// Of the action under way, for whoever has the turn: what its last click said about
	// the page, and what changed when that last rested.
	lastClickActivity map[*page]*frameActivity
	lastChanges       map[*page]*changes
	frames            []*remoteFrame // of the page: frames of other sites
	frameCount        atomic.Int64   // counts them
	uploadDirs        []string       // folders with copies of files for pages
}

// load is how far the main document is.
type load struct {
	loader proto.NetworkLoaderID   // of the document that is shown
	loaded proto.NetworkLoaderID   // of the last document that finished loading
	empty  proto.NetworkLoaderID   // of the empty document that a new window begins with, "" if it has another by now
	moves  int                     // counts documents shown and moves within one
	shown  []proto.NetworkLoaderID // the last few documents: one may have continued to the next by itself
	posted bool                    // the document is the answer to a form that was sent
	byUser bool                    // it was a user who went there, in a pane of theirs
	// posting is the document that a form was last sent for.
	posting proto.NetworkLoaderID
	// holdInputUntil is when input is let through although the document may be without its first picture, see unveiled.
	holdInputUntil time.Time
}

// setDocument notes another document.
func (l *load) setDocument(loader proto.NetworkLoaderID) {
	const most = 16
	l.loader, l.shown = loader, append(l.shown[max(0, len(l.shown)-most):], loader)
}

// done says that the shown document is loaded.
func (l load) done() bool { return l.loader == l.loaded && !l.setPending() }

// setPending says that a window has been opened and its document is on the way.
func (l load) setPending() bool { return l.empty != "" && (l.loader == "" || l.loader == l.empty) }

func newPane(m *Manager, o Options) *Pane {
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = 1280, 800
	}
	p := &Pane{
		id: o.ID, goalID: o.GoalID, m: m,
		inputQueue: newInputs(), agentTurn: make(chan struct{}, 1), attachToken: make(chan struct{}, 1), pictureToken: make(chan struct{}, 1), historyChanged: make(chan struct{}, 1),
		changed: make(chan struct{}),
		info:    pane.Info{ID: o.ID, Kind: pane.Browser, Title: sanitize.Line(o.Title, 200), GoalID: o.GoalID},
	}
	if p.info.Title == "" {
		p.info.Title = untitled(o.URL)
	}
	if p.info.Title == "" {
		p.info.Title = "New page"
	}
	p.width, p.height = bound(o.Width, o.Height)
	p.ratio = 1
	p.scriptless, p.proxyGoal = o.bare, o.GoalID
	if o.bare {
		p.proxyGoal = o.network
	}
	p.profile, p.info.Profile, p.info.Driver = o.Profile, o.Profile, pane.DriverUser
	if o.GoalID != "" {
		p.info.Driver = pane.DriverAgent
	}
	p.noPromptCtx, p.cancelNoPrompt = context.WithCancelCause(context.Background())
	p.agentCtx, p.cancelAgent = context.WithCancelCause(context.Background())
	p.cursor, p.zoom = "default", 100
	p.updateOverlay()
	p.screencast = newCast(p)
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.work.Go(p.followHistory)
	p.work.Go(p.runInputs)
	return p
}

// currentPage is the page to talk to. An error says what became of it.
func (p *Pane) currentPage() (*page, error) {
	p.mu.Lock()
	pg := p.page
	p.mu.Unlock()
	switch {
	case p.ctx.Err() != nil:
		return nil, ErrClosed
	case pg == nil:
		return nil, ErrEnded
	case pg.alive.Err() != nil:
		return nil, cdp.Cause(pg.alive)
	}
	return pg, nil
}

// attachNew gives the pane a new page, in a new Chromium if need be.
func (p *Pane) attachNew(ctx context.Context) error { return p.attachTo(ctx, "") }

// attachTo takes over a page that exists, or makes one if target is "".
func (p *Pane) attachTo(ctx context.Context, target proto.TargetTargetID) error {
	select {
	case p.attachToken <- struct{}{}:
		defer func() { <-p.attachToken }()
	case <-p.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
	if _, err := p.currentPage(); err == nil || errors.Is(err, ErrClosed) {
		return err // somebody else was faster
	}
	ctx, cancel := cdp.JoinContexts(ctx, p.ctx)
	defer cancel(nil)
	e, err := p.m.ensureProcess(ctx, processKey(p.goalID, p.profile))
	if err != nil {
		return err
	}
	p.mu.Lock()
	width, height := p.width, p.height
	p.mu.Unlock()
	pg, err := e.attachTarget(ctx, p, width, height, target)
	if err != nil {
		if pg != nil {
			pg.end(err)
			e.Post("", proto.TargetCloseTarget{TargetID: pg.target})
		}
		return err
	}
	if zoom := p.overlayNow().Zoom; zoom != 100 && !p.scriptless {
		if err := p.zoomPage(ctx, pg, zoom); err != nil {
			p.m.cfg.Log.Debug("zooming", "pane", p.id, "error", err)
		}
	}
	p.change(func() { p.processError, p.loadError, p.loadNotice, p.info.Running = "", "", "", true })
	p.applyViewport(pg) // it may have changed
	p.screencast.setPage(pg)
	return nil
}

// adopt registers a page that is about to be prepared, so that its events arrive,
// and says whether a goal has the pane.
func (p *Pane) adopt(pg *page) (listens bool) {
	p.change(func() {
		p.page, p.load, p.network, p.unresponsive, p.loading = pg, load{}, networkActivity{}, false, false
		listens = p.alwaysTracksNetwork()
		p.zoomScript, p.touch, p.drag = "", false, nil
		p.closePromptsLocked(anyPrompt)
	})
	p.detachAllFrames()
	p.m.mu.Lock()
	p.m.sessions[pg.session] = p
	p.m.mu.Unlock()
	return listens
}

// on says whether the pane's page is this session of this connection.
func (p *Pane) on(c *cdp.Conn, session proto.TargetSessionID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.page != nil && p.page.engine.Conn == c && p.page.session == session
}

// onProcessLost says that Chromium is gone.
func (p *Pane) onProcessLost(c *cdp.Conn) {
	p.change(func() {
		if p.page == nil || p.page.engine.Conn != c {
			return
		}
		p.page.end(ErrEnded)
		p.processError, p.info.Running, p.loading = "the browser ended", false, false
		p.closePromptsLocked(anyPrompt)
		p.markDownloadsInterrupted()
	})
	p.detachAllFrames()
	p.screencast.setPage(nil)
}

func anyPrompt(openPrompt) bool { return true }

// close ends the pane: its page, its viewers and its goroutines. Whoever comes
// second waits until it is done.
func (p *Pane) close(ctx context.Context) (err error) {
	p.closing.Do(func() { err = p.end(ctx) })
	return err
}

func (p *Pane) end(ctx context.Context) error {
	p.cancel(ErrClosed)
	p.attachToken <- struct{}{} // an attachment under way is cut off by p.ctx; no new one starts
	p.mu.Lock()
	pg := p.page
	p.page = nil
	p.mu.Unlock()
	p.screencast.close()
	var err error
	if pg != nil {
		p.m.mu.Lock()
		delete(p.m.sessions, pg.session)
		p.m.mu.Unlock()
		pg.end(ErrClosed)
		p.detachAllFrames()
		if e := pg.engine; e.Alive.Err() == nil {
			for _, d := range p.Downloads() {
				if d.State == pane.Downloading {
					e.Post("", proto.BrowserCancelDownload{GUID: d.ID, BrowserContextID: e.existingContext(p.goalID)})
				}
			}
			err = e.Do(ctx, e.Alive, "", callLimit, "closing a page", func(c proto.Client) error {
				return closeTarget(c, pg.target)
			})
			if e.Alive.Err() != nil { // it ended, and the page with it
				err = nil
			}
		}
	}
	p.change(func() { p.info.Running = false })
	p.work.Wait()
	return errors.Join(err, p.removeUploadCopies())
}
