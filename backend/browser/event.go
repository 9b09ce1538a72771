package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

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
		p.onPart(pg, e)
	case "Page.frameRequestedNavigation", "Page.frameScheduledNavigation":
		p.onLeaving(pg, e, time.Now())
	case "Page.frameClearedScheduledNavigation":
		p.onLeaving(pg, e, time.Time{})
	case "Page.frameStartedLoading":
		p.onLoading(pg, e, true)
	case "Page.frameStoppedLoading":
		p.onLoading(pg, e, false)
	case "Page.frameNavigated":
		p.onNavigated(pg, e)
	case "Page.navigatedWithinDocument":
		p.onMoved(pg, e)
	case "Page.lifecycleEvent":
		p.onLifecycle(pg, e)
	case "Page.javascriptDialogOpening":
		p.onDialog(pg, e)
	case "Runtime.executionContextCreated":
		pg.onContext(e)
	case "Page.windowOpen", "Page.downloadWillBegin", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		p.onSaid(e)
	case "Page.javascriptDialogClosed":
		p.withdraw(ofKind(pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload))
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
		p.onTold(pg, e)
	case "Inspector.targetCrashed":
		p.crash(pg)
	case "Inspector.targetReloadedAfterCrash":
		p.change(func() {
			if p.fault == faultCrashed {
				p.fault, p.info.Running = "", true
			}
		})
	default:
		if strings.HasPrefix(e.Method, "Network.") {
			p.onNetwork(e)
			p.noteRequest(e)
		}
	}
}

// onSaid takes what every frame may tell, also one of another site.
func (p *Pane) onSaid(e *cdp.Event) {
	switch e.Method {
	case "Page.windowOpen":
		var open proto.PageWindowOpen
		if decode(e, &open) {
			p.change(func() { p.popupURL, p.net.opening = open.URL, time.Now() })
		}
	case "Page.downloadWillBegin":
		var download proto.PageDownloadWillBegin
		if decode(e, &download) {
			p.change(func() { p.net.leaving = time.Time{} })
			p.receiver().onDownload(download.GUID, download.URL, download.SuggestedFilename)
		}
	case "Runtime.consoleAPICalled":
		p.onConsole(e)
	case "Runtime.exceptionThrown":
		p.onException(e)
	}
}

const faultCrashed = "the page crashed"

func (p *Pane) crash(pg *page) {
	p.change(func() {
		pg.end(ErrCrashed) // before anybody reads of it, and reloads
		p.fault, p.info.Running, p.loading = faultCrashed, false, false
		p.withdrawn(everything)
	})
}

func (p *Pane) onLoading(pg *page, e *cdp.Event, loading bool) {
	var frame struct {
		FrameID proto.PageFrameID `json:"frameId"`
	}
	if decode(e, &frame) && frame.FrameID == pg.frame() {
		p.change(func() {
			p.loading = loading
			if p.voyage != nil && loading {
				p.voyage.begun = true
			}
			p.net.last, p.net.leaving = time.Now(), time.Time{}
		})
		if !loading {
			p.wantHistory()
		}
	}
}

