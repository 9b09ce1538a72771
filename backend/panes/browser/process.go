package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/chromium"
)

// browserProcess is a running Chromium with a browser context for each goal.
type browserProcess struct {
	*chromium.Browser
	m        *Manager
	windows  windows
	mu       sync.Mutex
	contexts map[string]proto.BrowserBrowserContextID // by goal id; "" is the user
	networks sync.Map                                 // by context: the goal whose network it uses
	proxy    func(goalID string) string               // may be nil
	// When this process and those before it ended unexpectedly; guarded by m.mu.
	ends []time.Time
}

// The processes: goals share one, because their contexts separate them. The user has another,
// because all contexts of a Chromium share one clipboard.
const (
	goalProcess      = "goals"
	temporaryProcess = "temporary"
)

// processKey returns the key of a pane's process: a profile has its own.
func processKey(goalID, profile string) string {
	switch {
	case goalID != "":
		return goalProcess
	case profile == "":
		return temporaryProcess
	}
	return "profile/" + profile
}

// processDir creates the folder of a process.
func (m *Manager) processDir(key string) (*chromium.RunDir, error) {
	if name, ok := strings.CutPrefix(key, "profile/"); ok {
		return chromium.OpenProfile(m.profiles.dir, name)
	}
	return chromium.NewRunDir(m.cfg.Dir)
}

// ensureProcess returns the process of a key, and starts it if it is missing or has ended.
func (m *Manager) ensureProcess(ctx context.Context, key string) (*browserProcess, error) {
	select {
	case m.start <- struct{}{}:
		defer func() { <-m.start }()
	case <-ctx.Done():
		return nil, fmt.Errorf("starting Chromium: %w", cdp.Cause(ctx))
	case <-m.ctx.Done():
		return nil, ErrClosed
	}
	m.mu.Lock()
	e, closed := m.processes[key], m.closed
	m.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case e != nil && e.Alive.Err() == nil:
		return e, nil
	case e != nil:
		if err := e.Close(ctx); err != nil {
			m.cfg.Log.Warn("cleaning up after the last Chromium", "error", err)
		}
	}
	ctx, cancel := cdp.JoinContexts(ctx, m.ctx)
	defer cancel(nil)
	proxy, err := m.proxyOfProcess(ctx, key)
	if err != nil {
		return nil, err
	}
	b, err := chromium.Launch(ctx, chromium.LaunchOptions{
		Launcher:    m.cfg.Launcher,
		Path:        m.cfg.Path,
		ProxyServer: proxy,
		Log:         m.cfg.Log,
		StartLimit:  launchTimeout,
		EndLimit:    m.cfg.limits.ending,
		Folder:      func() (*chromium.RunDir, error) { return m.processDir(key) },
		OnEvent:     m.onEvent,
		OnFrame:     m.onFrame,
	})
	m.mu.Lock()
	if err != nil {
		delete(m.processes, key)
		m.mu.Unlock()
		return nil, err
	}
	next := &browserProcess{
		Browser:  b,
		m:        m,
		contexts: map[string]proto.BrowserBrowserContextID{},
		proxy:    m.cfg.ContextProxy,
		windows: windows{
			post:  func(r proto.Request) { b.Post("", r) },
			pages: map[proto.BrowserWindowID]int{},
		},
	}
	if e != nil {
		next.ends = e.ends
	}
	m.processes[key] = next
	m.work.Go(func() { m.onProcessExit(next) }) //nolint:contextcheck // it outlives the call that started Chromium
	m.mu.Unlock()
	if key == goalProcess {
		err = next.Do(ctx, next.Alive, "", m.limits.call, "watching the workers of pages", func(c proto.Client) error {
			return cdp.CallNoResult(c, attachOthers)
		})
	}
	return next, err
}

// proxyOfProcess returns the proxy that a process is started with. For a WebSocket, Chromium prefers a
// SOCKS proxy to the one for https. Pages of goals use the proxies of their contexts; requests of
// Chromium itself belong to none.
func (m *Manager) proxyOfProcess(ctx context.Context, key string) (string, error) {
	server := m.cfg.ProxyServer
	if key == goalProcess && m.cfg.ContextProxy != nil {
		if server = m.cfg.DenyAllProxy; server == "" {
			return "", errors.New(
				"starting Chromium: without Config.DenyAllProxy its own requests would bypass the proxies of the goals")
		}
	}
	if key == goalProcess || m.cfg.WebSocketProxy == nil {
		return server, nil
	}
	profile, _ := strings.CutPrefix(key, "profile/")
	if key == temporaryProcess {
		profile = ""
	}
	at, err := m.cfg.WebSocketProxy(ctx, profile)
	if err != nil {
		return "", fmt.Errorf("starting Chromium: %w", err)
	}
	return "http=direct://;https=direct://;socks=http://" + at, nil
}

