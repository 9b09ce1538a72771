package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// attachTarget creates or takes over a page and prepares it. The pane knows the session before
// any event of it arrives, so nothing of the page is missed.
func (b *browserProcess) attachTarget(
	ctx context.Context, p *Pane, width, height int, target proto.TargetTargetID,
) (*page, error) {
	pg := &page{process: b, target: target, refs: &p.frames.refs}
	err := b.Do(ctx, b.Alive, "", launchTimeout, "opening a page", func(c proto.Client) error {
		if pg.target == "" {
			id, err := b.contextFor(c, p.State.goalID, p.State.proxyGoal)
			if err != nil {
				return err
			}
			result, err := cdp.Call(c, proto.TargetCreateTarget{
				URL: "about:blank", BrowserContextID: id, Width: &width, Height: &height, NewWindow: true,
			})
			if err != nil {
				return fmt.Errorf("a new page: %w", err)
			}
			pg.target = result.TargetID
		}
		result, err := cdp.Call(c, proto.TargetAttachToTarget{TargetID: pg.target, Flatten: true})
		if err != nil {
			return fmt.Errorf("attaching to the page: %w", err)
		}
		pg.session = result.SessionID
		if p.State.keepsSize() {
			if found, err := cdp.Call(c, proto.BrowserGetWindowForTarget{TargetID: pg.target}); err == nil {
				pg.window = found.WindowID
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	pg.alive, pg.end = context.WithCancelCause(b.Alive)
	listens := p.adoptPage(pg)
	defer b.m.targets.release(pg.target)
	return pg, pg.do(ctx, launchTimeout, "preparing the page", func(c proto.Client) error {
		requests := []proto.Request{
			proto.PageEnable{},
			proto.InspectorEnable{},
			proto.RuntimeEnable{}, // bindings reach new documents only while it is on
			proto.PageSetLifecycleEventsEnabled{Enabled: true},
			// Without it a page is hidden, and draws nothing, once another page of the same window is in
			// front.
			proto.EmulationSetFocusEmulationEnabled{Enabled: true},
			p.Viewport.metrics(),
			proto.PageSetInterceptFileChooserDialog{Enabled: true},
			b.m.rules.fetchPatterns(),
			attachFrames,
			proto.InputSetInterceptDrags{Enabled: true},
			proto.SecurityEnable{},
			proto.SecuritySetOverrideCertificateErrors{Override: true},
		}
		if !p.State.scriptless {
			requests = append(requests, pageSetup...)
		}
		if agent := p.State.userAgent(); agent != "" {
			requests = append(requests, proto.EmulationSetUserAgentOverride{UserAgent: agent})
		}
		if listens { // requests of a goal's pages are recorded for its agent
			requests = append(requests, networkEnableParams)
		}
		// They run in order, so waiting for the last answer is enough.
		for _, req := range requests {
			pg.Post(req)
		}
		// The page's process answers this one, unlike some of the above: a page that navigates away
		// before it has run them crashes.
		tree, err := cdp.Call(c, proto.PageGetFrameTree{})
		if err == nil && target != "" {
			b.DrainEvents()
			p.popup.onPopupDocument(tree.FrameTree.Frame)
		}
		return err
	})
}

// pageSetup makes the page report what headless Chromium does not show, such as menus and pickers.
var pageSetup = []proto.Request{
	proto.RuntimeAddBinding{Name: bindingName, ExecutionContextName: script.UserPromptsWorldName},
	script.AddScript{Source: script.UserPrompts, WorldName: script.UserPromptsWorldName, RunImmediately: true},
	script.AddScript{Source: script.Permissions},
}

// attachNew gives the pane a new page, and starts Chromium if necessary.
func (p *Pane) attachNew(ctx context.Context) error { return p.attachTo(ctx, "") }

// attachTo takes over an existing page, or creates one if target is "".
func (p *Pane) attachTo(ctx context.Context, target proto.TargetTargetID) error {
	select {
	case p.Navigation.attachToken <- struct{}{}:
		defer func() { <-p.Navigation.attachToken }()
	case <-p.State.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
	if _, err := p.State.currentPage(); err == nil || errors.Is(err, ErrClosed) {
		return err // another call was faster
	}
	ctx, cancel := cdp.JoinContexts(ctx, p.State.ctx)
	defer cancel(nil)
	e, err := p.State.m.ensureProcess(ctx, processKey(p.State.goalID, p.State.profile))
	if err != nil {
		return err
	}
	width, height := p.Viewport.size()
	pg, err := e.attachTarget(ctx, p, width, height, target)
	if err != nil {
		if pg != nil {
			pg.end(err)
			e.Post("", proto.TargetCloseTarget{TargetID: pg.target})
		}
		return err
	}
	if zoom := p.State.overlayNow().Zoom; zoom != 100 && !p.State.scriptless {
		if err := p.Viewport.zoomPage(ctx, pg, zoom); err != nil {
			p.State.m.cfg.Log.Debug("zooming", "pane", p.State.id, "error", err)
		}
	}
	p.State.change(func() {
		p.State.processError, p.State.loadError, p.State.loadNotice, p.State.info.Running = "", "", "", true
		p.State.asleep = nil
	})
	p.Viewport.applyViewport(pg) // it may have changed
	p.screencast.SetPage(pg)
	return nil
}

// adoptPage registers a page before it is prepared, so that its events arrive, and reports
// whether a goal has the pane.
func (p *Pane) adoptPage(pg *page) (listens bool) {
	p.State.change(func() {
		p.State.page, p.State.load, p.State.network, p.State.unresponsive, p.State.loading = pg, load{}, networkActivity{},
			false, false
		listens = p.State.needsNetworkTracking()
		p.Viewport.forgetZoom()
		p.userInput.touch.Store(false)
		p.Mouse.drag.end()
		p.Prompts.closeLocked(anyPrompt)
	})
	p.frames.detachAll()
	p.State.m.mu.Lock()
	p.State.m.sessions[pg.session] = p
	p.State.m.mu.Unlock()
	return listens
}

// onProcessLost marks the pane when Chromium has ended.
func (p *Pane) onProcessLost(c *cdp.Conn) {
	p.State.change(func() {
		if p.State.page == nil || p.State.page.process.Conn != c {
			return
		}
		p.State.page.end(ErrEnded)
		p.State.processError, p.State.info.Running, p.State.loading = "the browser ended", false, false
		p.Prompts.closeLocked(anyPrompt)
		p.Downloads.markDownloadsInterrupted()
	})
	p.frames.detachAll()
	p.screencast.SetPage(nil)
}

func anyPrompt(openPrompt) bool { return true }

// close ends the pane: its page, its viewers and its goroutines. A second call waits until the
// first is done.
func (p *Pane) close(ctx context.Context) (err error) {
	p.closing.Do(func() { err = p.end(ctx) })
	return err
}

func (p *Pane) end(ctx context.Context) error {
	p.State.cancel(ErrClosed)
	p.devTools.end()
	p.Navigation.attachToken <- struct{}{} // p.ctx ends a current attachment; no new one starts
	p.State.mu.Lock()
	pg := p.State.page
	p.State.page = nil
	p.State.mu.Unlock()
	p.screencast.Close()
	var err error
	if pg != nil {
		p.State.m.mu.Lock()
		delete(p.State.m.sessions, pg.session)
		p.State.m.mu.Unlock()
		pg.end(ErrClosed)
		p.frames.detachAll()
		if e := pg.process; e.Alive.Err() == nil {
			for _, d := range p.Downloads.List() {
				if d.State == pane.Downloading {
					e.Post("", proto.BrowserCancelDownload{GUID: d.ID, BrowserContextID: e.existingContext(p.State.goalID)})
				}
			}
			err = e.closePage(ctx, pg.target)
			if e.Alive.Err() != nil { // it ended, and the page with it
				err = nil
			}
		}
	}
	p.State.change(func() { p.State.info.Running = false })
	p.State.work.Wait()
	return errors.Join(err, p.Downloads.placeAll(), p.Forms.removeUploadCopies())
}
