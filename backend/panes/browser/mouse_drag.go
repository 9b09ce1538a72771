package browser

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// drag is a drag operation of the user's or the agent's mouse. Its mutex is never held during a
// call of another part.
type drag struct {
	mu      sync.Mutex
	data    *proto.InputDragData // nil if nothing is dragged
	entered bool                 // the page has received dragEnter
}

// onIntercepted handles the start of a drag. Chromium would pass it to the window system, which
// does not exist here; so the following moves are sent to the page as drag events, until the
// button is released.
func (d *drag) onIntercepted(e *cdp.Event) {
	var ev proto.InputDragIntercepted
	if decodeEvent(e, &ev) && ev.Data != nil {
		d.mu.Lock()
		d.data, d.entered = ev.Data, false
		d.mu.Unlock()
	}
}

// end cancels the drag, because its page or its document is gone.
func (d *drag) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data = nil
}

// events returns the drag events for an input, nil if nothing is dragged.
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
