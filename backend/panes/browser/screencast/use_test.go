package screencast

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// unseenPage is a page that rests while nobody looks at it, and its pane.
type unseenPage struct {
	mu      sync.Mutex
	asked   int // starts of the screencast
	stopped int
	send    func() // sends the current page when the screencast starts; nil if it is not drawn yet
}

func (u *unseenPage) SessionID() proto.TargetSessionID { return "s1" }
func (u *unseenPage) Draw() (end func())               { return func() {} }
func (u *unseenPage) Post(r proto.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch r.(type) {
	case startScreencast:
		u.asked++
		if u.send != nil {
			go u.send()
		}
	case proto.PageStopScreencast:
		u.stopped++
	}
}

func (u *unseenPage) Shown() (pane.Info, int, pane.Overlay, int) {
	return pane.Info{}, 0, pane.Overlay{}, 0
}
func (u *unseenPage) CSSSize(width, height int) (int, int) { return width, height }
func (u *unseenPage) HasHiDPI() bool                       { return false }
func (u *unseenPage) CaptureHiDPI(Page) ([]byte, error)    { return nil, nil }
func (u *unseenPage) Input(pane.Input) error               { return nil }
func (u *unseenPage) RestsUnseen() bool                    { return true }
func (u *unseenPage) Wake()                                {}
func (u *unseenPage) SetSize(pane.Size)                    {}

// isRunning reports whether the page is filmed.
func (u *unseenPage) isRunning() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stopped < u.asked
}

// sends sets what sends the current page.
func (u *unseenPage) sends(picture func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.send = picture
}

// frameOf takes what a viewer gets until it is a frame, nil if none is there.
func frameOf(t *testing.T, v *Viewer) *pane.Frame {
	t.Helper()
	for {
		news, err := v.collect()
		if err != nil {
			t.Fatal(err)
		}
		if news == (pane.ViewerUpdate{}) || news.Frame != nil {
			return news.Frame
		}
	}
}

// TestUse_SlowMachine_RecorderGetsThePicture: Chromium draws the page, and the recorder takes the frame, long after the
// moment for which an unseen page is drawn. Then the page rests, also if it never stops changing.
func TestUse_SlowMachine_RecorderGetsThePicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &unseenPage{}
		s := New(page)
		defer s.Close()
		recorder := s.AttachRecorder()
		s.SetPage(page)
		pass(drawnAfterUse + drawnAfterUse/2)
		if !page.isRunning() {
			t.Fatal("the page rests before it was drawn")
		}
		draw := func(content string) {
			s.OnFrame(cdp.ScreencastFrame{Session: "s1", Width: 8, Height: 8, JPEG: []byte(content)})
		}
		page.sends(func() { draw("again") })
		draw("first")
		f := frameOf(t, recorder)
		if f == nil || string(f.JPEG) != "first" {
			t.Fatalf("the recorder gets %v", f)
		}
		for range 5 { // secrets are being hidden in it, and the page changes
			pass(drawnAfterUse)
			draw("next")
		}
		if !page.isRunning() {
			t.Fatal("the page rests before the recorder is done with its picture")
		}
		recorder.Ack(f.N)
		if f = frameOf(t, recorder); f == nil {
			t.Fatal("there is no frame of the changed page")
		}
		recorder.Ack(f.N)
		pass(2 * drawnAfterUse)
		if page.isRunning() {
			t.Error("an animated page that nobody looks at is drawn on")
		}
	})
}

// TestUse_PageWithoutFrames_Rests: a page that is never drawn, such as one that hangs, does not keep the screencast.
func TestUse_PageWithoutFrames_Rests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &unseenPage{}
		s := New(page)
		defer s.Close()
		s.AttachRecorder()
		s.SetPage(page)
		end := s.Use()
		pass(3 * time.Minute)
		end()
		pass((maxRestarts + 3) * restartAfterSilence)
		if page.isRunning() || page.asked > 2*maxRestarts {
			t.Errorf("after %d starts it runs: %v", page.asked, page.isRunning())
		}
	})
}

// TestUse_RecorderTakesNothing_Rests: a recorder that hangs does not keep the page drawn.
func TestUse_RecorderTakesNothing_Rests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &unseenPage{}
		s := New(page)
		defer s.Close()
		s.AttachRecorder()
		page.sends(func() { s.OnFrame(cdp.ScreencastFrame{Session: "s1", Width: 8, Height: 8, JPEG: []byte("one")}) })
		s.SetPage(page)
		pass(maxMoments * drawnAfterUse)
		if !page.isRunning() {
			t.Error("the page rests before its recorder had its time")
		}
		pass(2 * drawnAfterUse)
		if page.isRunning() {
			t.Error("the page is drawn on")
		}
	})
}

// TestUse_ViewerLooks_StaysFilmed: resting is for pages that nobody looks at.
func TestUse_ViewerLooks_StaysFilmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := &unseenPage{}
		s := New(page)
		defer s.Close()
		v := s.Attach()
		s.SetPage(page)
		pass(time.Minute)
		if !page.isRunning() {
			t.Fatal("a page that is looked at rests")
		}
		v.Close()
		if page.isRunning() {
			t.Error("a page that nobody looks at is filmed")
		}
	})
}

// pass lets time of the bubble pass, which takes none outside, and all that is due then happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
