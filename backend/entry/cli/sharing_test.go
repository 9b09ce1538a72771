package cli

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"goalpost/backend/app"
	"goalpost/backend/entry/serve"
	"goalpost/backend/storage/config"
)

// TestSharing_AddressOfSettings_IsFollowed: other devices reach the program at the address of the settings and nowhere
// else, an address that is in use is a problem until it is free, and a link logs in there.
func TestSharing_AddressOfSettings_IsFollowed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	var out bytes.Buffer
	p := Program{
		Name: "goalctl", Stdout: &out, Stderr: &out,
		Assets: fstest.MapFS{"index.html": {Data: []byte("<p>the page</p>")}},
		Getenv: func(name string) string {
			if name == config.HomeVariable {
				return home
			}
			return os.Getenv(name)
		},
	}
	err := p.withApp(t.Context(), app.Options{Stays: true}, func(a *app.App) error {
		methods, err := serve.NewRegistry(a.BoundAPIs(t.Context())...)
		if err != nil {
			return err
		}
		s := &sharing{program: p, app: a, methods: methods, log: a.Config().Log()}
		defer s.Close(t.Context())
		a.ShareWith(t.Context(), s)
		follow := func(address string) {
			set := a.Config().Settings()
			set.ShareAddress = address
			if err := a.Config().SaveSettings(set); err != nil {
				t.Fatal(err)
			}
			s.Follow(t.Context())
		}
		if _, err := a.Devices().NewLink(); err == nil || a.Sharing().URL != "" {
			t.Error("a device can log in although none is let in")
		}
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address := taken.Addr().String()
		follow(address)
		if got := a.Sharing(); got.URL != "" || !strings.Contains(got.Problem, "in use") {
			t.Errorf("an address in use: %+v", got)
		}
		if err := taken.Close(); err != nil {
			return err
		}
		follow(address)
		if got := a.Sharing(); got.URL != "https://"+address+"/" || got.Problem != "" {
			t.Errorf("sharing is %+v", got)
		}
		link, err := a.Devices().NewLink()
		if err != nil || !strings.HasPrefix(link.URL, a.Sharing().URL) {
			t.Errorf("the link is %q, %v", link.URL, err)
		}
		getPage(t, s.authority, link.URL)
		getPage(t, s.authority, a.Sharing().Authority)
		follow("")
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			t.Error("the address still accepts connections")
		}
		if got := a.Sharing(); got.URL != "" || got.Problem != "" {
			t.Errorf("sharing is %+v", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err, out.String())
	}
}

// getPage gets a page as a device does that trusts the authority.
func getPage(t *testing.T, authority *serve.Authority, url string) {
	t.Helper()
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(authority.PEM()) {
		t.Fatal("the authority has no certificate")
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", url, answer.StatusCode)
	}
}
