package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unicode/utf16"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/screencast"
)

// userInput processes what the user does with the mouse and the keyboard, in order.
type userInput struct {
	screencast *screencast.Screencast
	state      *State
	prompts    *Prompts
	drag       *drag
	viewport   *Viewport
	pictures   *Pictures

	queue *inputQueue
	touch atomic.Bool // touch emulation is on
}

// inputQueue is the queue of user input. A move replaces the move before it, and turns of the
// wheel are added up.
type inputQueue struct {
	wake  chan struct{}
	mu    sync.Mutex
	queue []pane.Input
}

func newInputQueue() *inputQueue { return &inputQueue{wake: make(chan struct{}, 1)} }

// add appends an input, or fails if hundreds are waiting.
func (i *inputQueue) add(in pane.Input) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n := len(i.queue); n > 0 {
		last := &i.queue[n-1]
		switch {
		case in.Kind == pane.MouseMove && last.Kind == pane.MouseMove && in.Buttons == last.Buttons:
			*last = in
			return nil
		case in.Kind == pane.Wheel && last.Kind == pane.Wheel && in.Modifiers == last.Modifiers:
			in.DX, in.DY = in.DX+last.DX, in.DY+last.DY
			*last = in
			return nil
		case n >= 500:
			return fmt.Errorf("the input was dropped: %w", ErrTimeout)
		}
	}
	i.queue = append(i.queue, in)
	select {
	case i.wake <- struct{}{}:
	default:
	}
	return nil
}

func (i *inputQueue) next() (pane.Input, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.queue) == 0 {
		return pane.Input{}, false
	}
	in := i.queue[0]
	i.queue = i.queue[1:]
	return in, true
}

// input validates a user's input and queues it.
func (u *userInput) input(in pane.Input) error {
	if _, err := u.state.currentPage(); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if u.state.Driver() == pane.DriverAgent {
		if in.Kind == pane.MouseMove || in.Kind == pane.MouseUp || in.Kind == pane.KeyUp {
			return nil // not worth an error
		}
		return ErrAgentInControl
	}
	if _, err := inputCommand(in); err != nil {
		return err
	}
	return u.queue.add(in)
}

// runInputs processes the inputs in order. It does not wait for the answers to moves, which come
// only with the next frame of the page.
func (u *userInput) runInputs() {
	for {
		select {
		case <-u.state.ctx.Done():
			return
		case <-u.queue.wake:
		}
		for in, ok := u.queue.next(); ok; in, ok = u.queue.next() {
			u.dispatchInput(in)
		}
	}
}

func (u *userInput) dispatchInput(in pane.Input) {
	pg, err := u.state.currentPage()
	if err != nil {
		return // Info().Problem has the reason
	}
	req, err := inputCommand(in)
	if err != nil {
		return // input refused it already
	}
	u.awaitFirstPaint()
	if isPositional(in.Kind) {
		defer u.pictures.lockPictures()()
	}
	for _, d := range u.drag.events(in) {
		pg.Post(d)
	}
	if in.Kind == pane.MouseMove {
		pg.Post(req)
		return
	}
	if in.Kind == pane.Touch && !u.touch.Swap(true) {
		maxPoints := maxTouchPoints
		pg.Post(proto.EmulationSetTouchEmulationEnabled{Enabled: true, MaxTouchPoints: &maxPoints})
	}
	ctx, cancel := u.prompts.withoutPrompts(u.state.ctx)
	defer cancel(nil)
	if ctx.Err() != nil {
		return // a dialog is open: the page processes no input
	}
	if in.Kind == pane.MouseDown || in.Kind == pane.KeyDown {
		u.state.change(func() { u.state.loadNotice, u.state.info.Acting, u.prompts.dialogsInARow = "", "", 0 })
	}
	err = pg.send(ctx, u.state.m.limits.input, "input", req)
	if errors.Is(err, ErrTimeout) && !u.wakeRenderer(ctx, pg) {
		u.state.change(func() {
			u.state.loadError,
				u.state.unresponsive = "the page does not react: it may be busy in an endless loop; stop or reload it", true
		})
	}
}

// isPositional reports whether an input has a position on the page.
func isPositional(k pane.InputKind) bool {
	return k == pane.MouseMove || k == pane.MouseDown || k == pane.MouseUp || k == pane.Wheel || k == pane.Touch
}

