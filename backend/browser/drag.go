package browser

import (
	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// onDrag takes what the page lets the mouse drag. Chromium would hand it to the
// window system, which there is none of; so the moves that follow are told to
// the page as a drag, until the button is let go.
func (p *Pane) onDrag(e *cdp.Event) {
	var ev proto.InputDragIntercepted
	if decode(e, &ev) && ev.Data != nil {
		p.mu.Lock()
		p.drag, p.dragged = ev.Data, false
		p.mu.Unlock()
	}
}

// dragging gives the events that an input becomes while something is dragged,
// nil if nothing is.
func (p *Pane) dragging(in pane.Input) []proto.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drag == nil {
		return nil
	}
	event := func(kind proto.InputDispatchDragEventType) proto.Request {
		return proto.InputDispatchDragEvent{Type: kind, X: in.X, Y: in.Y, Data: p.drag, Modifiers: in.Modifiers & 15}
	}
	var list []proto.Request
	if !p.dragged {
		list = append(list, event(proto.InputDispatchDragEventTypeDragEnter))
		p.dragged = true
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
	p.drag = nil
	return list
}
