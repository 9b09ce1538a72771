package browser

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// eventRouter passes the events of the pane's sessions to the parts that they concern. It runs on
// the connection's goroutine: it changes state and posts commands, and never waits.
type eventRouter struct {
	pane       *Pane
	navigation navigationEvents
	prompts    promptEvents
	requests   requestGate

	ofPage  map[string]eventHandler // by method
	ofFrame map[string]eventHandler // of frames of other sites, by method
}

// eventHandler handles an event of a page or of a frame of another site.
type eventHandler func(*page, *cdp.Event)

func (er *eventRouter) init(p *Pane) {
	er.pane = p
	er.connect()
	either := map[string]eventHandler{
		"Target.attachedToTarget":         er.onFrameTarget,
		"Target.detachedFromTarget":       er.onFrameTarget,
		"Page.windowOpen":                 ignorePage(er.onWindowOpen),
		"Page.downloadWillBegin":          ignorePage(er.onDownload),
		"Page.javascriptDialogOpening":    er.prompts.onDialog,
		"Page.javascriptDialogClosed":     ignorePage(func(*cdp.Event) { p.Prompts.close(isDialog) }),
		"Page.fileChooserOpened":          er.prompts.onFileChooser,
		"Runtime.executionContextCreated": func(pg *page, e *cdp.Event) { pg.worlds.OnCreated(e) },
		"Runtime.consoleAPICalled":        ignorePage(p.Activity.onConsole),
		"Runtime.exceptionThrown":         ignorePage(p.Activity.onException),
		"Runtime.bindingCalled":           er.onBinding,
		"Media.playerEventsAdded":         ignorePage(p.State.onMedia),
		"WebAudio.contextCreated":         ignorePage(p.State.onAudioContext),
		"Fetch.requestPaused":             er.requests.onPaused,
		"Fetch.authRequired":              er.prompts.onAuth,
	}
	announced := func(pg *page, e *cdp.Event) { er.navigation.setLeaving(pg, e, time.Now()) }
	er.ofPage = map[string]eventHandler{
		"Page.frameRequestedNavigation":        announced,
		"Page.frameScheduledNavigation":        announced,
		"Page.frameClearedScheduledNavigation": func(pg *page, e *cdp.Event) { er.navigation.setLeaving(pg, e, time.Time{}) },
		"Page.frameStartedLoading":             func(pg *page, e *cdp.Event) { er.navigation.setLoading(pg, e, true) },
		"Page.frameStoppedLoading":             func(pg *page, e *cdp.Event) { er.navigation.setLoading(pg, e, false) },
		"Page.frameNavigated":                  er.navigation.onNavigated,
		"Page.navigatedWithinDocument":         er.navigation.onNavigatedWithinDocument,
		"Page.lifecycleEvent":                  er.navigation.onLifecycle,
		"Page.frameResized":                    ignorePage(func(*cdp.Event) { p.State.change(func() {}) }),
		"Input.dragIntercepted":                ignorePage(p.Mouse.drag.onIntercepted),
		"Security.certificateError":            er.prompts.onCertificate,
		"Security.visibleSecurityStateChanged": ignorePage(p.SiteData.onSecurity),
		"Inspector.targetCrashed":              er.onCrash,
		"Inspector.targetReloadedAfterCrash":   ignorePage(er.onReloadedAfterCrash),
	}
	er.ofFrame = map[string]eventHandler{
		"Runtime.executionContextsCleared": func(pg *page, _ *cdp.Event) { pg.worlds.LeaveDocument() },
		"Inspector.targetCrashed":          er.onFrameCrash,
	}
	maps.Copy(er.ofPage, either)
	maps.Copy(er.ofFrame, either)
}

// ignorePage adapts a handler that does not need to know which page sent the event.
func ignorePage(f func(*cdp.Event)) eventHandler {
	return func(_ *page, e *cdp.Event) { f(e) }
}