// onLeaving takes the news that the page is about to go elsewhere, or that it stays.
func (p *Pane) onLeaving(pg *page, e *cdp.Event, when time.Time) {
	var ev struct {
		FrameID     proto.PageFrameID `json:"frameId"`
		Disposition string            `json:"disposition"`
		Delay       float64           `json:"delay"` // in seconds
	}
	soon := decode(e, &ev) && ev.Delay < p.m.limits.leaving.Seconds()
	if soon && ev.FrameID == pg.frame() && (ev.Disposition == "" || ev.Disposition == "currentTab") {
		p.change(func() { p.net.leaving = when })
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
	pg.another()
	p.change(func() {
		p.loading = p.loading || p.load.coming() // of a window's first document Chromium told before we listened
		p.load.shows(ev.Frame.LoaderID)
		p.load.person = p.persons()
		p.load.posted = p.load.posting != "" && p.load.posting == ev.Frame.LoaderID
		p.load.moves++
		p.load.veil = time.Now().Add(veilLimit)
		p.net = traffic{on: p.net.on, last: p.net.last, patient: p.net.patient}
		p.info.URL = clean(ev.Frame.URL+ev.Frame.URLFragment, 4096)
		p.info.Title = untitled(p.info.URL)
		told := p.woe // by whoever went there, in better words
		p.woe, p.note, p.hung, p.row = "", "", false, 0
		p.withdrawn(func(a asked) bool { return a.Kind != pane.SaveLogin }) // which outlives the form that was sent
		p.drag, p.unsigned = nil, nil
		if ev.Frame.Unreachable != "" {
			p.info.URL = clean(ev.Frame.Unreachable, 4096)
			if p.woe = told; told == "" {
				p.woe = "this page could not be loaded"
			}
		}
	})
	p.cast.changed()
	p.visited()
	p.wantHistory()
}

func (p *Pane) onMoved(pg *page, e *cdp.Event) {
	var moved proto.PageNavigatedWithinDocument
	if !decode(e, &moved) || moved.FrameID != pg.frame() {
		return
	}
	p.change(func() {
		p.load.moves++
		p.load.person = p.persons()
		p.net.leaving = time.Time{}
		p.info.URL = clean(moved.URL, 4096)
	})
	p.visited()
	p.wantHistory()
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
				p.load.loader, p.load.person = life.LoaderID, p.persons()
			}
		})
	case proto.PageLifecycleEventNameLoad:
		p.change(func() {
			p.load.loaded = life.LoaderID
			if soon := time.Now().Add(veilAfterLoad); p.load.veil.After(soon) && life.LoaderID == p.load.loader {
				p.load.veil = soon
			}
		})
		p.wantHistory() // at the move itself Chromium may not have noted it yet
		p.visited()     // once more: by now it has its title
	case proto.PageLifecycleEventNameFirstPaint:
		p.change(func() {
			if life.LoaderID == p.load.loader {
				p.load.veil = time.Time{}
			}
		})
	default:
	}
}

// report is a notice that the agent's action under way hears of as well.
func (p *Pane) report(format string, args ...any) {
	p.tell(fmt.Sprintf(format, args...))
	p.notice(format, args...)
}

// onBrowserEvent takes an event that belongs to no session.
func (m *Manager) onBrowserEvent(e *cdp.Event) {
	switch e.Method {
	case "Target.targetCreated":
		var ev proto.TargetTargetCreated
		if decode(e, &ev) && ev.TargetInfo.Type == proto.TargetTargetInfoTypePage && ev.TargetInfo.OpenerID != "" {
			if opener := m.byTarget(ev.TargetInfo.OpenerID); opener != nil {
				m.onPopup(opener, *ev.TargetInfo)
			}
		}
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		m.onGuard(e)
	case "Target.targetDestroyed":
		var ev proto.TargetTargetDestroyed
		if decode(e, &ev) {
			if p := m.byTarget(ev.TargetID); p != nil {
				p.gone()
			}
			m.mu.Lock()
			delete(m.windows, ev.TargetID)
			m.mu.Unlock()
		}
	case "Browser.downloadWillBegin":
		var ev proto.BrowserDownloadWillBegin
		if decode(e, &ev) {
			if p := m.receiver(proto.TargetTargetID(ev.FrameID)); p != nil {
				p.onDownload(ev.GUID, ev.URL, ev.SuggestedFilename)
			}
		}
	case "Browser.downloadProgress":
		m.onProgress(e)
	}
}

func (p *Pane) onTitle(title string) {
	if title = clean(title, 200); title != "" {
		p.change(func() { p.info.Title = title })
	}
}

// gone says that the page closed itself.
func (p *Pane) gone() {
	p.change(func() {
		if p.page != nil {
			p.page.end(ErrEnded)
			p.fault, p.info.Running, p.loading = "the page closed itself", false, false
		}
	})
	p.cast.use(nil)
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
	return slices.ContainsFunc(p.parts, func(f *part) bool { return f.target == id })
}

// decode reads an event; one that does not fit is passed over, as rod does.
func decode(e *cdp.Event, into any) bool { return json.Unmarshal(e.Params, into) == nil }
