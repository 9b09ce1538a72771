package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// onEvent takes an event of the pane's page. It runs on the connection's
// goroutine: it alters state and posts, and never waits.
func (p *Pane) onEvent(e *cdp.Event) {
	p.state.mu.Lock()
	pg := p.state.page
	p.state.mu.Unlock()
	if pg == nil || string(pg.session) != e.SessionID {
		return
	}
	switch e.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		p.onFrameTarget(pg, e)
	case "Page.frameRequestedNavigation", "Page.frameScheduledNavigation":
		p.onNavigationRequested(pg, e, time.Now())
	case "Page.frameClearedScheduledNavigation":
		p.onNavigationRequested(pg, e, time.Time{})
	case "Page.frameStartedLoading":
		p.onLoading(pg, e, true)
	case "Page.frameStoppedLoading":
		p.onLoading(pg, e, false)
	case "Page.frameNavigated":
		p.onNavigated(pg, e)
	case "Page.navigatedWithinDocument":
		p.onNavigatedWithinDocument(pg, e)
	case "Page.lifecycleEvent":
		p.onLifecycle(pg, e)
	case "Page.javascriptDialogOpening":
		p.promptEvents.onDialog(pg, e)
	case "Runtime.executionContextCreated":
		pg.worlds.OnCreated(e)
	case "Page.windowOpen", "Page.downloadWillBegin", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		p.onAnyFrameEvent(e)
	case "Page.javascriptDialogClosed":
		p.prompts.close(matchKinds(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload))
	case "Page.fileChooserOpened":
		p.promptEvents.onFileChooser(pg, e)
	case "Input.dragIntercepted":
		p.mouse.drag.onIntercepted(e)
	case "Fetch.requestPaused":
		p.onPaused(pg, e)
	case "Fetch.authRequired":
		p.promptEvents.onAuth(pg, e)
	case "Security.certificateError":
		p.promptEvents.onCertificate(pg, e)
	case "Security.visibleSecurityStateChanged":
		p.siteData.onSecurity(e)
	case "Runtime.bindingCalled":
		p.promptEvents.onPageReport(pg, e)
	case "Inspector.targetCrashed":
		p.onCrash(pg)
	case "Inspector.targetReloadedAfterCrash":
		p.state.change(func() {
			if p.state.processError == faultCrashed {
				p.state.processError, p.state.info.Running = "", true
			}
		})
	default:
		if strings.HasPrefix(e.Method, "Network.") {
			p.state.onNetwork(e)
			p.activity.noteRequest(e)
		}
	}
}

// onAnyFrameEvent takes what every frame may tell, also one of another site.
func (p *Pane) onAnyFrameEvent(e *cdp.Event) {
	switch e.Method {
	case "Page.windowOpen":
		var open proto.PageWindowOpen
		if decode(e, &open) {
			p.state.change(func() { p.popup.openedURL, p.state.network.opening = open.URL, time.Now() })
		}
	case "Page.downloadWillBegin":
		var download proto.PageDownloadWillBegin
		if decode(e, &download) {
			p.state.change(func() { p.state.network.leaving = time.Time{} })
			p.downloadReceiver().downloads.onDownload(download.GUID, download.URL, download.SuggestedFilename)
		}
	case "Runtime.consoleAPICalled":
		p.activity.onConsole(e)
	case "Runtime.exceptionThrown":
		p.activity.onException(e)
	}
}

const faultCrashed = "the page crashed"

func (p *Pane) onCrash(pg *page) {
	p.state.change(func() {
		pg.end(ErrCrashed) // before anybody reads of it, and reloads
		p.state.processError, p.state.info.Running, p.state.loading = faultCrashed, false, false
		p.prompts.closeLocked(anyPrompt)
	})
}

func (p *Pane) onLoading(pg *page, e *cdp.Event, loading bool) {
	var frame struct {
		FrameID proto.PageFrameID `json:"frameId"`
	}
	if decode(e, &frame) && frame.FrameID == pg.frame() {
		p.state.change(func() {
			p.state.loading = loading
			if p.state.pending != nil && loading {
				p.state.pending.begun = true
			}
			p.state.network.last, p.state.network.leaving = time.Now(), time.Time{}
		})
		if !loading {
			p.navigation.requestHistory()
		}
	}
}

// onNavigationRequested takes the news that the page is about to go elsewhere, or that it stays.
func (p *Pane) onNavigationRequested(pg *page, e *cdp.Event, when time.Time) {
	var ev struct {
		FrameID     proto.PageFrameID `json:"frameId"`
		Disposition string            `json:"disposition"`
		Delay       float64           `json:"delay"` // in seconds
	}
	soon := decode(e, &ev) && ev.Delay < p.state.m.limits.leaving.Seconds()
	if soon && ev.FrameID == pg.frame() && (ev.Disposition == "" || ev.Disposition == "currentTab") {
		p.state.change(func() { p.state.network.leaving = when })
	}
}