// connect gives the router's own parts their dependencies.
func (er *eventRouter) connect() {
	p := er.pane
	er.requests = requestGate{state: &p.State, activity: &p.Activity}
	er.prompts = promptEvents{
		state:    &p.State,
		activity: &p.Activity,
		driver:   &p.Driver,
		prompts:  &p.Prompts,
		frames:   &p.frames,
		siteData: &p.SiteData,
		logins:   &p.Logins,
	}
	er.navigation = navigationEvents{
		state:      &p.State,
		activity:   &p.Activity,
		prompts:    &p.Prompts,
		navigation: &p.Navigation,
		drag:       &p.Mouse.drag,
		screencast: p.screencast,
	}
}

// onPageEvent handles an event of the pane's page.
func (er *eventRouter) onPageEvent(e *cdp.Event) {
	er.pane.State.mu.Lock()
	pg := er.pane.State.page
	er.pane.State.mu.Unlock()
	if pg != nil && string(pg.session) == e.SessionID {
		er.dispatch(er.ofPage, pg, e)
	}
}

// onFrameEvent handles an event of a frame of another site.
func (er *eventRouter) onFrameEvent(e *cdp.Event) {
	if f := er.pane.frames.bySession(proto.TargetSessionID(e.SessionID)); f != nil {
		er.dispatch(er.ofFrame, f.page, e)
	}
}

func (er *eventRouter) dispatch(handlers map[string]eventHandler, pg *page, e *cdp.Event) {
	switch handle := handlers[e.Method]; {
	case handle != nil:
		handle(pg, e)
	case strings.HasPrefix(e.Method, "Network."):
		er.pane.State.onNetwork(e)
		er.pane.Activity.noteRequest(e)
	}
}

// onBinding handles a message of a script of ours, or of developer tools.
func (er *eventRouter) onBinding(pg *page, e *cdp.Event) {
	var ev proto.RuntimeBindingCalled
	if decodeEvent(e, &ev) && ev.Name == devToolsBinding {
		er.pane.devTools.onMessage(ev.Payload)
		return
	}
	er.prompts.onPageReport(pg, e)
}

func (er *eventRouter) onWindowOpen(e *cdp.Event) {
	var open proto.PageWindowOpen
	if decodeEvent(e, &open) {
		er.pane.State.change(func() { er.pane.popup.openedURL, er.pane.State.network.opening = open.URL, time.Now() })
	}
}

func (er *eventRouter) onDownload(e *cdp.Event) {
	var download proto.PageDownloadWillBegin
	if decodeEvent(e, &download) {
		er.pane.State.change(func() { er.pane.State.network.leaving = time.Time{} })
		er.downloadReceiver().Downloads.onDownload(download.GUID, download.URL, download.SuggestedFilename)
	}
}

var isDialog = matchKinds(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload)

func (er *eventRouter) onReloadedAfterCrash(*cdp.Event) {
	er.pane.State.change(func() {
		if er.pane.State.processError == faultCrashed {
			er.pane.State.processError, er.pane.State.info.Running = "", true
		}
	})
}

func (er *eventRouter) onFrameCrash(pg *page, _ *cdp.Event) {
	pg.end(ErrCrashed)
	er.pane.Activity.noticeForBoth("a frame of the page crashed: reload the page")
}

const faultCrashed = "the page crashed"

func (er *eventRouter) onCrash(pg *page, _ *cdp.Event) {
	er.pane.State.change(func() {
		pg.end(ErrCrashed) // before a caller sees the state and reloads
		er.pane.State.processError, er.pane.State.info.Running, er.pane.State.loading = faultCrashed, false, false
		er.pane.Prompts.closeLocked(anyPrompt)
	})
}

