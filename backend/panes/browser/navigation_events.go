package browser

import (
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/screencast"
)

// navigationEvents records what Chromium reports about the page's documents: which one is shown,
// and its progress.
type navigationEvents struct {
	state      *State
	activity   *Activity
	prompts    *Prompts
	navigation *Navigation
	drag       *drag
	screencast *screencast.Screencast
}

func (ne *navigationEvents) setLoading(pg *page, e *cdp.Event, loading bool) {
	var frame struct {
		FrameID proto.PageFrameID `json:"frameId"`
	}
	if decodeEvent(e, &frame) && frame.FrameID == pg.mainFrame() {
		ne.state.change(func() {
			ne.state.loading = loading
			if ne.state.pending != nil && loading {
				ne.state.pending.hasBegun = true
			}
			ne.state.network.last, ne.state.network.leaving = time.Now(), time.Time{}
		})
		if !loading {
			ne.navigation.requestHistory()
		}
	}
}

// setLeaving handles the announcement of a navigation by the page; a zero time is its cancellation.
func (ne *navigationEvents) setLeaving(pg *page, e *cdp.Event, when time.Time) {
	var ev struct {
		FrameID     proto.PageFrameID `json:"frameId"`
		Disposition string            `json:"disposition"`
		Delay       float64           `json:"delay"` // in seconds
	}
	isSoon := decodeEvent(e, &ev) && ev.Delay < ne.state.m.limits.leaving.Seconds()
	if isSoon && ev.FrameID == pg.mainFrame() && (ev.Disposition == "" || ev.Disposition == "currentTab") {
		ne.state.change(func() { ne.state.network.leaving = when })
	}
}

func (ne *navigationEvents) onNavigated(pg *page, e *cdp.Event) {
	var ev struct {
		Frame struct {
			proto.PageFrame
			Unreachable string `json:"unreachableUrl"`
		} `json:"frame"`
	}
	if !decodeEvent(e, &ev) || ev.Frame.ID != pg.mainFrame() {
		return
	}
	pg.worlds.LeaveDocument()
	ne.state.change(func() {
		// Chromium reported the first document of a window before we listened.
		ne.state.loading = ne.state.loading || ne.state.load.awaitsDocument()
		ne.state.load.setDocument(ev.Frame.LoaderID)
		ne.state.load.byUser = ne.state.isUserAction()
		ne.state.load.posted = ne.state.load.posting != "" && ne.state.load.posting == ev.Frame.LoaderID
		ne.state.load.moves++
		ne.state.load.holdInputUntil = time.Now().Add(inputHoldTimeout)
		ne.state.network = networkActivity{
			on:           ne.state.network.on,
			last:         ne.state.network.last,
			expectsDelay: ne.state.network.expectsDelay,
			ref:          ne.state.network.ref,
		}
		if originOf(ev.Frame.URL) != originOf(ne.state.info.URL) {
			ne.state.info.Icon = "" // pages of one site mostly have one icon: it stays until the document says otherwise
		}
		ne.state.iconAddress = ""
		ne.state.updateOverlay(func(o *pane.Overlay) { o.Fullscreen = false })
		ne.state.info.URL = text.SanitizeLine(ev.Frame.URL+ev.Frame.URLFragment, 4096)
		ne.state.info.Title = fallbackTitle(ne.state.info.URL)
		loadError := ne.state.loadError // the navigation's own message is better
		ne.state.loadError, ne.state.loadNotice, ne.state.unresponsive, ne.prompts.dialogsInARow = "", "", false, 0
		ne.prompts.closeLocked(func(a openPrompt) bool {
			return a.Kind != pane.SaveLogin // which outlives the submitted form
		})
		ne.drag.end()
		ne.prompts.declinedRealms = nil
		if ev.Frame.Unreachable != "" {
			ne.state.info.URL = text.SanitizeLine(ev.Frame.Unreachable, 4096)
			if ne.state.loadError = loadError; loadError == "" {
				ne.state.loadError = "this page could not be loaded"
			}
		}
	})
	ne.screencast.Refresh()
	ne.activity.notifyVisit()
	ne.navigation.requestHistory()
}

func (ne *navigationEvents) onNavigatedWithinDocument(pg *page, e *cdp.Event) {
	var ev proto.PageNavigatedWithinDocument
	if !decodeEvent(e, &ev) || ev.FrameID != pg.mainFrame() {
		return
	}
	ne.state.change(func() {
		ne.state.load.moves++
		ne.state.load.byUser = ne.state.isUserAction()
		ne.state.network.leaving = time.Time{}
		ne.state.info.URL = text.SanitizeLine(ev.URL, 4096)
	})
	ne.activity.notifyVisit()
	ne.navigation.requestHistory()
}

func (ne *navigationEvents) onLifecycle(pg *page, e *cdp.Event) {
	var life proto.PageLifecycleEvent
	if !decodeEvent(e, &life) || life.FrameID != pg.mainFrame() {
		return
	}
	switch life.Name {
	case proto.PageLifecycleEventNameInit, "commit":
		// An attached popup's document began before we listened.
		ne.state.change(func() {
			if ne.state.load.loader == "" {
				ne.state.load.loader, ne.state.load.byUser = life.LoaderID, ne.state.isUserAction()
			}
		})
	case proto.PageLifecycleEventNameLoad:
		ne.state.change(func() {
			ne.state.load.loaded = life.LoaderID
			if limit := time.Now().Add(inputHoldAfterLoad); ne.state.load.holdInputUntil.After(limit) &&
				life.LoaderID == ne.state.load.loader {
				ne.state.load.holdInputUntil = limit
			}
		})
		ne.navigation.requestHistory() // when the navigation was committed, Chromium may not have recorded it yet
		ne.activity.notifyVisit()      // again, because the page now has its title
	case proto.PageLifecycleEventNameFirstPaint:
		ne.state.change(func() {
			if life.LoaderID == ne.state.load.loader {
				ne.state.load.holdInputUntil = time.Time{}
			}
		})
	default:
	}
}
