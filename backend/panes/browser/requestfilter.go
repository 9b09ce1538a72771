package browser

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// requestRules decide which addresses and requests pages may use. It is immutable.
type requestRules struct {
	cfg *Config
}

// PageRequest is a request that a page makes.
type PageRequest struct {
	GoalID      string
	Shared      bool // by a page of the user that is shared with the goal
	Method, URL string
}

// needsDecision reports whether every request of a goal's pages needs a decision.
func (r *requestRules) needsDecision(network string) bool {
	return network != "" && r.cfg.NeedsFilter != nil && r.cfg.FilterRequest != nil && r.cfg.NeedsFilter(network)
}

// blockReason returns why a page of this network may not make a request, "" if it may.
func (r *requestRules) blockReason(network string, req *proto.NetworkRequest) (why string) {
	if req == nil || !r.needsDecision(network) {
		return ""
	}
	return r.cfg.FilterRequest(PageRequest{GoalID: network, Method: req.Method, URL: req.URL})
}

// blockedNotice returns the text that the user reads beside the page, and the agent in its result.
func blockedNotice(r *proto.NetworkRequest, why string) string {
	return fmt.Sprintf("refused by this goal's policy: %s to %s: %s. A tool that sends something there, such as a "+
		"click on its button, asks the user for this host; or use ask_user",
		text.SanitizeLine(r.Method, 20), originOf(r.URL), text.SanitizeLine(why, 200))
}

func (m *Manager) panesOf(network string) []*Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*Pane
	for _, p := range m.panes {
		if p.State.proxyGoal == network {
			list = append(list, p)
		}
	}
	return list
}

// requestGate blocks requests of the pane's page.
type requestGate struct {
	state    *State
	activity *Activity
}

// blockReason returns why the pane's page may not make a request, "" if it may.
func (rg *requestGate) blockReason(r *proto.NetworkRequest) (why string) {
	rg.state.mu.Lock()
	sharedWith := rg.state.sharedWith()
	rg.state.mu.Unlock()
	if sharedWith == "" {
		return rg.state.m.rules.blockReason(rg.state.proxyGoal, r)
	}
	if r == nil || rg.state.m.cfg.FilterRequest == nil {
		return ""
	}
	return rg.state.m.cfg.FilterRequest(PageRequest{GoalID: sharedWith, Shared: true, Method: r.Method, URL: r.URL})
}

func (rg *requestGate) onPaused(pg *page, e *cdp.Event) {
	var ev proto.FetchRequestPaused
	if !decodeEvent(e, &ev) {
		return
	}
	if ev.Request != nil && rg.state.m.rules.isOwnAddress(ev.Request.URL) {
		rg.activity.noticeForBoth("the page asked for %s, which is Goalpost itself, and was refused",
			text.SanitizeLine(ev.Request.URL, 200))
		pg.Post(proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
		return
	}
	if ev.Request != nil && rg.state.Info().Inspects != "" {
		ofTools := strings.HasPrefix(ev.Request.URL, "devtools:")
		switch {
		case ofTools: // it is inside of Chromium
			pg.Post(proto.FetchContinueRequest{RequestID: ev.RequestID})
			return
		case ev.ResourceType == proto.NetworkResourceTypeDocument && ev.FrameID == pg.mainFrame():
			pg.Post(proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: proto.NetworkErrorReasonAborted})
			return
		}
	}
	if why := rg.blockReason(ev.Request); why != "" {
		rg.activity.noticeForBoth("%s", blockedNotice(ev.Request, why))
		reason := proto.NetworkErrorReasonBlockedByClient
		if ev.ResourceType == proto.NetworkResourceTypeDocument { // the page stays, with what was typed
			reason = proto.NetworkErrorReasonAborted
		}
		pg.Post(proto.FetchFailRequest{RequestID: ev.RequestID, ErrorReason: reason})
		return
	}
	pg.Post(proto.FetchContinueRequest{RequestID: ev.RequestID})
}

// fetchPatterns are the requests that pause at onPaused: all of them, because only a paused
// request can get a login, and any may go to a port of this program, or send data where a goal
// may only read. WebSockets do not pause, and have a proxy of their own.
func (r *requestRules) fetchPatterns() proto.FetchEnable {
	return proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{URLPattern: "*"}}, HandleAuthRequests: true}
}

func (r *requestRules) ownPorts() []int {
	if r.cfg.OwnPorts == nil {
		return nil
	}
	return r.cfg.OwnPorts()
}

// isOwnAddress reports whether an address belongs to this program.
func (r *requestRules) isOwnAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	port, err := strconv.Atoi(u.Port())
	return err == nil && slices.Contains(r.ownPorts(), port) && isLoopbackName(u.Hostname())
}

// isLoopbackName reports whether a name is the loopback interface without a resolver.
func isLoopbackName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil &&
		(ip.IsLoopback() || ip.IsUnspecified())
}

// validateAddress is Address that also refuses the addresses of this program.
func (r *requestRules) validateAddress(input string) (string, error) {
	address, err := Address(input)
	if err == nil && r.isOwnAddress(address) {
		return "", fmt.Errorf("%w: %s is Goalpost itself", ErrRefused, text.SanitizeLine(address, 200))
	}
	return address, err
}

// originOf returns the scheme, host and port of an address, for display.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return text.SanitizeLine(address, 100)
	}
	return text.SanitizeLine(u.Scheme+"://"+u.Host, 200)
}
