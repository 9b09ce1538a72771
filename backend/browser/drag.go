package browser

import (
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// onDrag takes what the page lets the mouse drag. Chromium would hand it to the
// window system, which there is none of; so the moves that follow are told to
// the page as a drag, until the button is let go.
func (m *mouse) onDrag(e *cdp.Event) {
	var ev proto.InputDragIntercepted
	if decode(e, &ev) && ev.Data != nil {
		m.state.mu.Lock()
		m.drag, m.dragged = ev.Data, false
		m.state.mu.Unlock()
	}
}

// dragging gives the events that an input becomes while something is dragged,
// nil if nothing is.
func (m *mouse) dragging(in pane.Input) []proto.Request {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	if m.drag == nil {
		return nil
	}
	event := func(kind proto.InputDispatchDragEventType) proto.Request {
		return proto.InputDispatchDragEvent{Type: kind, X: in.X, Y: in.Y, Data: m.drag, Modifiers: in.Modifiers & 15}
	}
	var list []proto.Request
	if !m.dragged {
		list = append(list, event(proto.InputDispatchDragEventTypeDragEnter))
		m.dragged = true
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
	m.drag = nil
	return list
}
