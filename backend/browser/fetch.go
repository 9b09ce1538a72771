package browser

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/sanitize"
)

// fetchPatterns are the requests that stop at onPaused: all of them, because only a stopped
// request asks for a login, and any may go to a port of this program, or send
// where a goal may only read. WebSockets pass this gate, and have a proxy of their own.
func (r *requestRules) fetchPatterns() proto.FetchEnable {
	return proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{URLPattern: "*"}}, HandleAuthRequests: true}
}

func (r *requestRules) ownPorts() []int {
	if r.cfg.OwnPorts == nil {
		return nil
	}
	return r.cfg.OwnPorts()
}

// isOwnAddress says whether an address is one of this program's own.
func (r *requestRules) isOwnAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	port, err := strconv.Atoi(u.Port())
	return err == nil && slices.Contains(r.ownPorts(), port) && isLoopbackName(u.Hostname())
}

// isLoopbackName knows the names of the loopback interface that need no resolver.
func isLoopbackName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// validateAddress is Address, and refuses the addresses of this program as well.
func (r *requestRules) validateAddress(text string) (string, error) {
	address, err := Address(text)
	if err == nil && r.isOwnAddress(address) {
		return "", fmt.Errorf("%w: %s is Goalpost itself", ErrRefused, sanitize.Line(address, 200))
	}
	return address, err
}

// originOf is the scheme, host and port of an address, to be shown.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return sanitize.Line(address, 100)
	}
	return sanitize.Line(u.Scheme+"://"+u.Host, 200)
}
