package browser

import (
	"encoding/json"
	"fmt"
	"slices"
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
	p.mu.Lock()
	pg := p.page
	p.mu.Unlock()
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
		p.onDialog(pg, e)
	case "Runtime.executionContextCreated":
		pg.worlds.OnCreated(e)
	case "Page.windowOpen", "Page.downloadWillBegin", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		p.onAnyFrameEvent(e)
	case "Page.javascriptDialogClosed":
		p.closePrompts(matchKinds(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload))
	case "Page.fileChooserOpened":
		p.onFileChooser(pg, e)
	case "Input.dragIntercepted":
		p.onDrag(e)
	case "Fetch.requestPaused":
		p.onPaused(pg, e)
	case "Fetch.authRequired":
		p.onAuth(pg, e)
	case "Security.certificateError":
		p.onCertificate(pg, e)
	case "Security.visibleSecurityStateChanged":
		p.onSecurity(e)
	case "Runtime.bindingCalled":
		p.onPageReport(pg, e)
	case "Inspector.targetCrashed":
		p.onCrash(pg)
	case "Inspector.targetReloadedAfterCrash":
		p.change(func() {
			if p.processError == faultCrashed {
				p.processError, p.info.Running = "", true
			}
		})
	default:
		if strings.HasPrefix(e.Method, "Network.") {
			p.onNetwork(e)
			p.noteRequest(e)
		}
	}
}

// onAnyFrameEvent takes what every frame may tell, also one of another site.
func (p *Pane) onAnyFrameEvent(e *cdp.Event) {
	switch e.Method {
	case "Page.windowOpen":
		var open proto.PageWindowOpen
		if decode(e, &open) {
			p.change(func() { p.popupURL, p.network.opening = open.URL, time.Now() })
		}
	case "Page.downloadWillBegin":
		var download proto.PageDownloadWillBegin
		if decode(e, &download) {
			p.change(func() { p.network.leaving = time.Time{} })
			p.downloadReceiver().onDownload(download.GUID, download.URL, download.SuggestedFilename)
		}
	case "Runtime.consoleAPICalled":
		p.onConsole(e)
	case "Runtime.exceptionThrown":
		p.onException(e)
	}
}

const faultCrashed = "the page crashed"

func (p *Pane) onCrash(pg *page) {
	p.change(func() {
		pg.end(ErrCrashed) // before anybody reads of it, and reloads
		p.processError, p.info.Running, p.loading = faultCrashed, false, false
		p.closePromptsLocked(anyPrompt)
	})
}

func (p *Pane) onLoading(pg *page, e *cdp.Event, loading bool) {
	var frame struct {
		FrameID proto.PageFrameID `json:"frameId"`
	}
	if decode(e, &frame) && frame.FrameID == pg.frame() {
		p.change(func() {
			p.loading = loading
			if p.navigation != nil && loading {
				p.navigation.begun = true
			}
			p.network.last, p.network.leaving = time.Now(), time.Time{}
		})
		if !loading {
			p.requestHistory()
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
	soon := decode(e, &ev) && ev.Delay < p.m.limits.leaving.Seconds()
	if soon && ev.FrameID == pg.frame() && (ev.Disposition == "" || ev.Disposition == "currentTab") {
		p.change(func() { p.network.leaving = when })
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
	p.change(func() {
		p.loading = p.loading || p.load.setPending() // of a window's first document Chromium told before we listened
		p.load.setDocument(ev.Frame.LoaderID)
		p.load.byUser = p.isUserAction()
		p.load.posted = p.load.posting != "" && p.load.posting == ev.Frame.LoaderID
		p.load.moves++
		p.load.holdInputUntil = time.Now().Add(inputHoldLimit)
		p.network = networkActivity{on: p.network.on, last: p.network.last, patient: p.network.patient}
		p.info.URL = sanitize.Line(ev.Frame.URL+ev.Frame.URLFragment, 4096)
		p.info.Title = untitled(p.info.URL)
		told := p.loadError // by whoever went there, in better words
		p.loadError, p.loadNotice, p.unresponsive, p.dialogsInARow = "", "", false, 0
		p.closePromptsLocked(func(a openPrompt) bool { return a.Kind != pane.SaveLogin }) // which outlives the form that was sent
		p.drag, p.declinedRealms = nil, nil
		if ev.Frame.Unreachable != "" {
			p.info.URL = sanitize.Line(ev.Frame.Unreachable, 4096)
			if p.loadError = told; told == "" {
				p.loadError = "this page could not be loaded"
			}
		}
	})
	p.screencast.refresh()
	p.notifyVisit()
	p.requestHistory()
}

func (p *Pane) onNavigatedWithinDocument(pg *page, e *cdp.Event) {
	var moved proto.PageNavigatedWithinDocument
	if !decode(e, &moved) || moved.FrameID != pg.frame() {
		return
	}
	p.change(func() {
		p.load.moves++
		p.load.byUser = p.isUserAction()
		p.network.leaving = time.Time{}
		p.info.URL = sanitize.Line(moved.URL, 4096)
	})
	p.notifyVisit()
	p.requestHistory()
}

func (p *Pane) onLifecycle(pg *page, e *cdp.Event) {
	var life proto.PageLifecycleEvent
	if !decode(e, &life) || life.FrameID != pg.frame() {
		return
	}
	switch life.Name {
	case proto.PageLifecycleEventNameInit, "commit":
		// An attached popup's document began before we looked.
		p.change(func() {
			if p.load.loader == "" {
				p.load.loader, p.load.byUser = life.LoaderID, p.isUserAction()
			}
		})
	case proto.PageLifecycleEventNameLoad:
		p.change(func() {
			p.load.loaded = life.LoaderID
			if soon := time.Now().Add(inputHoldAfterLoad); p.load.holdInputUntil.After(soon) && life.LoaderID == p.load.loader {
				p.load.holdInputUntil = soon
			}
		})
		p.requestHistory() // at the move itself Chromium may not have noted it yet
		p.notifyVisit()    // once more: by now it has its title
	case proto.PageLifecycleEventNameFirstPaint:
		p.change(func() {
			if life.LoaderID == p.load.loader {
				p.load.holdInputUntil = time.Time{}
			}
		})
	default:
	}
}

// noticeForBoth is a notice that the agent's action under way hears of as well.
func (p *Pane) noticeForBoth(format string, args ...any) {
	p.noteDuringAction(fmt.Sprintf(format, args...))
	p.notice(format, args...)
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
		m.onHeldTarget(e)
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
				p.onDownload(ev.GUID, ev.URL, ev.SuggestedFilename)
			}
		}
	case "Browser.downloadProgress":
		m.onProgress(e)
	}
}

func (p *Pane) onTitle(title string) {
	if title = sanitize.Line(title, 200); title != "" {
		p.change(func() { p.info.Title = title })
	}
}

// onTargetGone says that the page closed itself.
func (p *Pane) onTargetGone() {
	p.change(func() {
		if p.page != nil {
			p.page.end(ErrEnded)
			p.processError, p.info.Running, p.loading = "the page closed itself", false, false
		}
	})
	p.screencast.setPage(nil)
}

func (m *Manager) byTarget(id proto.TargetTargetID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.sessions {
		if p.hasTarget(id) {
			return p
		}
	}
	return nil
}

func (p *Pane) hasTarget(id proto.TargetTargetID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page != nil && p.page.target == id {
		return true
	}
	return slices.ContainsFunc(p.frames, func(f *remoteFrame) bool { return f.target == id })
}

// decode reads an event; one that does not fit is passed over, as rod does.
func decode(e *cdp.Event, into any) bool { return json.Unmarshal(e.Params, into) == nil }
