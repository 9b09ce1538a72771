// Package screencast films the page of a pane for its viewers: frames as they come, no more than
// viewers can draw, and a picture with a higher resolution when the page has stopped changing.
package screencast

import (
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// maxFrameAge is how old the newest frame may get while every viewer is busy with an older one,
// before a newer one is requested.
const maxFrameAge = 200 * time.Millisecond

// refreshAfterQuiet is how long a page must not change before its final state is requested once
// more, because Chromium may have dropped the last frame.
const refreshAfterQuiet = 150 * time.Millisecond

// A screencast that sends no frame was lost, for example when the page changed its process; it is started again. Each
// time it waits twice as long, half a minute together, because a busy machine takes seconds to draw the first frame.
const (
	restartAfterSilence = time.Second
	maxRestarts         = 5
)

// Screencast films one pane: it runs while a viewer is visible, and stores
// the newest frame for all of them. Chromium sends at most two frames ahead of its
// acknowledgements; a frame is acknowledged when the fastest viewer has drawn
// it. So the source slows down to the viewer, and nothing queues.
//
// Chromium drops changes while two frames are not acknowledged. sendLastFrame
// makes it send the last one later, but not always: so when the page is quiet
// again, the screencast is restarted, which sends the current page.
type Screencast struct {
	source Source
	work   sync.WaitGroup // screenshots that are being taken

	mu            sync.Mutex
	page          Page // nil: none to film
	running       bool
	views         map[*Viewer]struct{}
	sizes         pane.Sizes
	frameNumber   uint32
	newest        *pane.Frame
	unacked       []unackedFrame // not acknowledged, oldest first
	staleTimer    *time.Timer    // nil unless armed
	awaitingFirst bool           // the next frame is the current page, which start asked for
	refreshTimer  *time.Timer    // nil unless armed: requests the final state of the page
	refreshDue    bool           // that request waits for the viewers
	unseen        time.Time      // since when no viewer looks at it, zero while one does
	silentStarts  int            // starts of the screencast without a frame
	closed        bool
	hidpiState
	use
}

type unackedFrame struct {
	n            uint32
	screencastID int
}

// Source is the pane that is filmed. No lock of the screencast is held during its methods, except
// HasHiDPI.
type Source interface {
	// Shown returns the info and the overlay of the picture, each with a number that grows with its changes.
	Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int)
	// CSSSize is the size of a frame in CSS pixels, whatever pixels Chromium counted.
	CSSSize(width, height int) (int, int)
	// HasHiDPI reports whether a viewer may get pictures with more pixels than CSS pixels.
	HasHiDPI() bool
	// CaptureHiDPI takes such a picture. It returns when the pane is closed.
	CaptureHiDPI(Page) ([]byte, error)
	// Input processes the input of a viewer.
	Input(pane.Input) error
	// RestsUnseen reports whether Chromium need not draw the page while nobody looks at it or uses it.
	RestsUnseen() bool
	// Wake loads the page if it sleeps: somebody looks at it.
	Wake()
	// SetSize gives the page the size that its viewers set, unless it keeps its own.
	SetSize(pane.Size)
}

// Page is a page of the pane.
type Page interface {
	SessionID() proto.TargetSessionID
	Post(proto.Request)
	// Draw makes Chromium draw the page until the returned function is called.
	Draw() (end func())
}

// New creates a screencast of a source; it has no page yet.
func New(s Source) *Screencast {
	return &Screencast{source: s, views: map[*Viewer]struct{}{}}
}

// startScreencast has fields that rod's type of 2024 lacks.
type startScreencast struct {
	Format            string `json:"format"`
	Quality           int    `json:"quality"`
	EveryNthFrame     int    `json:"everyNthFrame"`
	MaxFramesInFlight int    `json:"maxFramesInFlight"`
	SendLastFrame     bool   `json:"sendLastFrame"`
}

// ProtoReq implements proto.Request.
func (startScreencast) ProtoReq() string { return "Page.startScreencast" }

// SetPage films another page, or none.
func (s *Screencast) SetPage(pg Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page != pg {
		s.draw(false)
		s.page, s.running = pg, false
		s.reset()
		s.stayDrawn() // opening it is a use
	}
	s.run()
}

// run starts or stops the screencast and the drawing of the page, depending on who needs them.
func (s *Screencast) run() {
	s.noteSeen()
	isDrawn, isFilmed := s.needs()
	s.draw(isDrawn && s.page != nil)
	switch {
	case s.page == nil:
		s.running = false
	case isFilmed && !s.running:
		s.running, s.silentStarts = true, 0
		s.reset()
		s.start()
	case !isFilmed && s.running:
		s.running = false
		s.reset()
		s.page.Post(proto.PageStopScreencast{})
	}
}

// noteSeen records since when no viewer looks at the page. A recorder does not count.
func (s *Screencast) noteSeen() {
	for v := range s.views {
		if v.visible && !v.records {
			s.unseen = time.Time{}
			return
		}
	}
	if s.unseen.IsZero() {
		s.unseen = time.Now()
	}
}

// IsUnseen reports whether no viewer has looked at the page for a time.
func (s *Screencast) IsUnseen(since time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.unseen.IsZero() && time.Since(s.unseen) >= since
}

// reset discards the state of a screencast that ended: its frames need no acknowledgement, and
// its screenshot is outdated.
func (s *Screencast) reset() {
	s.newest, s.unacked = nil, nil
	s.dropHiDPI()
	s.disarmStaleTimer()
	if s.refreshTimer != nil {
		s.refreshTimer.Stop()
		s.refreshTimer = nil
	}
	s.refreshDue = false
}

