package browser

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// windows counts for each window of a Chromium how many of its pages need to be drawn. A window whose pages nobody
// needs is minimized: then Chromium draws one frame a second at most, also of an animation, instead of sixty. The pages
// do not notice it: they stay visible, focused and as large, and their timers run. Its methods may be called
// concurrently.
type windows struct {
	post func(proto.Request)

	mu    sync.Mutex
	pages map[proto.BrowserWindowID]int // pages that need to be drawn; without an entry the window is minimized
}

// draw restores a window until the returned function is called, once.
func (w *windows) draw(id proto.BrowserWindowID) (end func()) {
	w.change(id, +1)
	return func() { w.change(id, -1) }
}

func (w *windows) change(id proto.BrowserWindowID, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.pages[id]
	w.pages[id] += by
	switch {
	case before == 0:
		w.setState(id, proto.BrowserWindowStateNormal)
	case w.pages[id] == 0:
		delete(w.pages, id)
		w.setState(id, proto.BrowserWindowStateMinimized)
	}
}

// setState posts the command while mu is held, to keep the order. Chromium ignores it for a window that has closed.
func (w *windows) setState(id proto.BrowserWindowID, state proto.BrowserWindowState) {
	w.post(proto.BrowserSetWindowBounds{WindowID: id, Bounds: &proto.BrowserBounds{WindowState: state}})
}

// Draw makes Chromium draw the page until the returned function is called, once. A page that never rests is drawn
// anyway.
func (p *page) Draw() (end func()) {
	if p.window == 0 {
		return func() {}
	}
	return p.process.windows.draw(p.window)
}
