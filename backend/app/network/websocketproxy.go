package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"goalpost/backend/pane"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox/egress"
)

// WebSocketProxies are the ways out of the WebSockets of the user's pages, one for each
// profile: Chromium stops no WebSocket for us to look at it, so it takes them to a
// proxy. It goes anywhere but to this program's own ports, and while a page of the
// profile is lent to a goal to no host that is denied to that goal. All methods may be called concurrently.
type WebSocketProxies struct {
	Ports   *OwnPorts
	Log     *slog.Logger
	Filters *PageFilters
	Panes   func() []pane.Info // the browser panes that are open

	mu   sync.Mutex
	open map[string]*socketProxy // by profile, "" is the temporary one
}

type socketProxy struct {
	*egress.Proxy
	at   string
	port int
}

// Proxy is the address of a profile's proxy, opened when first asked for.
func (s *WebSocketProxies) Proxy(ctx context.Context, profile string) (at string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.open[profile]; have != nil {
		return have.at, nil
	}
	p := egress.New(egress.Config{
		Rules: rulesDenying(nil), Dial: egress.DialUserHosts(s.Ports.ContainsText), Log: s.Log,
		OnEntry: func(e egress.Entry) { s.onRefused(profile, e) },
	})
	if at, err = p.ListenSockets(ctx); err != nil {
		return "", errors.Join(err, p.Close())
	}
	_, text, _ := net.SplitHostPort(at)
	port, err := strconv.Atoi(text)
	if err != nil {
		return "", errors.Join(fmt.Errorf("the proxy of WebSockets: %w", err), p.Close())
	}
	s.Ports.Register(port)
	if s.open == nil {
		s.open = map[string]*socketProxy{}
	}
	s.open[profile] = &socketProxy{p, at, port}
	return at, nil
}

// rulesDenying are the rules of a user: there are none but what they denied a goal.
func rulesDenying(deny []string) egress.Rules {
	return egress.Rules{Risk: policy.SpendsMoney, Deny: deny}
}

// UpdateRules makes the rules those of the loans that there are now.
func (s *WebSocketProxies) UpdateRules() {
	deny := map[string][]string{}
	for profile, list := range s.goalsByProfile() {
		for _, e := range list {
			deny[profile] = append(deny[profile], e.Egress().Rules().Deny...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for profile, p := range s.open {
		p.SetRules(rulesDenying(deny[profile]))
	}
}

// goalsByProfile are the goals that pages of each profile are lent to.
func (s *WebSocketProxies) goalsByProfile() map[string][]FilteredGoal {
	to := map[string][]FilteredGoal{}
	for _, info := range s.Panes() {
		if e := s.Filters.Get(info.GoalID); info.Shared && e != nil {
			to[info.Profile] = append(to[info.Profile], e)
		}
	}
	return to
}

// onRefused tells of what was refused: to the goals that the profile is lent to, what is
// denied to them.
func (s *WebSocketProxies) onRefused(profile string, entry egress.Entry) {
	if entry.Allowed {
		return
	}
	s.Log.Warn("a WebSocket of the user's pages was refused", "what", entry.String())
	entry.From = egress.SourceSharedPane
	for _, e := range s.goalsByProfile()[profile] {
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

func (s *WebSocketProxies) Close() error {
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	var errs []error
	for _, p := range open {
		s.Ports.Unregister(p.port)
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