// onBrowserEvent handles an event that belongs to no session.
func (m *Manager) onBrowserEvent(e *cdp.Event) {
	switch e.Method {
	case "Target.targetCreated":
		var ev proto.TargetTargetCreated
		if decodeEvent(e, &ev) && ev.TargetInfo.Type == proto.TargetTargetInfoTypePage && ev.TargetInfo.OpenerID != "" {
			if opener := m.byTarget(ev.TargetInfo.OpenerID); opener != nil {
				m.onWindowOpened(opener, *ev.TargetInfo)
			}
		}
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		m.targets.onTarget(e)
	case "Target.targetDestroyed":
		var ev proto.TargetTargetDestroyed
		if decodeEvent(e, &ev) {
			if p := m.byTarget(ev.TargetID); p != nil {
				p.events.onTargetGone()
			}
			m.mu.Lock()
			delete(m.windows, ev.TargetID)
			m.mu.Unlock()
			m.onPageGone(ev.TargetID)
		}
	case "Browser.downloadWillBegin":
		var ev proto.BrowserDownloadWillBegin
		if decodeEvent(e, &ev) {
			if p := m.downloadReceiver(proto.TargetTargetID(ev.FrameID)); p != nil {
				p.Downloads.onDownload(ev.GUID, ev.URL, ev.SuggestedFilename)
			}
		}
	case "Browser.downloadProgress":
		m.onProgress(e)
	}
}

// onTargetGone handles the end of a page that closed itself.
func (er *eventRouter) onTargetGone() {
	er.pane.State.change(func() {
		if er.pane.State.page != nil {
			er.pane.State.page.end(errClosedItself)
			er.pane.State.processError = "the page closed itself"
			er.pane.State.info.Running, er.pane.State.loading = false, false
		}
	})
	er.pane.screencast.SetPage(nil)
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

// decodeEvent decodes an event. It reports false for an event of another form, which callers ignore, as rod does.
func decodeEvent(e *cdp.Event, into any) bool { return json.Unmarshal(e.Params, into) == nil }

// onFrameTarget handles a frame of another site that was added to above or removed.
func (er *eventRouter) onFrameTarget(above *page, e *cdp.Event) {
	var ev struct {
		SessionID  proto.TargetSessionID `json:"sessionId"`
		TargetInfo struct {
			TargetID proto.TargetTargetID `json:"targetId"`
			Type     string               `json:"type"`
		} `json:"targetInfo"`
	}
	if !decodeEvent(e, &ev) || ev.SessionID == "" {
		return
	}
	if e.Method == "Target.detachedFromTarget" {
		er.pane.frames.detachFrames(func(f *remoteFrame) bool { return f.session == ev.SessionID })
		return
	}
	if ev.TargetInfo.Type != "iframe" {
		above.process.Post(ev.SessionID, proto.RuntimeRunIfWaitingForDebugger{})
		above.Post(proto.TargetDetachFromTarget{SessionID: ev.SessionID}) // its page handles its requests
		return
	}
	f := &remoteFrame{
		page: &page{
			process:       above.process,
			target:        ev.TargetInfo.TargetID,
			session:       ev.SessionID,
			refs:          above.refs,
			isRemoteFrame: true,
		},
		above: above,
	}
	f.alive, f.end = context.WithCancelCause(above.alive)
	er.pane.State.m.mu.Lock()
	er.pane.State.m.remoteFrames[f.session] = er.pane
	er.pane.State.m.mu.Unlock()
	er.pane.frames.add(f)
	// Not before the frame is listed: a share that begins or ends later finds it there.
	er.pane.State.mu.Lock()
	listens := er.pane.State.needsNetworkTracking()
	er.pane.State.mu.Unlock()
	requests := []proto.Request{
		proto.PageEnable{},
		proto.InspectorEnable{},
		proto.RuntimeEnable{},
		attachFrames,
		er.pane.State.m.rules.fetchPatterns(),
		proto.PageSetInterceptFileChooserDialog{Enabled: true},
	}
	if !er.pane.State.scriptless {
		requests = append(requests, pageSetup...)
	}
	if agent := er.pane.State.userAgent(); agent != "" {
		requests = append(requests, proto.EmulationSetUserAgentOverride{UserAgent: agent})
	}
	if listens {
		requests = append(requests, networkEnableParams)
	}
	for _, req := range append(requests, proto.RuntimeRunIfWaitingForDebugger{}) {
		f.Post(req)
	}
}