func (p *Pane) onNavigated(pg *page, e *cdp.Event) {
	var ev struct {
		Frame struct {
			proto.PageFrame
			Unreachable string `json:"unreachableUrl"`
		} `json:"frame"`
	}
	if !decode(e, &ev) || ev.Frame.ID != pg.frame() {
		return
	}
	pg.worlds.LeaveDocument()
	p.state.change(func() {
		p.state.loading = p.state.loading || p.state.load.setPending() // of a window's first document Chromium told before we listened
		p.state.load.setDocument(ev.Frame.LoaderID)
		p.state.load.byUser = p.state.isUserAction()
		p.state.load.posted = p.state.load.posting != "" && p.state.load.posting == ev.Frame.LoaderID
		p.state.load.moves++
		p.state.load.holdInputUntil = time.Now().Add(inputHoldLimit)
		p.state.network = networkActivity{on: p.state.network.on, last: p.state.network.last, patient: p.state.network.patient}
		p.state.info.URL = sanitize.Line(ev.Frame.URL+ev.Frame.URLFragment, 4096)
		p.state.info.Title = untitled(p.state.info.URL)
		told := p.state.loadError // by whoever went there, in better words
		p.state.loadError, p.state.loadNotice, p.state.unresponsive, p.prompts.dialogsInARow = "", "", false, 0
		p.prompts.closeLocked(func(a openPrompt) bool { return a.Kind != pane.SaveLogin }) // which outlives the form that was sent
		p.mouse.drag.end()
		p.prompts.declinedRealms = nil
		if ev.Frame.Unreachable != "" {
			p.state.info.URL = sanitize.Line(ev.Frame.Unreachable, 4096)
			if p.state.loadError = told; told == "" {
				p.state.loadError = "this page could not be loaded"
			}
		}
	})
	p.screencast.Refresh()
	p.activity.notifyVisit()
	p.navigation.requestHistory()
}

func (p *Pane) onNavigatedWithinDocument(pg *page, e *cdp.Event) {
	var moved proto.PageNavigatedWithinDocument
	if !decode(e, &moved) || moved.FrameID != pg.frame() {
		return
	}
	p.state.change(func() {
		p.state.load.moves++
		p.state.load.byUser = p.state.isUserAction()
		p.state.network.leaving = time.Time{}
		p.state.info.URL = sanitize.Line(moved.URL, 4096)
	})
	p.activity.notifyVisit()
	p.navigation.requestHistory()
}

func (p *Pane) onLifecycle(pg *page, e *cdp.Event) {
	var life proto.PageLifecycleEvent
	if !decode(e, &life) || life.FrameID != pg.frame() {
		return
	}
	switch life.Name {
	case proto.PageLifecycleEventNameInit, "commit":
		// An attached popup's document began before we looked.
		p.state.change(func() {
			if p.state.load.loader == "" {
				p.state.load.loader, p.state.load.byUser = life.LoaderID, p.state.isUserAction()
			}
		})
	case proto.PageLifecycleEventNameLoad:
		p.state.change(func() {
			p.state.load.loaded = life.LoaderID
			if soon := time.Now().Add(inputHoldAfterLoad); p.state.load.holdInputUntil.After(soon) && life.LoaderID == p.state.load.loader {
				p.state.load.holdInputUntil = soon
			}
		})
		p.navigation.requestHistory() // at the move itself Chromium may not have noted it yet
		p.activity.notifyVisit()      // once more: by now it has its title
	case proto.PageLifecycleEventNameFirstPaint:
		p.state.change(func() {
			if life.LoaderID == p.state.load.loader {
				p.state.load.holdInputUntil = time.Time{}
			}
		})
	default:
	}
}

// noticeForBoth is a notice that the agent's action under way hears of as well.
func (log *activity) noticeForBoth(format string, args ...any) {
	log.noteDuringAction(fmt.Sprintf(format, args...))
	log.state.notice(format, args...)
}

// onBrowserEvent takes an event that belongs to no session.
func (m *Manager) onBrowserEvent(e *cdp.Event) {
	switch e.Method {
	case "Target.targetCreated":
		var ev proto.TargetTargetCreated
		if decode(e, &ev) && ev.TargetInfo.Type == proto.TargetTargetInfoTypePage && ev.TargetInfo.OpenerID != "" {
			if opener := m.byTarget(ev.TargetInfo.OpenerID); opener != nil {
				m.onWindowOpened(opener, *ev.TargetInfo)
			}
		}
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		m.held.onTarget(e)
	case "Target.targetDestroyed":
		var ev proto.TargetTargetDestroyed
		if decode(e, &ev) {
			if p := m.byTarget(ev.TargetID); p != nil {
				p.onTargetGone()
			}
			m.mu.Lock()
			delete(m.windows, ev.TargetID)
			m.mu.Unlock()
		}
	case "Browser.downloadWillBegin":
		var ev proto.BrowserDownloadWillBegin
		if decode(e, &ev) {
			if p := m.downloadReceiver(proto.TargetTargetID(ev.FrameID)); p != nil {
				p.downloads.onDownload(ev.GUID, ev.URL, ev.SuggestedFilename)
			}
		}
	case "Browser.downloadProgress":
		m.onProgress(e)
	}
}

