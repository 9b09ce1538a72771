package secret

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"goalpost/backend/lib/fault"
)

// defaultPorts are the ports of the schemes that have origins here.
var defaultPorts = map[string]string{"http": "80", "https": "443", "ssh": "22"}

// Origin normalizes the origin of a URL or origin: scheme and host in lower case, the port only if it is not the
// scheme's default. Only http, https and ssh have one here; that of ssh has the user of the server.
func Origin(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || defaultPorts[u.Scheme] == "" {
		return "", fault.Invalid("origin", fmt.Sprintf("%q has no origin", address), "give one like https://example.org")
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	origin := url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, port)}
	if port == "" || port == defaultPorts[u.Scheme] {
		origin.Host = strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	if user := u.User.Username(); user != "" && u.Scheme == "ssh" {
		origin.User = url.User(user)
	}
	return origin.String(), nil
}