// wakeRenderer helps a page that has stopped drawing: Chromium sometimes stops after a change of
// processes, and then whatever waits for the next frame waits for ever. A new size starts it
// again. A page whose script runs for a long time is left alone.
func (u *userInput) wakeRenderer(ctx context.Context, pg *page) bool {
	err := pg.send(ctx, u.state.m.limits.hung, "asking the page", proto.RuntimeEvaluate{Expression: "1"})
	if err == nil {
		other := u.viewport.metrics()
		other.Height--
		pg.Post(other)
		u.viewport.applyViewport(pg)
	}
	u.screencast.Refresh()
	return err == nil
}

// inputCommand converts an input to a command of the protocol.
func inputCommand(in pane.Input) (proto.Request, error) {
	switch in.Kind {
	case pane.MouseMove, pane.MouseDown, pane.MouseUp, pane.Wheel:
		return mouseCommand(in)
	case pane.KeyDown, pane.KeyUp:
		return keyEvent(in), nil
	case pane.Text:
		if len(in.Text) > 1<<20 {
			return nil, errors.New("the pasted text is longer than 1 MB")
		}
		return proto.InputInsertText{Text: in.Text}, nil
	case pane.Compose:
		if len(in.Text) > 1000 {
			return nil, errors.New("the composed text is longer than 1,000 bytes")
		}
		end := len(utf16.Encode([]rune(in.Text)))
		return proto.InputImeSetComposition{Text: in.Text, SelectionStart: end, SelectionEnd: end}, nil
	case pane.Touch:
		return touchCommand(in)
	}
	return nil, fmt.Errorf("unknown input %q", text.SanitizeLine(string(in.Kind), 20))
}

func mouseCommand(in pane.Input) (proto.Request, error) {
	e := proto.InputDispatchMouseEvent{X: in.X, Y: in.Y, Modifiers: in.Modifiers & 15, Buttons: &in.Buttons}
	switch in.Button {
	case "", pane.NoButton:
		e.Button = proto.InputMouseButtonNone
	case pane.LeftButton, pane.MiddleButton, pane.RightButton:
		e.Button = proto.InputMouseButton(in.Button)
	default:
		return nil, fmt.Errorf("unknown mouse button %q", text.SanitizeLine(string(in.Button), 20))
	}
	if in.Kind == pane.MouseMove {
		// Chromium starts no drag unless the pressed button is named.
		for bit, button := range []proto.InputMouseButton{
			proto.InputMouseButtonLeft, proto.InputMouseButtonRight,
			proto.InputMouseButtonMiddle,
		} {
			if in.Buttons>>bit&1 == 1 {
				e.Button = button
				break
			}
		}
	}
	switch in.Kind {
	case pane.MouseDown:
		e.Type, e.ClickCount = proto.InputDispatchMouseEventTypeMousePressed, max(in.Clicks, 1)
	case pane.MouseUp:
		e.Type, e.ClickCount = proto.InputDispatchMouseEventTypeMouseReleased, max(in.Clicks, 1)
	case pane.Wheel:
		e.Type, e.DeltaX, e.DeltaY = proto.InputDispatchMouseEventTypeMouseWheel, in.DX, in.DY
	case pane.MouseMove, pane.KeyDown, pane.KeyUp, pane.Text, pane.Compose, pane.Touch:
		e.Type = proto.InputDispatchMouseEventTypeMouseMoved
	}
	return e, nil
}

// maxTouchPoints is the number of touch points that pages see.
const maxTouchPoints = 5

func touchCommand(in pane.Input) (proto.Request, error) {
	kind, ok := map[string]proto.InputDispatchTouchEventType{
		"start": proto.InputDispatchTouchEventTypeTouchStart, "move": proto.InputDispatchTouchEventTypeTouchMove,
		"end": proto.InputDispatchTouchEventTypeTouchEnd, "cancel": proto.InputDispatchTouchEventTypeTouchCancel,
	}[in.Text]
	if !ok || len(in.Points) > maxTouchPoints {
		return nil, fmt.Errorf("unknown touch %q with %d fingers", text.SanitizeLine(in.Text, 20), len(in.Points))
	}
	e := proto.InputDispatchTouchEvent{Type: kind, Modifiers: in.Modifiers & 15, TouchPoints: []*proto.InputTouchPoint{}}
	for _, f := range in.Points {
		id := float64(f.ID)
		e.TouchPoints = append(e.TouchPoints, &proto.InputTouchPoint{X: f.X, Y: f.Y, ID: &id})
	}
	return e, nil
}