func (s *Screencast) start() {
	s.awaitingFirst = true
	if s.silentStarts++; s.silentStarts <= maxRestarts {
		s.armRefresh(restartAfterSilence << (s.silentStarts - 1))
	}
	s.page.Post(startScreencast{Format: "jpeg", Quality: 70, EveryNthFrame: 1, MaxFramesInFlight: 2, SendLastFrame: true})
}

// armFinalRefresh starts the timer that requests the final state of the page; each further change restarts it.
func (s *Screencast) armFinalRefresh() { s.armRefresh(refreshAfterQuiet) }

func (s *Screencast) armRefresh(quiet time.Duration) {
	if s.refreshTimer != nil {
		s.refreshTimer.Reset(quiet)
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(quiet, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refreshTimer != timer || !s.running || s.page == nil {
			return
		}
		s.refreshTimer = nil
		if s.refreshDue = s.isBusy(); s.refreshDue { // ackUnneeded continues with it
			return
		}
		s.unacked = nil
		s.page.Post(proto.PageStopScreencast{})
		s.start()
	})
	s.refreshTimer = timer
}

// OnFrame handles each frame, on the connection's reading goroutine.
func (s *Screencast) OnFrame(f cdp.ScreencastFrame) {
	f.Width, f.Height = s.source.CSSSize(f.Width, f.Height)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running || s.page == nil || string(s.page.SessionID()) != f.Session {
		return
	}
	if s.ignoreSamePicture(f) {
		return
	}
	s.frameNumber++
	s.newest = &pane.Frame{N: s.frameNumber, Width: f.Width, Height: f.Height, JPEG: f.JPEG}
	s.unacked = append(s.unacked, unackedFrame{s.frameNumber, f.ScreencastID})
	s.silentStarts = 0
	if !s.awaitingFirst {
		s.armFinalRefresh()
	} else if s.refreshTimer != nil { // it waited for this frame
		s.refreshTimer.Stop()
		s.refreshTimer = nil
	}
	s.awaitingFirst = false
	s.scheduleHiDPI()
	s.ackUnneeded()
	for v := range s.views {
		v.wakeReader()
	}
}

// isBusy reports whether a viewer is drawing.
func (s *Screencast) isBusy() bool {
	for v := range s.views {
		if v.visible && v.holding != 0 {
			return true
		}
	}
	return false
}

// ackUnneeded acknowledges frames that no viewer needs any more. While no viewer has got the newest frame, it does not
// acknowledge the earlier ones either, which slows Chromium down.
func (s *Screencast) ackUnneeded() {
	var lastDrawn, lastGiven uint32
	ids := map[uint32]bool{}
	waiting := false
	for v := range s.views {
		if !v.visible {
			continue
		}
		lastDrawn, lastGiven = max(lastDrawn, v.lastDrawn), max(lastGiven, v.lastGiven)
		ids[v.holding] = true
		waiting = true
	}
	fresh := s.newest != nil && lastGiven >= s.newest.N
	s.acknowledge(func(f unackedFrame) bool {
		return f.n <= lastDrawn || !ids[f.n] && (fresh || !waiting)
	})
	if s.refreshDue && !s.isBusy() {
		s.refreshDue = false
		s.armFinalRefresh()
	}
	if len(s.unacked) > 0 && !fresh {
		s.armStaleTimer()
	} else {
		s.disarmStaleTimer()
	}
}

func (s *Screencast) acknowledge(which func(unackedFrame) bool) {
	rest := s.unacked[:0]
	for _, f := range s.unacked {
		if !which(f) {
			rest = append(rest, f)
		} else if s.page != nil {
			s.page.Post(proto.PageScreencastFrameAck{SessionID: f.screencastID})
		}
	}
	s.unacked = rest
}

// armStaleTimer requests a newer frame after a while if no viewer has taken this one, so that
// what a busy viewer draws next is not outdated. disarmStaleTimer stops it.
func (s *Screencast) armStaleTimer() {
	if s.staleTimer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(maxFrameAge, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.staleTimer == timer {
			s.staleTimer = nil
			ids := map[uint32]bool{}
			for v := range s.views {
				ids[v.holding] = true
			}
			s.acknowledge(func(f unackedFrame) bool { return !ids[f.n] })
		}
	})
	s.staleTimer = timer
}

func (s *Screencast) disarmStaleTimer() {
	if s.staleTimer != nil {
		s.staleTimer.Stop()
		s.staleTimer = nil
	}
}

// Refresh makes sure that viewers see the current page, after a new size or with a new document.
func (s *Screencast) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		s.silentStarts = 0
		s.armFinalRefresh()
	}
}

// NotifyViewers notifies the viewers that what the source shows has changed.
func (s *Screencast) NotifyViewers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.views {
		v.wakeReader()
	}
}

// Close ends all views and waits for screenshots that are being taken.
func (s *Screencast) Close() {
	s.mu.Lock()
	s.closed = true
	s.reset()
	s.draw(false)
	s.page, s.running, s.recent = nil, false, nil
	for v := range s.views {
		v.wakeReader()
	}
	s.mu.Unlock()
	s.work.Wait()
}

// Captured returns the number of pictures so far.
func (s *Screencast) Captured() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.frameNumber)
}
