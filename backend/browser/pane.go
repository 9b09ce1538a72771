package browser

import (
	"context"
	"errors"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/screencast"
	"goalpost/backend/pane"
)

// Pane is one browser pane. It outlives its page: when the page crashes or
// Chromium ends, the pane says so in Info().Problem, and Reload brings the page
// back. All methods may be called concurrently; actions of the agent (Snapshot,
// Click, Type, Screenshot) take turns.
type Pane struct {
	screencast *screencast.Screencast
	closing    sync.Once // an opening that fails and a manager that closes may both want to

	state
	activity
	driver
	prompts
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

	events eventRouter
}

func newPane(m *Manager, o Options) *Pane {
	p := &Pane{}
	p.state.init(m, o)
	p.connectState()
	p.connectPage(o.Width, o.Height)
	p.connectAgent()
	p.connectUser()
	p.events.init(p)
	p.state.work.Go(p.navigation.followHistory)
	p.state.work.Go(p.userInput.runInputs)
	return p
}

// connectState makes the parts that hold what others need: what happened, the open
// questions, who drives, the frames.
func (p *Pane) connectState() {
	s := &p.state
	p.screencast = screencast.New(&filmed{
		state:    s,
		viewport: &p.viewport,
		pictures: &p.pictures,
		input:    &p.userInput,
	})
	s.notifyViewers = p.screencast.NotifyViewers
	p.activity = activity{state: s}
	p.prompts = prompts{state: s, activity: &p.activity}
	p.prompts.noPromptCtx, p.prompts.cancelNoPrompt = context.WithCancelCause(context.Background())
	p.driver = driver{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
	}
	p.driver.agentCtx, p.driver.cancelAgent = context.WithCancelCause(context.Background())
	p.frames = frames{state: s}
	p.popup = popup{state: s, prompts: &p.prompts}
}

// connectPage makes the parts that lead the page somewhere, show it and take what it sends.
func (p *Pane) connectPage(width, height int) {
	s := &p.state
	if width <= 0 || height <= 0 {
		width, height = 1280, 800
	}
	p.viewport = viewport{
		state:      s,
		screencast: p.screencast,
		ratio:      1,
	}
	p.viewport.setSize(width, height)
	p.downloads = downloads{
		state:    s,
		activity: &p.activity,
		driver:   &p.driver,
	}
	p.navigation = navigation{
		attach:         p.attachNew,
		state:          s,
		driver:         &p.driver,
		prompts:        &p.prompts,
		downloads:      &p.downloads,
		historyChanged: make(chan struct{}, 1),
		attachToken:    make(chan struct{}, 1),
	}
}

// connectAgent makes the parts by which an agent sees the page and acts on it.
func (p *Pane) connectAgent() {
	s := &p.state
	p.turns = turns{
		state:     s,
		driver:    &p.driver,
		prompts:   &p.prompts,
		popup:     &p.popup,
		agentTurn: make(chan struct{}, 1),
	}
	p.targets = targets{
		state:    s,
		activity: &p.activity,
		frames:   &p.frames,
	}
	p.actions = actions{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
	}
	p.mouse = mouse{
		state:    s,
		activity: &p.activity,
		frames:   &p.frames,
		targets:  &p.targets,
		actions:  &p.actions,
		viewport: &p.viewport,
	}
	p.forms = forms{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		actions:  &p.actions,
		mouse:    &p.mouse,
	}
	p.reader = reader{
		state:   s,
		driver:  &p.driver,
		prompts: &p.prompts,
		frames:  &p.frames,
		turns:   &p.turns,
		targets: &p.targets,
	}
	p.pictures = pictures{
		state:    s,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		viewport: &p.viewport,
		token:    make(chan struct{}, 1),
	}
}

// connectUser makes the parts by which a user acts on the page and answers it.
func (p *Pane) connectUser() {
	s := &p.state
	p.userInput = userInput{
		screencast: p.screencast,
		state:      s,
		prompts:    &p.prompts,
		drag:       &p.mouse.drag,
		viewport:   &p.viewport,
		pictures:   &p.pictures,
		queue:      newInputs(),
	}
	p.siteData = siteData{
		state:   s,
		driver:  &p.driver,
		prompts: &p.prompts,
		turns:   &p.turns,
	}
	p.logins = logins{
		state:    s,
		activity: &p.activity,
		driver:   &p.driver,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		actions:  &p.actions,
		forms:    &p.forms,
	}
	p.textSearch = textSearch{
		state:   s,
		prompts: &p.prompts,
		frames:  &p.frames,
	}
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
	width, height := p.viewport.size()
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
	p.screencast.SetPage(pg)
	return nil
}

// adopt registers a page that is about to be prepared, so that its events arrive,
// and says whether a goal has the pane.
func (p *Pane) adopt(pg *page) (listens bool) {
	p.state.change(func() {
		p.state.page, p.state.load, p.state.network, p.state.unresponsive, p.state.loading = pg, load{}, networkActivity{}, false, false
		listens = p.state.alwaysTracksNetwork()
		p.viewport.forgetZoom()
		p.userInput.touch.Store(false)
		p.mouse.drag.end()
		p.prompts.closeLocked(anyPrompt)
	})
	p.frames.detachAll()
	p.state.m.mu.Lock()
	p.state.m.sessions[pg.session] = p
	p.state.m.mu.Unlock()
	return listens
}

// onProcessLost says that Chromium is gone.
func (p *Pane) onProcessLost(c *cdp.Conn) {
	p.state.change(func() {
		if p.state.page == nil || p.state.page.engine.Conn != c {
			return
		}
		p.state.page.end(ErrEnded)
		p.state.processError, p.state.info.Running, p.state.loading = "the browser ended", false, false
		p.prompts.closeLocked(anyPrompt)
		p.downloads.markDownloadsInterrupted()
	})
	p.frames.detachAll()
	p.screencast.SetPage(nil)
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
	p.screencast.Close()
	var err error
	if pg != nil {
		p.state.m.mu.Lock()
		delete(p.state.m.sessions, pg.session)
		p.state.m.mu.Unlock()
		pg.end(ErrClosed)
		p.frames.detachAll()
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
