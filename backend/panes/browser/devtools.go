package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// devTools are Chromium's developer tools in a pane that inspects another one. The tools are a page
// that Chromium contains. It speaks the DevTools protocol over a relay, so no port is opened. The
// page is in the browser context of the one that it inspects, and has its network.
type devTools struct {
	state *State

	mu      sync.Mutex
	relay   *cdp.Relay                         // nil in other panes
	pending *proto.OverlayInspectNodeRequested // an element to show once the tools listen
	listens bool                               // the tools know the page's elements
}

const (
	devToolsBinding  = "goalpostDevTools"
	devToolsReceiver = "goalpostDevToolsReceive"
	devToolsURL      = "devtools://devtools/bundled/devtools_app.html?ws=goalpost/page&panel="
)

// DevToolsOptions say what to open developer tools for.
type DevToolsOptions struct {
	ID       string // of the new pane
	Inspects string // the pane whose page is inspected
	Dark     bool   // draws them in dark colors
	// Element is the point of the element to show first, in CSS pixels of the viewport. Without one,
	// the console is shown first.
	Element       *Point
	Width, Height int // CSS pixels; 0 = 1280 x 800
}

// Point is a place in a page.
type Point struct {
	X float64 `json:"x"` // CSS pixels of the viewport
	Y float64 `json:"y"`
}

// OpenDevTools opens Chromium's developer tools for the page of a pane in a pane of the user, or
// returns the one that is open. They can do everything that the page can, so they are for the user
// only: they are refused while an agent drives the page, and close when one begins to. They also
// close with the pane.
func (m *Manager) OpenDevTools(ctx context.Context, o DevToolsOptions) (*Pane, error) {
	p, ok := m.Get(o.Inspects)
	if _, agent := goal.RunOf(ctx); agent || !ok {
		return nil, fmt.Errorf("opening developer tools: the user has no browser pane %q", o.Inspects)
	}
	if p.State.Info().Inspects != "" {
		return nil, fault.Kind(fault.Refused, "", "these are developer tools", "open them for a page")
	}
	if err := p.Driver.checkDriver(ctx); err != nil {
		return nil, err
	}
	pg, err := p.State.currentPage()
	if err != nil {
		return nil, fmt.Errorf("opening developer tools: %w", err)
	}
	tools := m.devToolsOf(p.State.id)
	if tools == nil {
		if tools, err = m.startDevTools(ctx, p, pg, o); err != nil {
			return nil, err
		}
	}
	if o.Element != nil {
		err = tools.devTools.showElement(ctx, pg, *o.Element)
	}
	return tools, err
}

// devToolsOf returns the pane with the developer tools of a pane, or nil.
func (m *Manager) devToolsOf(id string) *Pane {
	for _, info := range m.List() {
		if info.Inspects == id {
			if p, ok := m.Get(info.ID); ok {
				return p
			}
		}
	}
	return nil
}

// startDevTools opens the pane and connects it to the page.
func (m *Manager) startDevTools(ctx context.Context, p *Pane, pg *page, o DevToolsOptions) (*Pane, error) {
	tools, err := m.reservePane(Options{
		ID:       o.ID,
		Title:    "DevTools",
		GoalID:   p.State.goalID,
		Profile:  p.State.profile,
		Width:    o.Width,
		Height:   o.Height,
		inspects: p.State.id,
	})
	if err != nil {
		return nil, err
	}
	err = tools.attachNew(ctx)
	if err == nil {
		err = tools.devTools.connect(ctx, pg, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening developer tools: %w", err), m.removePane(ctx, tools))
	}
	m.mu.Lock()
	closed := m.closed
	if !closed {
		m.work.Go(func() { m.closeWithPage(p, tools) }) //nolint:contextcheck // the tools outlive the call
	}
	m.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	panel := "console"
	if o.Element != nil {
		panel = "elements"
	}
	tools.State.runAsync(func(ctx context.Context) error { //nolint:contextcheck // the tools outlive the call
		return tools.Navigation.navigate(ctx, devToolsURL+panel)
	})
	return tools, nil
}

// closeWithPage closes developer tools when their page is gone, or when an agent drives it.
func (m *Manager) closeWithPage(p, tools *Pane) {
	ctx, cancel := cdp.JoinContexts(tools.State.ctx, p.State.ctx)
	defer cancel(nil)
	relay := tools.devTools.relay
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-relay.Done():
			cancel(ErrClosed)
		case <-stop:
		}
	}()
	_ = p.State.wait(ctx, func() bool { return p.State.info.Driver == pane.DriverAgent })
	relay.Close()
	if tools.State.ctx.Err() != nil {
		return // it is closed already
	}
	if err := m.removePane(context.Background(), tools); err != nil {
		m.cfg.Log.Debug("closing developer tools", "pane", tools.State.id, "error", err)
	}
}

