package tools_test

import (
	"testing"

	"goalpost/backend/domain/policy"
)

// TestCheckPlainHost_MisleadingHosts_AreRefused: the host that the user sees is the host that is contacted.
func TestCheckPlainHost_MisleadingHosts_AreRefused(t *testing.T) {
	h := newFixture(t)
	for _, bad := range []string{
		"http://*.com/", "http://*/", "http://\u0430pple.com/", "http://2130706433/", "http://0x7f.1/", "http://127.1/",
		"http://a..b/", "http://a,b.example/", "http://[fe80::1%25eth0]/",
		"http://p\u202Eexample.com/", "http://x%2Ecom/\u00e9", "http://\uff45xample.com/",
	} {
		if e, err := h.effect("browser_open", "url", bad); err == nil && len(e.Hosts) > 0 && e.Hosts[0] != "x.com" {
			t.Errorf("%q: %+v", bad, e)
		}
	}
	for address, host := range map[string]string{
		"http://xn--pple-43d.com/":    "xn--pple-43d.com",
		"https://Shop.example:8443/x": "Shop.example",
		"http://[2001:db8::1]/":       "2001:db8::1",
		"http://192.0.2.1/":           "192.0.2.1",
		"https://a_b.example./":       "a_b.example.",
	} {
		if e, err := h.effect("browser_open", "url", address); err != nil || len(e.Hosts) != 1 || e.Hosts[0] != host {
			t.Errorf("%q: %+v %v", address, e, err)
		}
	}
	for _, own := range []string{
		"http://127.0.0.1:8080/", "http://LOCALHOST/", "http://localhost.:3000/",
		"http://app.localhost:3000/", "http://0.0.0.0:8000/", "http://[::]:8000/", "http://[::ffff:127.0.0.1]/",
	} {
		if e, err := h.effect("browser_open", "url", own); err != nil || len(e.Hosts) > 0 || e.Risk != policy.ReadOnly {
			t.Errorf("%q: %+v %v", own, e, err)
		}
	}
	for _, other := range []string{
		"http://localhost.example/", "http://mylocalhost/",
		"http://localhost.localhost.evil.example/",
	} {
		if e, err := h.effect("browser_open", "url", other); err != nil || len(e.Hosts) != 1 {
			t.Errorf("%q: %+v %v", other, e, err)
		}
	}
}
