package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"
)

// HostMatches reports whether a pattern covers a host, and its port if it is known. A pattern is a name or an
// address, *.example.org for every name below example.org, or * for every host. NAME:PORT covers only that port.
// Case, a trailing dot and the notation of an address make no difference. A name does not cover its addresses, nor
// an address its names.
func HostMatches(pattern, host, port string) (bool, error) {
	if err := validateHost(pattern); err != nil {
		return false, err
	}
	pattern, only := hostAndPort(pattern)
	pattern, host = normalizeHost(pattern), normalizeHost(host)
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

// hostAndPort splits off the port, if there is one: example.org:80, [::1]:80.
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

func normalizeHost(h string) string {
	h = strings.ToLower(strings.TrimSuffix(h, "."))
	if a, err := netip.ParseAddr(strings.Trim(h, "[]")); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return h
}

// ValidateExactHost refuses what is not one host without a port: a pattern, or an ambiguous address.
func ValidateExactHost(host string) error {
	if name, port := hostAndPort(host); strings.Contains(host, "*") || port != "" || name != host {
		return fmt.Errorf("%q is not one host", host)
	}
	return validateHost(host)
}

// validateHost refuses patterns that would match nothing, or too much, by mistake. A denial that matches nothing
// denies nothing.
func validateHost(pattern string) error {
	if pattern == "*" {
		return nil
	}
	host, port := hostAndPort(strings.TrimPrefix(pattern, "*."))
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	_, err := netip.ParseAddr(host)
	switch {
	case strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }):
		return fmt.Errorf("%q never matches: write it as browsers send it (xn--…)", pattern)
	case strings.HasPrefix(pattern, "[") != strings.Contains(pattern, "]"), strings.HasPrefix(pattern, "*.") &&
		err == nil, strings.HasSuffix(pattern, ":") && err != nil, !isNumeric(port):
		return fmt.Errorf("%q is not a host: %s", pattern, hostSyntax)
	case err == nil:
		return nil
	case strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "", !isHostname(host):
		return fmt.Errorf("%q is not a host: %s", pattern, hostSyntax)
	}
	return nil
}

const hostSyntax = "use a name such as example.org, *.example.org for every name below it, or a full IP address"

// isHostname reports whether a host is a name, and not a number that some programs read as an address.
func isHostname(host string) bool {
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	return !slices.Contains(labels, "") && !isNumeric(last) && !strings.HasPrefix(last, "0x")
}

func isNumeric(s string) bool { return strings.Trim(s, "0123456789") == "" }

// anyHost reports whether one of the patterns covers the host and port; "" is an unknown port, which a pattern with a
// port does not cover.
func anyHost(patterns []string, host, port string) (bool, error) {
	found := false
	for _, p := range patterns {
		ok, err := HostMatches(p, host, port)
		if err != nil {
			return false, err
		}
		found = found || ok
	}
	return found, nil
}
