package browser

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"goalpost/backend/lib/text"
)

// Address turns what a user or a model wrote into an address that a pane may open: http, https,
// about:blank and data:image. "localhost:8080" gets http, "example.com" gets https. It returns
// ErrRefused for everything else, because Chromium would open file: and chrome: addresses over
// the pipe.
func Address(address string) (string, error) {
	address = strings.TrimSpace(address)
	switch {
	case address == "" || strings.EqualFold(address, "about:blank"):
		return "about:blank", nil
	case strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("%w: it contains control characters", ErrRefused)
	case len(address) > 2<<20:
		return "", fmt.Errorf("%w: it is longer than 2 MB", ErrRefused)
	}
	if isBare(address) {
		address = schemeFor(address) + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not an address: write it as http://host/path", ErrRefused,
			text.SanitizeLine(address, 200))
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Hostname() == "" {
			return "", fmt.Errorf("%w: %q names no host: write it as http://host/path", ErrRefused,
				text.SanitizeLine(address, 200))
		}
		return address, nil
	case "data":
		if strings.HasPrefix(strings.ToLower(u.Opaque), "image/") {
			return address, nil
		}
		return "", fmt.Errorf("%w: only images are opened from data: addresses", ErrRefused)
	case "":
		return "", fmt.Errorf("%w: %q is not an address: write it as http://host/path", ErrRefused,
			text.SanitizeLine(address, 200))
	}
	return "", fmt.Errorf("%w: a browser pane does not open %s: addresses: use http, https, about:blank or data:image",
		ErrRefused, text.SanitizeLine(u.Scheme, 40))
}

var schemePattern = text.NewPattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// SearchTerms returns what a user wrote as terms for a web search: text after a question mark,
// several words, or one word that cannot be a host of the internet. What looks like a refused
// address is not a search, because it could contain a secret.
func SearchTerms(input string) (string, bool) {
	input = strings.TrimSpace(input)
	if rest, isSearch := strings.CutPrefix(input, "?"); isSearch {
		rest = strings.TrimSpace(rest)
		return text.SanitizeLine(rest, 500), rest != ""
	}
	if _, err := Address(input); err == nil || schemePattern.MatchString(input) || len(input) > 500 {
		return "", false
	}
	several := strings.ContainsAny(input, " \t")
	if !several && strings.ContainsAny(input, ":/@\\.") {
		return "", false
	}
	return text.SanitizeLine(input, 500), true
}

// isBare distinguishes "localhost:8080/x" and "example.com" from "file:///x" and "mailto:x": a
// port follows the first colon, or there is no colon before the path.
func isBare(text string) bool {
	if strings.Contains(text, "://") && !strings.ContainsAny(text[:strings.Index(text, "://")], "/?#") {
		return false
	}
	head, _, _ := strings.Cut(text, "/")
	if strings.ContainsAny(head, " @\\") || head == "" {
		return false
	}
	if strings.HasPrefix(head, "[") { // [::1]:8080
		return true
	}
	host, port, found := strings.Cut(head, ":")
	if found {
		return host != "" && port != "" && strings.Trim(port, "0123456789") == ""
	}
	return strings.Contains(host, ".") || strings.EqualFold(host, "localhost")
}

// schemeFor returns http for this machine and private networks, where certificates are rare, and
// https for other hosts.
func schemeFor(text string) string {
	head, _, _ := strings.Cut(text, "/")
	host, _, err := net.SplitHostPort(head)
	if err != nil {
		host = strings.Trim(head, "[]")
	}
	host = strings.ToLower(host)
	ip := net.ParseIP(host)
	switch {
	case host == "localhost", strings.HasSuffix(host, ".localhost"), ip != nil &&
		(ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified()):
		return "http://"
	}
	return "https://"
}

// IsShareableURL reports whether another user may see the same page at the address.
func IsShareableURL(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}