func (s *state) onTitle(title string) {
	if title = sanitize.Line(title, 200); title != "" {
		s.change(func() { s.info.Title = title })
	}
}

// onTargetGone says that the page closed itself.
func (p *Pane) onTargetGone() {
	p.state.change(func() {
		if p.state.page != nil {
			p.state.page.end(ErrEnded)
			p.state.processError, p.state.info.Running, p.state.loading = "the page closed itself", false, false
		}
	})
	p.screencast.SetPage(nil)
}

func (m *Manager) byTarget(id proto.TargetTargetID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.sessions {
		if p.frames.hasTarget(id) {
			return p
		}
	}
	return nil
}

// decode reads an event; one that does not fit is passed over, as rod does.
func decode(e *cdp.Event, into any) bool { return json.Unmarshal(e.Params, into) == nil }

// onFrameTarget takes the news that a frame of another site came to above, or went.
func (p *Pane) onFrameTarget(above *page, e *cdp.Event) {
	var ev struct {
		SessionID  proto.TargetSessionID `json:"sessionId"`
		TargetInfo struct {
			TargetID proto.TargetTargetID `json:"targetId"`
			Type     string               `json:"type"`
		} `json:"targetInfo"`
	}
	if !decode(e, &ev) || ev.SessionID == "" {
		return
	}
	if e.Method == "Target.detachedFromTarget" {
		p.frames.detach(func(f *remoteFrame) bool { return f.session == ev.SessionID })
		return
	}
	if ev.TargetInfo.Type != "iframe" {
		above.engine.Post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
		above.Post(proto.TargetDetachFromTarget{SessionID: ev.SessionID}) // its requests are its page's
		return
	}
	f := &remoteFrame{page: &page{engine: above.engine, target: ev.TargetInfo.TargetID, session: ev.SessionID, count: above.count, part: true}, above: above}
	f.alive, f.end = context.WithCancelCause(above.alive)
	p.state.m.mu.Lock()
	p.state.m.parts[f.session] = p
	p.state.m.mu.Unlock()
	listens := false
	p.state.change(func() { p.frames.list, listens = append(p.frames.list, f), p.state.alwaysTracksNetwork() })
	requests := []proto.Request{
		proto.PageEnable{},
		proto.InspectorEnable{},
		proto.RuntimeEnable{},
		autoAttachFrames{},
		p.state.m.rules.fetchPatterns(),
		proto.PageSetInterceptFileChooserDialog{Enabled: true},
	}
	if !p.state.scriptless {
		requests = append(requests, pageSetup...)
	}
	if listens {
		requests = append(requests, networkEnableParams)
	}
	for _, req := range append(requests, proto.RuntimeRunIfWaitingForDebugger{}) {
		f.Post(req)
	}
}

// onFrameEvent takes an event of a part's session.
func (p *Pane) onFrameEvent(e *cdp.Event) {
	f := p.frames.bySession(proto.TargetSessionID(e.SessionID))
	if f == nil {
		return
	}
	switch e.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		p.onFrameTarget(f.page, e)
	case "Runtime.executionContextsCleared":
		f.worlds.LeaveDocument()
	case "Inspector.targetCrashed":
		f.end(ErrCrashed)
		p.activity.noticeForBoth("a frame of the page crashed: reload the page")
	case "Page.fileChooserOpened":
		p.promptEvents.onFileChooser(f.page, e)
	case "Page.windowOpen", "Page.downloadWillBegin", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		p.onAnyFrameEvent(e)
	case "Page.javascriptDialogOpening":
		p.promptEvents.onDialog(f.page, e)
	case "Page.javascriptDialogClosed":
		p.prompts.close(matchKinds(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload))
	case "Fetch.requestPaused":
		p.onPaused(f.page, e)
	case "Fetch.authRequired":
		p.promptEvents.onAuth(f.page, e)
	case "Runtime.bindingCalled":
		p.promptEvents.onPageReport(f.page, e)
	case "Runtime.executionContextCreated":
		f.worlds.OnCreated(e)
	default:
		if strings.HasPrefix(e.Method, "Network.") {
			p.state.onNetwork(e)
			p.activity.noteRequest(e)
		}
	}
}
