package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"goalpost/backend/policy"
)

// Source is who asks.
type Source string

// Who asks: a program of the goal, a browser pane of the goal, a page that the
// user lent it.
const (
	SourceProgram    Source = "program"
	SourcePane       Source = "pane"
	SourceSharedPane Source = "lent page"
)

// WebSocket is the method of a request for one: what is sent there later is not seen.
const WebSocket = "WEBSOCKET"

// HostGrant is a host that the user opened up to a risk.
type HostGrant struct {
	Host string
	Risk policy.Risk
	From Source // whom alone it was opened for; "" is both
}

// Rules say where a goal may go. Hosts are patterns as policy.HostMatches reads them.
type Rules struct {
	Risk    policy.Risk // the goal's ceiling
	Allow   []string    // reached from network_get on
	Deny    []string    // never
	Granted []string    // reached at any ceiling, in every way: a check's own, a server's of the user
	Given   []HostGrant // reached at any ceiling, up to each one's risk
	// Local are ports of this machine and of its private network that the user
	// listed, as HOST:PORT.
	Local []string
}

// NeedsRequestFilter says whether pages reach a host outside that they may not send to: then
// the browser has to tell the method of each request, which a tunnel hides.
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

// Request is one wish to reach something outside. Method is CONNECT for a tunnel,
// whose content nobody here sees.
type Request struct {
	From   Source
	Method string
	Host   string // lower case, without the dot at its end
	Port   string
}

// Decide says whether a request may go out, and why not. It looks at names only;
// the address that a name turns out to have is looked at when it is dialed.
func (r Rules) Decide(q Request) (reason string, ok bool) {
	granted := matchesHost(r.Granted, q) || matchesHost(r.Local, q)
	most, given := r.grantedRisk(q)
	switch {
	case checkAmbiguousHost(q.Host):
		return fmt.Sprintf("%q is neither a name nor an address that is written out", q.Host), false
	case matchesHost(r.Deny, q):
		return q.Host + " is denied for this goal", false
	case granted, given && !q.risk().Exceeds(most):
		return "", true
	case given && q.risk().Exceeds(r.Risk):
		return fmt.Sprintf("the user allowed everything up to %s on %s, and %s is %s", most, q.Host, q.Method, q.risk()),
			false
	case policy.NetworkGet.Exceeds(r.Risk):
		return fmt.Sprintf("this goal may do at most %s, which does not leave the machine", r.Risk), false
	case !policy.NetworkWrite.Exceeds(r.Risk):
		return "", true
	case !matchesHost(r.Allow, q):
		return fmt.Sprintf("%s is not among the allowed hosts of this goal, which may do at most %s", q.Host, r.Risk), false
	case q.From == SourcePane && q.Method == WebSocket:
		return fmt.Sprintf("a WebSocket counts as network_write and this goal may do at most %s", r.Risk), false
	case q.From == SourcePane && !isReadMethod(q.Method):
		return fmt.Sprintf("%s is network_write and this goal may do at most %s", q.Method, r.Risk), false
	}
	return "", true
}

// isLiteralAllowed says whether the user allowed this very address of a private network.
// A name does not do: whose it is may let it lead anywhere tomorrow.
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

// grantedRisk is what the user opened the host for, at most.
func (r Rules) grantedRisk(q Request) (most policy.Risk, ok bool) {
	for _, g := range r.Given {
		if (g.From == "" || g.From == q.From) && !strings.Contains(g.Host, "*") && matchesHost([]string{g.Host}, q) &&
			(!ok || g.Risk.Exceeds(most)) {
			most, ok = g.Risk, true
		}
	}
	return most, ok
}

// risk is what a request counts as. What a tunnel carries is not known: one of a
// page is held to reading by the browser, and looked at when it begins.
func (q Request) risk() policy.Risk {
	if !isReadMethod(q.Method) {
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

// matchesHost says whether a list names the host.
func matchesHost(list []string, q Request) bool {
	for _, entry := range list {
		if ok, err := policy.HostMatches(entry, q.Host, q.Port); ok && err == nil {
			return true
		}
	}
	return false
}

// checkAmbiguousHost refuses what a resolver might take for an address although it is not
// written like one: 2130706433, 0x7f.1, 127.1.
func checkAmbiguousHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return strings.Contains(host, "%") // a zone
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

// isGoalLoopback says whether a host is the goal's own loopback.
func isGoalLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsUnspecified())
}

// IsGoalLoopback says whether an address, host:port, is on a goal's own loopback.
func IsGoalLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isGoalLoopback(strings.ToLower(host))
}
