package policy

import (
	"fmt"
	"strings"
)

// hostMatches says whether a host is covered by a pattern: its own name,
// *.example.org for every name below example.org, * for every host. Capital
// letters and a dot at the end make no difference.
func hostMatches(pattern, host string) (bool, error) {
	if err := validHost(pattern); err != nil {
		return false, err
	}
	pattern, host = plainHost(pattern), plainHost(host)
	switch {
	case host == "":
		return false, nil
	case pattern == "*":
		return true, nil
	case strings.HasPrefix(pattern, "*."):
		return len(host) > len(pattern)-1 && strings.HasSuffix(host, pattern[1:]), nil
	}
	return pattern == host, nil
}

func plainHost(h string) string { return strings.ToLower(strings.TrimSuffix(h, ".")) }

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
		ok, err := hostMatches(p, host)
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