// onProcessExit informs the panes of a Chromium that ended, and restores them.
func (m *Manager) onProcessExit(b *browserProcess) {
	<-b.Alive.Done()
	m.mu.Lock()
	var panes []*Pane
	for session, p := range m.sessions {
		if p.State.hasSession(b.Conn, session) {
			panes = append(panes, p)
			delete(m.sessions, session)
		}
	}
	for target, w := range m.windows {
		if slices.Contains(panes, w.opener) {
			delete(m.windows, target)
		}
	}
	shouldRestart := !m.closed && b.mayRestart(time.Now())
	m.mu.Unlock()
	for _, p := range panes {
		p.onProcessLost(b.Conn)
	}
	if shouldRestart {
		m.reloadPanes(panes)
	}
}

// contextFor returns the goal's browser context, and creates it if necessary. The user's pages
// are in Chromium's default context. network is the goal whose proxy it uses, "" for none.
func (b *browserProcess) contextFor(c proto.Client, goalID, network string) (proto.BrowserBrowserContextID, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id, ok := b.contexts[goalID]; ok {
		return id, nil
	}
	var id proto.BrowserBrowserContextID
	if goalID != "" {
		request := proto.TargetCreateBrowserContext{}
		if b.proxy != nil {
			request.ProxyServer = "direct://" // otherwise it would use Chromium's own, which allows nothing
			if network != "" {
				if at := b.proxy(network); at != "" {
					request.ProxyServer, request.ProxyBypassList = at, "<-loopback>" // this machine's servers are not the goal's
				}
			}
		}
		result, err := cdp.Call(c, request)
		if err != nil {
			return "", fmt.Errorf("a browser context for the goal: %w", err)
		}
		id = result.BrowserContextID
		b.networks.Store(id, network)
	}
	behaviour, err := b.m.folders.setDownloadBehavior(goalID, id)
	if err != nil {
		return "", err
	}
	if err := cdp.CallNoResult(c, behaviour); err != nil {
		return "", fmt.Errorf("setting the folder for downloads: %w", err)
	}
	b.contexts[goalID] = id
	return id, nil
}

// existingContext returns the goal's context, which must exist, or the default one.
func (b *browserProcess) existingContext(goalID string) proto.BrowserBrowserContextID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.contexts[goalID]
}

// closePage closes a page of Chromium and waits until it is gone, which takes a page that hangs half a second. Until
// then, a new page of the same site could get its process, and hang as well. It does not fail if the page is gone
// already: a window that was opened for a download closes at any moment.
func (b *browserProcess) closePage(ctx context.Context, target proto.TargetTargetID) error {
	done := make(chan struct{})
	b.m.mu.Lock()
	b.m.closing[target] = done
	b.m.mu.Unlock()
	defer func() {
		b.m.mu.Lock()
		delete(b.m.closing, target)
		b.m.mu.Unlock()
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, b.m.limits.call, cdp.ErrTimeout)
	defer cancel()
	err := b.Do(ctx, b.Alive, "", b.m.limits.call, "closing a page", func(c proto.Client) error {
		err := cdp.CallNoResult(c, proto.TargetCloseTarget{TargetID: target})
		var fault *cdp.Error
		if errors.As(err, &fault) && fault.Message == "No target with given id found" {
			b.m.onPageGone(target)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-b.Alive.Done():
		return cdp.ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("closing a page: %w", cdp.Cause(ctx))
	}
}

// onPageGone notifies closePage that Chromium has closed a page.
func (m *Manager) onPageGone(target proto.TargetTargetID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if done := m.closing[target]; done != nil {
		delete(m.closing, target)
		close(done)
	}
}

// disposeContext deletes a goal's context with its cookies and storage.
func (b *browserProcess) disposeContext(ctx context.Context, goalID string) error {
	b.mu.Lock()
	id, ok := b.contexts[goalID]
	delete(b.contexts, goalID)
	b.mu.Unlock()
	if !ok {
		return nil
	}
	return b.Do(ctx, b.Alive, "", b.m.limits.call, "deleting the goal's browser context", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.TargetDisposeBrowserContext{BrowserContextID: id})
	})
}

// onEvent is called by the connection, one event at a time.
func (m *Manager) onEvent(e *cdp.Event) {
	if e.SessionID == "" {
		m.onBrowserEvent(e)
		return
	}
	if p := m.bySession(proto.TargetSessionID(e.SessionID)); p != nil {
		p.events.onPageEvent(e)
	} else if p := m.byFrameSession(proto.TargetSessionID(e.SessionID)); p != nil {
		p.events.onFrameEvent(e)
	} else if g := m.targets.get(proto.TargetSessionID(e.SessionID)); g != nil {
		m.targets.onEvent(g, e)
	}
}

func (m *Manager) onFrame(f cdp.ScreencastFrame) {
	if p := m.bySession(proto.TargetSessionID(f.Session)); p != nil {
		p.screencast.OnFrame(f)
	}
}

func (m *Manager) bySession(id proto.TargetSessionID) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[id]
}

// findProcess returns the process of a key, nil if there is none; it may have ended.
func (m *Manager) findProcess(key string) *browserProcess {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.processes[key]
}
