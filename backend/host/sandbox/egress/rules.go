package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"goalpost/backend/domain/policy"
)

// Source is where a request comes from.
type Source string

// The sources: a program of the goal, a browser pane of the goal, a page that the user shares with it.
const (
	SourceProgram    Source = "program"
	SourcePane       Source = "pane"
	SourceSharedPane Source = "shared page"
)

// WebSocket is the method of a request that opens a WebSocket; its messages are not inspected.
const WebSocket = "WEBSOCKET"

// HostGrant is a host that the user allowed up to a risk.
type HostGrant struct {
	Host string
	Risk policy.Risk
	From Source // the only source it is allowed for; "" means all
}

// Rules are the hosts that a goal may reach, as patterns of policy.HostMatches.
type Rules struct {
	Risk    policy.Risk // the goal's permission level
	Allow   []string    // allowed from network_get up
	Deny    []string    // refused at every level
	Granted []string    // allowed at every level for every method: hosts of checks and of the user's servers
	Given   []HostGrant // allowed at every level, up to each grant's risk
	// Local lists ports of this machine and of its private network that the user allowed, as HOST:PORT.
	Local []string
}

// NeedsRequestFilter reports whether pages may read from a host but not send to it: then the browser must report each
// request's method, which a tunnel hides.
func (r Rules) NeedsRequestFilter() bool {
	if !policy.NetworkWrite.Exceeds(r.Risk) {
		return false
	}
	open := !policy.NetworkGet.Exceeds(r.Risk) && len(r.Allow) > 0
	for _, g := range r.Given {
		open = open || g.From != SourceProgram && !policy.NetworkGet.Exceeds(g.Risk)
	}
	return open
}

// Request is a request to reach a host. Method is CONNECT for a tunnel, whose content is not inspected.
type Request struct {
	From   Source
	Method string
	Host   string // lower case, without a trailing dot
	Port   string
}

// Decide reports whether a request is allowed, and if not, why. It considers names only; the resolved address is
// checked when it is dialed.
func (r Rules) Decide(q Request) (reason string, ok bool) {
	granted := matchesHost(r.Granted, q) || matchesHost(r.Local, q)
	ceiling, isGranted := r.grantedRisk(q)
	switch {
	case checkAmbiguousHost(q.Host):
		return fmt.Sprintf("%q is not a host name and not an address in standard notation", q.Host), false
	case matchesHost(r.Deny, q):
		return q.Host + " is denied for this goal", false
	case granted, isGranted && !q.risk().Exceeds(ceiling):
		return "", true
	case isGranted && q.risk().Exceeds(r.Risk):
		return fmt.Sprintf("the user allowed %s up to %s, and %s has the risk level %s", q.Host, ceiling, q.Method, q.risk()),
			false
	case policy.NetworkGet.Exceeds(r.Risk):
		return "this goal has no network access", false
	case !policy.NetworkWrite.Exceeds(r.Risk):
		return "", true
	case !matchesHost(r.Allow, q):
		return q.Host + " is not among the allowed hosts of this goal", false
	case q.From == SourcePane && q.Method == WebSocket:
		return "a WebSocket needs permission to send data; this goal may only read from the network", false
	case q.From == SourcePane && !isReadMethod(q.Method):
		return q.Method + " needs permission to send data; this goal may only read from the network", false
	}
	return "", true
}

// isLiteralAllowed reports whether the user allowed exactly this address of a private network. A name is not enough:
// its owner may point it elsewhere at any time.
func (r Rules) isLiteralAllowed(q Request) bool {
	addr, err := netip.ParseAddr(q.Host)
	if err != nil || !addr.Unmap().IsPrivate() {
		return false
	}
	for _, entry := range r.Allow {
		if !strings.Contains(entry, "*") && matchesHost([]string{entry}, q) {
			return true
		}
	}
	return false
}

// grantedRisk returns the highest risk that the user granted for the host.
func (r Rules) grantedRisk(q Request) (ceiling policy.Risk, ok bool) {
	for _, g := range r.Given {
		if (g.From == "" || g.From == q.From) && !strings.Contains(g.Host, "*") && matchesHost([]string{g.Host}, q) &&
			(!ok || g.Risk.Exceeds(ceiling)) {
			ceiling, ok = g.Risk, true
		}
	}
	return ceiling, ok
}

// risk returns the risk class of a request. A tunnel's content is unknown; for a page's tunnel the browser limits
// requests to reads, and its first bytes are checked.
func (r Request) risk() policy.Risk {
	if !isReadMethod(r.Method) {
		return policy.NetworkWrite
	}
	return policy.NetworkGet
}

func isReadMethod(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "CONNECT":
		return true
	}
	return false
}

// matchesHost reports whether a list of patterns matches the host.
func matchesHost(list []string, q Request) bool {
	for _, entry := range list {
		if ok, err := policy.HostMatches(entry, q.Host, q.Port); ok && err == nil {
			return true
		}
	}
	return false
}

// checkAmbiguousHost refuses hosts that some resolvers read as addresses although they are not in standard notation:
// 2130706433, 0x7f.1, 127.1.
func checkAmbiguousHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return strings.Contains(host, "%") // an IPv6 zone
	}
	if host == "" || len(host) > 253 {
		return true
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-._"
	if strings.ContainsFunc(host, func(r rune) bool { return !strings.ContainsRune(letters, r) }) {
		return true
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return true
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 {
			return true
		}
	}
	return false
}

// isGoalLoopback reports whether a host is the goal's own loopback.
func isGoalLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsUnspecified())
}

// IsGoalLoopback reports whether an address, HOST:PORT, is on a goal's own loopback.
func IsGoalLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isGoalLoopback(strings.ToLower(host))
}
