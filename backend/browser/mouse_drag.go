package browser

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// drag is what the mouse drags, the user's or the agent's. Its mutex is held for no call
// of another part.
type drag struct {
	mu      sync.Mutex
	data    *proto.InputDragData // nil if nothing is dragged
	entered bool                 // the page knows of the drag
}

// onIntercepted takes what the page lets the mouse drag. Chromium would hand it to the
// window system, which there is none of; so the moves that follow are told to
// the page as a drag, until the button is let go.
func (d *drag) onIntercepted(e *cdp.Event) {
	var ev proto.InputDragIntercepted
	if decodeEvent(e, &ev) && ev.Data != nil {
		d.mu.Lock()
		d.data, d.entered = ev.Data, false
		d.mu.Unlock()
	}
}

// end drops what is dragged: its page or its document is gone.
func (d *drag) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data = nil
}

// events gives the events that an input becomes while something is dragged,
// nil if nothing is.
func (d *drag) events(in pane.Input) []proto.Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return nil
	}
	event := func(kind proto.InputDispatchDragEventType) proto.Request {
		return proto.InputDispatchDragEvent{Type: kind, X: in.X, Y: in.Y, Data: d.data, Modifiers: in.Modifiers & 15}
	}
	var list []proto.Request
	if !d.entered {
		list = append(list, event(proto.InputDispatchDragEventTypeDragEnter))
		d.entered = true
	}
	switch {
	case in.Kind == pane.MouseMove:
		return append(list, event(proto.InputDispatchDragEventTypeDragOver))
	case in.Kind == pane.MouseUp:
		list = append(list, event(proto.InputDispatchDragEventTypeDragOver), event(proto.InputDispatchDragEventTypeDrop))
	case in.Kind == pane.KeyDown && in.Key == "Escape":
		list = append(list, event(proto.InputDispatchDragEventTypeDragCancel))
	default:
		return nil
	}
	d.data = nil
	return list
}
