package secret

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"goalpost/backend/lib/fault"
)

// Origin normalizes the origin of a URL or origin: scheme and host in lower case, the port only if it is not the
// scheme's default. Only http and https have one here.
func Origin(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.Invalid("origin", fmt.Sprintf("%q has no origin", address), "give one like https://example.org")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	port := u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return u.Scheme + "://" + host, nil
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port), nil
}
