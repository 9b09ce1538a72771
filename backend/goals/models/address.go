package models

import (
	"net/netip"
	"net/url"
	"strings"

	"goalpost/backend/storage/config"
)

// completeAddress completes the address of a server as users type it: without a scheme, as a port alone, or with the
// path of one call. An address on this computer or a local network gets http://, any other https://.
func completeAddress(typed string) string {
	address := strings.TrimSpace(typed)
	if address == "" {
		return ""
	}
	if port := strings.TrimPrefix(address, ":"); port != "" && strings.Trim(port, "0123456789") == "" {
		address = "127.0.0.1:" + port
	}
	if !strings.Contains(address, "://") {
		address = schemeFor(address) + "://" + address
	}
	address = strings.TrimRight(address, "/")
	for _, call := range []string{"/chat/completions", "/responses", "/messages", "/models"} {
		address = strings.TrimSuffix(address, call)
	}
	return address
}

// schemeFor returns the scheme that a host without one uses: servers on this computer and in local networks have no
// certificate.
func schemeFor(address string) string {
	u, err := url.Parse("//" + address)
	if err != nil {
		return "http"
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	isNear := err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
	if isNear || host == "localhost" || !strings.Contains(host, ".") && err != nil ||
		strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".lan") {
		return "http"
	}
	return "https"
}

// withVersionPath returns the provider with the usual path of such servers, and whether that is another address.
func withVersionPath(p config.Provider) (config.Provider, bool) {
	u, err := url.Parse(p.BaseURL)
	if err != nil || p.Kind == config.Anthropic {
		return p, false
	}
	u.Path, u.RawPath = "/v1", ""
	before := p.BaseURL
	p.BaseURL = u.String()
	return p, p.BaseURL != before
}

// hostPort returns the host of an address with its port, as messages name it.
func hostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}
