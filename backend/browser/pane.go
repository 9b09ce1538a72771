package browser

import (
	"context"
	"errors"
	"sync"
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
	screencast *screencast
	closing    sync.Once // an opening that fails and a manager that closes may both want to

	state
	activity
	driver
	prompts
	promptEvents
	frames
	popup
	turns
	downloads
	navigation
	targets
	actions
	mouse
	forms
	reader
	viewport
	pictures
	userInput
	siteData
	logins
	textSearch
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
	p := &Pane{}
	p.connectParts()
	p.state.id, p.state.goalID, p.state.m = o.ID, o.GoalID, m
	p.state.changed = make(chan struct{})
	p.state.info = pane.Info{
		ID:     o.ID,
		Kind:   pane.Browser,
		Title:  sanitize.Line(o.Title, 200),
		GoalID: o.GoalID,
	}
	p.userInput.inputQueue = newInputs()
	p.turns.agentTurn = make(chan struct{}, 1)
	p.navigation.attachToken = make(chan struct{}, 1)
	p.navigation.historyChanged = make(chan struct{}, 1)
	p.pictures.pictureToken = make(chan struct{}, 1)
	if p.state.info.Title == "" {
		p.state.info.Title = untitled(o.URL)
	}
	if p.state.info.Title == "" {
		p.state.info.Title = "New page"
	}
	p.viewport.width, p.viewport.height = bound(o.Width, o.Height)
	p.viewport.ratio = 1
	p.state.scriptless, p.state.proxyGoal = o.bare, o.GoalID
	if o.bare {
		p.state.proxyGoal = o.network
	}
	p.state.profile, p.state.info.Profile, p.state.info.Driver = o.Profile, o.Profile, pane.DriverUser
	if o.GoalID != "" {
		p.state.info.Driver = pane.DriverAgent
	}
	p.prompts.noPromptCtx, p.prompts.cancelNoPrompt = context.WithCancelCause(context.Background())
	p.driver.agentCtx, p.driver.cancelAgent = context.WithCancelCause(context.Background())
	p.state.cursor, p.state.zoom = "default", 100
	p.state.updateOverlay()
	p.screencast = newCast(p)
	p.state.ctx, p.state.cancel = context.WithCancelCause(context.Background())
	p.state.work.Go(p.navigation.followHistory)
	p.state.work.Go(p.userInput.runInputs)
	return p
}

// connectParts tells each part which others it needs.
func (p *Pane) connectParts() {
	p.state.pane = p
	p.state.prompts = &p.prompts
	p.state.downloads = &p.downloads
	p.activity.state = &p.state
	p.driver.state = &p.state
	p.driver.activity = &p.activity
	p.driver.prompts = &p.prompts
	p.prompts.pane = p
	p.prompts.state = &p.state
	p.prompts.activity = &p.activity
	p.promptEvents.pane = p
	p.promptEvents.state = &p.state
	p.promptEvents.activity = &p.activity
	p.promptEvents.driver = &p.driver
	p.promptEvents.prompts = &p.prompts
	p.promptEvents.frames = &p.frames
	p.promptEvents.siteData = &p.siteData
	p.promptEvents.logins = &p.logins
	p.frames.pane = p
	p.frames.state = &p.state
	p.popup.pane = p
	p.popup.state = &p.state
	p.popup.prompts = &p.prompts
	p.turns.state = &p.state
	p.turns.driver = &p.driver
	p.turns.prompts = &p.prompts
	p.turns.popup = &p.popup
	p.downloads.state = &p.state
	p.downloads.activity = &p.activity
	p.downloads.driver = &p.driver
	p.navigation.pane = p
	p.navigation.state = &p.state
	p.navigation.driver = &p.driver
	p.navigation.prompts = &p.prompts
	p.navigation.downloads = &p.downloads
	p.targets.state = &p.state
	p.targets.activity = &p.activity
	p.targets.frames = &p.frames
	p.actions.state = &p.state
	p.actions.activity = &p.activity
	p.actions.prompts = &p.prompts
	p.actions.frames = &p.frames
	p.actions.turns = &p.turns
	p.actions.targets = &p.targets
	p.mouse.state = &p.state
	p.mouse.activity = &p.activity
	p.mouse.frames = &p.frames
	p.mouse.targets = &p.targets
	p.mouse.actions = &p.actions
	p.mouse.viewport = &p.viewport
	p.forms.state = &p.state
	p.forms.activity = &p.activity
	p.forms.prompts = &p.prompts
	p.forms.frames = &p.frames
	p.forms.turns = &p.turns
	p.forms.targets = &p.targets
	p.forms.actions = &p.actions
	p.forms.mouse = &p.mouse
	p.reader.state = &p.state
	p.reader.driver = &p.driver
	p.reader.prompts = &p.prompts
	p.reader.frames = &p.frames
	p.reader.turns = &p.turns
	p.reader.targets = &p.targets
	p.viewport.pane = p
	p.viewport.state = &p.state
	p.pictures.pane = p
	p.pictures.state = &p.state
	p.pictures.prompts = &p.prompts
	p.pictures.frames = &p.frames
	p.pictures.turns = &p.turns
	p.pictures.targets = &p.targets
	p.pictures.viewport = &p.viewport
	p.userInput.pane = p
	p.userInput.state = &p.state
	p.userInput.prompts = &p.prompts
	p.userInput.mouse = &p.mouse
	p.userInput.viewport = &p.viewport
	p.userInput.pictures = &p.pictures
	p.siteData.state = &p.state
	p.siteData.driver = &p.driver
	p.siteData.prompts = &p.prompts
	p.siteData.turns = &p.turns
	p.logins.pane = p
	p.logins.state = &p.state
	p.logins.activity = &p.activity
	p.logins.driver = &p.driver
	p.logins.prompts = &p.prompts
	p.logins.frames = &p.frames
	p.logins.turns = &p.turns
	p.logins.actions = &p.actions
	p.logins.forms = &p.forms
	p.textSearch.state = &p.state
	p.textSearch.prompts = &p.prompts
	p.textSearch.frames = &p.frames
}