// connect attaches the tools to the page that they inspect, before they are loaded.
func (d *devTools) connect(ctx context.Context, inspected *page, o DevToolsOptions) error {
	pg, err := d.state.currentPage()
	if err != nil {
		return err
	}
	var session proto.TargetSessionID
	e := inspected.process
	err = e.Do(ctx, e.Alive, "", e.m.limits.call, "attaching to the page", func(c proto.Client) error {
		result, err := cdp.Call(c, proto.TargetAttachToTarget{TargetID: inspected.target, Flatten: true})
		if err == nil {
			session = result.SessionID
		}
		return err
	})
	if err != nil {
		return err
	}
	relay := e.OpenRelay(session, func(messages [][]byte) { d.receive(pg, messages) })
	d.mu.Lock()
	d.relay = relay
	d.mu.Unlock()
	pg.Post(proto.RuntimeAddBinding{Name: devToolsBinding})
	pg.Post(script.AddScript{Source: script.DevTools})
	setScheme(pg, o.Dark)
	return nil
}

// setScheme draws a page in dark colors, or in light ones.
func setScheme(pg *page, dark bool) {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	pg.Post(proto.EmulationSetEmulatedMedia{
		Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// SetDark draws developer tools in dark colors, or in light ones. It refuses an ordinary page, which has colors of its
// own.
func (p *Pane) SetDark(dark bool) error {
	if p.State.Info().Inspects == "" {
		return fault.Kind(fault.Refused, "", "only developer tools follow the colors of the window",
			"name the pane of developer tools")
	}
	pg, err := p.State.currentPage()
	if err != nil {
		return fmt.Errorf("coloring developer tools: %w", err)
	}
	setScheme(pg, dark)
	return nil
}

// onMessage passes a message of the tools to the page that they inspect.
func (d *devTools) onMessage(message string) {
	d.mu.Lock()
	relay := d.relay
	d.mu.Unlock()
	if relay == nil {
		return
	}
	if err := relay.Send([]byte(message)); err != nil {
		d.state.m.cfg.Log.Debug("developer tools", "pane", d.state.id, "error", err)
		return
	}
	var command struct {
		Method    string `json:"method"`
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal([]byte(message), &command) == nil && command.Method == "Overlay.enable" && command.SessionID == "" {
		d.mu.Lock()
		d.listens = true
		pending := d.pending
		d.pending = nil
		d.mu.Unlock()
		if pg, err := d.state.currentPage(); err == nil && pending != nil {
			d.receive(pg, [][]byte{inspectEvent(pending)})
		}
	}
}

// receive passes messages of the inspected page to the tools.
func (d *devTools) receive(pg *page, messages [][]byte) {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = string(m)
	}
	arguments, err := json.Marshal(list)
	if err != nil {
		return // strings can always be encoded
	}
	pg.Post(proto.RuntimeEvaluate{Expression: devToolsReceiver + "(" + string(arguments) + ")", Silent: true})
}

// showElement shows the element at a point of the inspected page.
func (d *devTools) showElement(ctx context.Context, inspected *page, at Point) error {
	event := &proto.OverlayInspectNodeRequested{}
	err := inspected.do(ctx, inspected.callLimit(), "finding the element", func(c proto.Client) error {
		found, err := cdp.Call(c, proto.DOMGetNodeForLocation{
			X:                         int(at.X),
			Y:                         int(at.Y),
			IgnorePointerEventsNone:   true,
			IncludeUserAgentShadowDOM: false,
		})
		if err == nil {
			event.BackendNodeID = found.BackendNodeID
		}
		return err
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	listens := d.listens
	if !listens {
		d.pending = event
	}
	d.mu.Unlock()
	pg, err := d.state.currentPage()
	if err == nil && listens {
		d.receive(pg, [][]byte{inspectEvent(event)})
	}
	return err
}

// inspectEvent returns the event with which Chromium asks its tools to show an element.
func inspectEvent(params *proto.OverlayInspectNodeRequested) []byte {
	b, err := json.Marshal(map[string]any{"method": params.ProtoEvent(), "params": params})
	if err != nil {
		return nil // a struct of numbers can always be encoded
	}
	return b
}

// end closes the relay, if there is one.
func (d *devTools) end() {
	d.mu.Lock()
	relay := d.relay
	d.mu.Unlock()
	if relay != nil {
		relay.Close()
	}
}
