package browser

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestSite_PermissionsAndData_CanBeChanged also checks that the origin of the page is reported.
func TestSite_PermissionsAndData_CanBeChanged(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	site, err := p.SiteData.Site(b.ctx)
	b.ok(err)
	if site.Origin != b.site || site.Came != pane.SiteLocal || site.Certificate != nil || site.Cookies != 0 ||
		len(site.Permissions) != len(permissions) {
		t.Errorf("a page of this machine: %+v", site)
	}
	state := func(name string) pane.PermissionState {
		t.Helper()
		site, err := p.SiteData.Site(b.ctx)
		b.ok(err)
		for _, one := range site.Permissions {
			if one.Name == name {
				return one.State
			}
		}
		return ""
	}
	asks := func() string {
		return b.eval(p, `navigator.permissions.query({ name: "geolocation" }).then((p) => p.state)`)
	}
	for _, c := range []struct {
		state pane.PermissionState
		page  string
	}{
		{pane.PermissionBlock, `"denied"`},
		{pane.PermissionAllow, `"granted"`},
		{pane.PermissionAsk, `"prompt"`},
		{pane.PermissionAllow, `"granted"`},
	} {
		b.ok(p.SiteData.SetPermission(b.ctx, b.site, "geolocation", c.state))
		if now, said := state("geolocation"), asks(); now != c.state || said != c.page {
			t.Errorf("%s: the app shows %s, the page sees %s", c.state, now, said)
		}
	}
	if state("camera") != pane.PermissionAsk {
		t.Error("another permission came along")
	}
	for name, err := range map[string]error{
		"unknown permission": p.SiteData.SetPermission(b.ctx, b.site, "midi", pane.PermissionAllow),
		"unknown state":      p.SiteData.SetPermission(b.ctx, b.site, "camera", "always"),
		"another origin":     p.SiteData.SetPermission(b.ctx, "https://example.org", "camera", pane.PermissionAllow),
		"another's data":     p.SiteData.ClearSite(b.ctx, "https://example.org"),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}

	b.eval(p, `document.cookie = "a=1"; document.cookie = "b=2; path=/"; localStorage.x = 1; sessionStorage.y = 1`)
	if site, err = p.SiteData.Site(b.ctx); err != nil || site.Cookies != 2 {
		t.Errorf("%d cookies, %v", site.Cookies, err)
	}
	b.ok(p.SiteData.ClearSite(b.ctx, b.site))
	b.ok(p.Navigation.Reload(b.ctx))
	if left := b.eval(p, `document.cookie + localStorage.length + sessionStorage.length`); left != `"00"` {
		t.Errorf("left of the site: %s", left)
	}

	b.ok(p.Navigation.Navigate(b.ctx, "about:blank"))
	if site, err = p.SiteData.Site(b.ctx); err != nil || site.Came != pane.SiteUnknown || site.Origin != "" {
		t.Errorf("a blank page: %+v, %v", site, err)
	}
}

// TestSite_InvalidCertificate_IsReported: the certificate is also reported after the user has continued.
func TestSite_InvalidCertificate_IsReported(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>Unproven</title>")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer server.Close()
	b := newFixture(t)
	p := b.open("b1", server.URL)
	b.answer(p, pane.Answer{ID: b.question(p, pane.Certificate).ID, Yes: true})
	b.until(p, "shown", func(i pane.Info) bool { return i.Title == "Unproven" })
	site, err := p.SiteData.Site(b.ctx)
	b.ok(err)
	c := site.Certificate
	if site.Came != pane.SiteBadCertificate || c == nil || !strings.HasPrefix(c.Fault, "ERR_CERT_") || c.Protocol == "" ||
		!strings.HasSuffix(c.To, "Z") {
		t.Errorf("%+v, certificate %+v", site, c)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	if site, err = p.SiteData.Site(b.ctx); err != nil || site.Certificate != nil || site.Came != pane.SiteLocal {
		t.Errorf("the page after it: %+v, %v", site, err)
	}
}
