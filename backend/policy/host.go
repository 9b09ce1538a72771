package policy

import (
	"fmt"
	"net/netip"
	"strings"
)

// HostMatches says whether a host, and its port where one is known, is covered by
// a pattern: its own name or address, *.example.org for every name below
// example.org, * for every host; NAME:PORT is that port alone. Capital letters, a
// dot at the end and the ways of writing an address make no difference. A name
// covers its addresses no more than an address covers its names.
func HostMatches(pattern, host, port string) (bool, error) {
	if err := validHost(pattern); err != nil {
		return false, err
	}
	pattern, only := hostAndPort(pattern)
	pattern, host = plainHost(pattern), plainHost(host)
	switch {
	case only != "" && only != port:
		return false, nil
	case host == "":
		return false, nil
	case pattern == "*":
		return true, nil
	case strings.HasPrefix(pattern, "*."):
		return len(host) > len(pattern)-1 && strings.HasSuffix(host, pattern[1:]), nil
	}
	return pattern == host, nil
}

// hostAndPort takes a port off, if there is one: example.org:80, [::1]:80.
func hostAndPort(pattern string) (host, port string) {
	if rest, ok := strings.CutPrefix(pattern, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	if strings.Count(pattern, ":") == 1 {
		host, port, _ = strings.Cut(pattern, ":")
		return host, port
	}
	return pattern, ""
}

func plainHost(h string) string {
	h = strings.ToLower(strings.TrimSuffix(h, "."))
	if a, err := netip.ParseAddr(strings.Trim(h, "[]")); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return h
}

// validHost refuses what would match nothing or too much by mistake.
func validHost(pattern string) error {
	rest := strings.TrimPrefix(pattern, "*.")
	if pattern == "*" {
		return nil
	}
	if rest == "" || strings.ContainsAny(rest, "*/ \t\n?#@") || strings.HasPrefix(rest, ".") || strings.Contains(rest, "..") {
		return fmt.Errorf("%q is not a host: give a name such as example.org, or *.example.org for every name below it", pattern)
	}
	return nil
}

// anyHost says whether one of the patterns covers the host.
func anyHost(patterns []string, host string) (bool, error) {
	found := false
	for _, p := range patterns {
		ok, err := HostMatches(p, host, "")
		if err != nil {
			return false, err
		}
		found = found || ok
	}
	return found, nil
}

// HostAllowed decides about one host at a risk, without asking anyone: the
// egress proxy's question. The decision is Ask where a person could allow it.
func (p Policy) HostAllowed(host string, r Risk) Decision {
	return Law{}.Decide(Call{Tool: "egress", Effect: Effect{Risk: r, Hosts: []string{host}}}, p, nil)
}
