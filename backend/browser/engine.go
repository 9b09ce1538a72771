package browser

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// engine is the running Chromium with a browser context for each goal.
type engine struct {
	*chromium
	mu       sync.Mutex
	contexts map[string]proto.BrowserBrowserContextID // by goal id; "" is the person
	proxy    func(goalID string) string               // may be nil
}

// running returns the engine, after starting it if there is none or if it ended.
func (m *Manager) running(ctx context.Context) (*engine, error) {
	select {
	case m.start <- struct{}{}:
		defer func() { <-m.start }()
	case <-ctx.Done():
		return nil, fmt.Errorf("starting Chromium: %w", cause(ctx))
	case <-m.ctx.Done():
		return nil, ErrClosed
	}
	m.mu.Lock()
	e, closed := m.engine, m.closed
	m.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case e != nil && e.alive.Err() == nil:
		return e, nil
	case e != nil:
		if err := e.close(ctx); err != nil {
			m.cfg.Log.Warn("the last Chromium left something behind", "error", err)
		}
	}
	ctx, cancel := tie(ctx, m.ctx)
	defer cancel(nil)
	b, err := launch(ctx, m.cfg, m.onEvent, m.onFrame)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.engine = nil
		return nil, err
	}
	m.engine = &engine{chromium: b, contexts: map[string]proto.BrowserBrowserContextID{}, proxy: m.cfg.ContextProxy}
	m.work.Go(func() { m.watch(b) })
	return m.engine, nil
}

// watch tells the panes of a Chromium that it ended.
func (m *Manager) watch(b *chromium) {
	<-b.alive.Done()
	m.mu.Lock()
	var lost []*Pane
	for session, p := range m.sessions {
		if p.on(b.conn, session) {
			lost = append(lost, p)
			delete(m.sessions, session)
		}
	}
	m.mu.Unlock()
	for _, p := range lost {
		p.lose(b.conn)
	}
}

// context gives the goal's browser context, made when first needed. The
// person's pages live in Chromium's default one.
func (e *engine) context(c proto.Client, goalID string) (proto.BrowserBrowserContextID, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if id, ok := e.contexts[goalID]; ok {
		return id, nil
	}
	var id proto.BrowserBrowserContextID
	if goalID != "" {
		wanted := proto.TargetCreateBrowserContext{}
		if e.proxy != nil {
			if wanted.ProxyServer = e.proxy(goalID); wanted.ProxyServer != "" {
				wanted.ProxyBypassList = "<-loopback>" // this machine's servers are not the goal's
			}
		}
		made, err := ask(c, wanted)
		if err != nil {
			return "", fmt.Errorf("a browser context for the goal: %w", err)
		}
		id = made.BrowserContextID
	}
	err := tell(c, proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: id, EventsEnabled: true,
	})
	if err != nil {
		return "", fmt.Errorf("refusing downloads: %w", err)
	}
	e.contexts[goalID] = id
	return id, nil
}

// forget disposes of a goal's context with its cookies and storage.
func (e *engine) forget(ctx context.Context, goalID string) error {
	e.mu.Lock()
	id, ok := e.contexts[goalID]
	delete(e.contexts, goalID)
	e.mu.Unlock()
	if !ok {
		return nil
	}
	return e.do(ctx, e.alive, "", callLimit, "forgetting the goal's browser context", func(c proto.Client) error {
		return tell(c, proto.TargetDisposeBrowserContext{BrowserContextID: id})
	})
}

// attach makes or takes over a page and prepares it. Nothing of the page is
// seen before that: register is called with the session before any event of it
// can matter.
func (e *engine) attach(ctx context.Context, goalID string, width, height int, target proto.TargetTargetID, refs *atomic.Int64, register func(*page)) (*page, error) {
	pg := &page{engine: e, target: target, refs: refs}
	err := e.do(ctx, e.alive, "", callLimit, "opening a page", func(c proto.Client) error {
		if pg.target == "" {
			id, err := e.context(c, goalID)
			if err != nil {
				return err
			}
			made, err := ask(c, proto.TargetCreateTarget{
				URL: "about:blank", BrowserContextID: id, Width: &width, Height: &height, NewWindow: true,
			})
			if err != nil {
				return fmt.Errorf("a new page: %w", err)
			}
			pg.target = made.TargetID
		}
		attached, err := ask(c, proto.TargetAttachToTarget{TargetID: pg.target, Flatten: true})
		if err != nil {
			return fmt.Errorf("attaching to the page: %w", err)
		}
		pg.session = attached.SessionID
		return nil
	})
	if err != nil {
		return nil, err
	}
	pg.alive, pg.end = context.WithCancelCause(e.alive)
	register(pg)
	return pg, pg.do(ctx, callLimit, "preparing the page", func(c proto.Client) error {
		for _, req := range []proto.Request{
			proto.PageEnable{},
			proto.InspectorEnable{},
			proto.RuntimeEnable{}, // bindings reach new documents only while it is on
			proto.PageSetLifecycleEventsEnabled{Enabled: true},
			// Without it a page is hidden, and draws nothing, once another of the same window is in front.
			proto.EmulationSetFocusEmulationEnabled{Enabled: true},
			metrics(width, height),
			proto.RuntimeAddBinding{Name: "goalpostTitle", ExecutionContextName: worldName},
			addScript{Source: watchScript, WorldName: worldName, RunImmediately: true},
		} {
			if err := tell(c, req); err != nil {
				return err
			}
		}
		return nil
	})
}

func metrics(width, height int) proto.EmulationSetDeviceMetricsOverride {
	return proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height, DeviceScaleFactor: 1}
}

// onEvent is called by the connection, one event at a time.
func (m *Manager) onEvent(e *cdp.Event) {
	if e.SessionID == "" {
		m.onBrowserEvent(e)
		return
	}
	if p := m.bySession(proto.TargetSessionID(e.SessionID)); p != nil {
		p.onEvent(e)
	}
}

func (m *Manager) onFrame(f castFrame) {
	if p := m.bySession(proto.TargetSessionID(f.session)); p != nil {
		p.cast.take(f)
	}
}

func (m *Manager) bySession(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[id]
}