// currentPage is the page to talk to. An error says what became of it.
func (s *state) currentPage() (*page, error) {
	s.mu.Lock()
	pg := s.page
	s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
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
	case p.navigation.attachToken <- struct{}{}:
		defer func() { <-p.navigation.attachToken }()
	case <-p.state.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
	if _, err := p.state.currentPage(); err == nil || errors.Is(err, ErrClosed) {
		return err // somebody else was faster
	}
	ctx, cancel := cdp.JoinContexts(ctx, p.state.ctx)
	defer cancel(nil)
	e, err := p.state.m.ensureProcess(ctx, processKey(p.state.goalID, p.state.profile))
	if err != nil {
		return err
	}
	p.state.mu.Lock()
	width, height := p.viewport.width, p.viewport.height
	p.state.mu.Unlock()
	pg, err := e.attachTarget(ctx, p, width, height, target)
	if err != nil {
		if pg != nil {
			pg.end(err)
			e.Post("", proto.TargetCloseTarget{TargetID: pg.target})
		}
		return err
	}
	if zoom := p.state.overlayNow().Zoom; zoom != 100 && !p.state.scriptless {
		if err := p.viewport.zoomPage(ctx, pg, zoom); err != nil {
			p.state.m.cfg.Log.Debug("zooming", "pane", p.state.id, "error", err)
		}
	}
	p.state.change(func() {
		p.state.processError, p.state.loadError, p.state.loadNotice, p.state.info.Running = "", "", "", true
	})
	p.viewport.applyViewport(pg) // it may have changed
	p.screencast.setPage(pg)
	return nil
}

// adopt registers a page that is about to be prepared, so that its events arrive,
// and says whether a goal has the pane.
func (p *Pane) adopt(pg *page) (listens bool) {
	p.state.change(func() {
		p.state.page, p.state.load, p.state.network, p.state.unresponsive, p.state.loading = pg, load{}, networkActivity{}, false, false
		listens = p.state.alwaysTracksNetwork()
		p.viewport.zoomScript, p.userInput.touch, p.mouse.drag = "", false, nil
		p.prompts.closePromptsLocked(anyPrompt)
	})
	p.frames.detachAllFrames()
	p.state.m.mu.Lock()
	p.state.m.sessions[pg.session] = p
	p.state.m.mu.Unlock()
	return listens
}

// on says whether the pane's page is this session of this connection.
func (s *state) on(c *cdp.Conn, session proto.TargetSessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page != nil && s.page.engine.Conn == c && s.page.session == session
}

// onProcessLost says that Chromium is gone.
func (p *Pane) onProcessLost(c *cdp.Conn) {
	p.state.change(func() {
		if p.state.page == nil || p.state.page.engine.Conn != c {
			return
		}
		p.state.page.end(ErrEnded)
		p.state.processError, p.state.info.Running, p.state.loading = "the browser ended", false, false
		p.prompts.closePromptsLocked(anyPrompt)
		p.downloads.markDownloadsInterrupted()
	})
	p.frames.detachAllFrames()
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
	p.state.cancel(ErrClosed)
	p.navigation.attachToken <- struct{}{} // an attachment under way is cut off by p.ctx; no new one starts
	p.state.mu.Lock()
	pg := p.state.page
	p.state.page = nil
	p.state.mu.Unlock()
	p.screencast.close()
	var err error
	if pg != nil {
		p.state.m.mu.Lock()
		delete(p.state.m.sessions, pg.session)
		p.state.m.mu.Unlock()
		pg.end(ErrClosed)
		p.frames.detachAllFrames()
		if e := pg.engine; e.Alive.Err() == nil {
			for _, d := range p.Downloads() {
				if d.State == pane.Downloading {
					e.Post("", proto.BrowserCancelDownload{GUID: d.ID, BrowserContextID: e.existingContext(p.state.goalID)})
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
	p.state.change(func() { p.state.info.Running = false })
	p.state.work.Wait()
	return errors.Join(err, p.forms.removeUploadCopies())
}
