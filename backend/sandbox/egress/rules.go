package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"goalpost/backend/policy"
)

// From is who asks.
type From string

// Who asks: a program of the goal, a browser pane of the goal.
const (
	Program From = "program"
	Pane    From = "pane"
)

// Rules say where a goal may go. Hosts are names, addresses, or *.NAME, which is
// every name below NAME and not NAME itself; NAME:PORT is that port alone.
type Rules struct {
	Risk    policy.Risk // the goal's ceiling
	Allow   []string    // reached from network_get on
	Deny    []string    // never
	Granted []string    // reached at any ceiling: the person said so
	// Local are ports of this machine and of its private network that the person
	// listed, as HOST:PORT.
	Local []string
}

// Request is one wish to reach something outside. Method is CONNECT for a tunnel,
// whose content nobody here sees.
type Request struct {
	From   From
	Method string
	Host   string // lower case, without the dot at its end
	Port   string
}

// Decide says whether a request may go out, and why not. It looks at names only;
// the address that a name turns out to have is looked at when it is dialed.
func (r Rules) Decide(q Request) (reason string, ok bool) {
	granted := matches(r.Granted, q) || matches(r.Local, q)
	switch {
	case badName(q.Host):
		return fmt.Sprintf("%q is neither a name nor an address that is written out", q.Host), false
	case matches(r.Deny, q):
		return q.Host + " is denied for this goal", false
	case granted:
		return "", true
	case policy.NetworkGet.Over(r.Risk):
		return fmt.Sprintf("this goal may do at most %s, which does not leave the machine", r.Risk), false
	case !policy.NetworkWrite.Over(r.Risk):
		return "", true
	case !matches(r.Allow, q):
		return fmt.Sprintf("%s is not among the allowed hosts of this goal, which may do at most %s", q.Host, r.Risk), false
	case q.From == Pane && q.Method == "CONNECT" && q.Port != "443":
		return "at network_get a pane gets tunnels to port 443 only", false
	case q.From == Pane && !reading(q.Method):
		return fmt.Sprintf("%s is network_write and this goal may do at most %s", q.Method, r.Risk), false
	}
	return "", true
}

func reading(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "CONNECT":
		return true
	}
	return false
}

// matches says whether a list names the host.
func matches(list []string, q Request) bool {
	for _, entry := range list {
		host, port := split(strings.ToLower(entry))
		if port != "" && port != q.Port {
			continue
		}
		if host == q.Host {
			return true
		}
		if below, ok := strings.CutPrefix(host, "*."); ok && strings.HasSuffix(q.Host, "."+below) {
			return true
		}
	}
	return false
}

// split takes a port off, if there is one.
func split(entry string) (host, port string) {
	if rest, ok := strings.CutPrefix(entry, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	if strings.Count(entry, ":") == 1 {
		host, port, _ = strings.Cut(entry, ":")
		return host, port
	}
	return entry, ""
}

// badName refuses what a resolver might take for an address although it is not
// written like one: 2130706433, 0x7f.1, 127.1.
func badName(host string) bool {
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

// own says whether a host is the goal's own loopback.
func own(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsUnspecified())
}

// Own says whether an address, host:port, is on a goal's own loopback.
func Own(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && own(strings.ToLower(host))
}
