package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// WebSocketProxies manages the proxies for WebSockets of the user's pages, one for each profile. Chromium cannot pause
// a WebSocket for a decision, so it connects all of them through a proxy. That proxy refuses this program's own ports
// and, while a page of the profile is shared with a goal, the hosts that are denied to the goal. All methods may be
// called concurrently.
type WebSocketProxies struct {
	Ports   *OwnPorts
	Log     *slog.Logger
	Filters *PageFilters
	Panes   func() []pane.Info // the open browser panes

	mu   sync.Mutex
	open map[string]*socketProxy // by profile; "" is the temporary one
}

type socketProxy struct {
	*egress.Proxy
	at   string
	port int
}

// Proxy returns the address of a profile's proxy. The first call opens it.
func (w *WebSocketProxies) Proxy(ctx context.Context, profile string) (at string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if have := w.open[profile]; have != nil {
		return have.at, nil
	}
	p := egress.New(egress.Config{
		Rules: rulesDenying(nil), Dial: egress.DialUserHosts(w.Ports.ContainsText), Log: w.Log,
		OnEntry: func(e egress.Entry) { w.onRefused(profile, e) },
	})
	if at, err = p.ListenSockets(ctx); err != nil {
		return "", errors.Join(err, p.Close())
	}
	_, text, _ := net.SplitHostPort(at)
	port, err := strconv.Atoi(text)
	if err != nil {
		return "", errors.Join(fmt.Errorf("the proxy of WebSockets: %w", err), p.Close())
	}
	w.Ports.Register(port)
	if w.open == nil {
		w.open = map[string]*socketProxy{}
	}
	w.open[profile] = &socketProxy{p, at, port}
	return at, nil
}

// rulesDenying returns rules that allow everything but the given hosts, because a user has no other limits.
func rulesDenying(deny []string) egress.Rules {
	return egress.Rules{Risk: policy.SpendsMoney, Deny: deny}
}

// UpdateRules adapts the rules to the pages that are shared at present.
func (w *WebSocketProxies) UpdateRules() {
	deny := map[string][]string{}
	for profile, list := range w.goalsByProfile() {
		for _, e := range list {
			deny[profile] = append(deny[profile], e.Egress().Rules().Deny...)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for profile, p := range w.open {
		p.SetRules(rulesDenying(deny[profile]))
	}
}

// goalsByProfile returns, for each profile, the goals with which a page of it is shared.
func (w *WebSocketProxies) goalsByProfile() map[string][]FilteredGoal {
	to := map[string][]FilteredGoal{}
	for _, info := range w.Panes() {
		if e := w.Filters.Get(info.GoalID); info.Shared && e != nil {
			to[info.Profile] = append(to[info.Profile], e)
		}
	}
	return to
}

// onRefused logs a refused request. It also records it for goals that share a page of the profile and are denied the
// host.
func (w *WebSocketProxies) onRefused(profile string, entry egress.Entry) {
	if entry.Allowed {
		return
	}
	w.Log.Warn("a WebSocket of the user's pages was refused", "what", entry.String())
	entry.From = egress.SourceSharedPane
	for _, e := range w.goalsByProfile()[profile] {
		if _, ok := rulesDenying(e.Egress().Rules().Deny).Decide(egress.Request{
			From:   entry.From,
			Method: entry.Method,
			Host:   entry.Host,
			Port:   entry.Port,
		}); !ok {
			e.OnRequest(entry)
		}
	}
}

func (w *WebSocketProxies) Close() error {
	w.mu.Lock()
	open := w.open
	w.open = nil
	w.mu.Unlock()
	var errs []error
	for _, p := range open {
		w.Ports.Unregister(p.port)
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
