package browser

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestAgentAnswer_CertificateOrLogin_NeedsNamedOrigin: to trust a server or to log in at one, an agent needs more than
// OK, and each approval is valid for the named origin only.
func TestAgentAnswer_CertificateOrLogin_NeedsNamedOrigin(t *testing.T) {
	b := newFixture(t)
	vault := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="The vault"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("<title>Inside</title><h1>Inside</h1>"))
	}))
	defer vault.Close()
	unproven := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<title>Unproven</title><h1>Unproven</h1>"))
	}))
	unproven.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer unproven.Close()
	p, agent := leased(b, "b1", vault.URL)
	refused := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s was done", what)
		}
	}
	if q, open := p.Prompts.OpenPrompt(); !open || q.Origin != vault.URL {
		t.Fatalf("it asks %+v", q)
	}
	_, err := p.Actions.Dialog(agent, true, "")
	refused("a login by an OK", err)
	_, err = p.Actions.SignIn(agent, unproven.URL, "ann", "secret")
	refused("a login elsewhere", err)
	_, err = p.Actions.AcceptCertificate(agent, vault.URL)
	refused("trusting a server that asks for a login", err)
	if a := b.act(p.Actions.SignIn(agent, vault.URL, "ann", "secret")); a.Title != "Inside" {
		t.Errorf("after the login: %+v", a)
	}
	b.ok(p.Navigation.Navigate(agent, unproven.URL))
	if q, open := p.Prompts.OpenPrompt(); !open || q.Origin != unproven.URL {
		t.Fatalf("it asks %+v", q)
	}
	_, err = p.Actions.Dialog(agent, true, "")
	refused("trusting a server by an OK", err)
	_, err = p.Actions.AcceptCertificate(agent, vault.URL)
	refused("trusting another server", err)
	if a := b.act(p.Actions.AcceptCertificate(agent, unproven.URL)); a.Title != "Unproven" {
		t.Errorf("after the user's word: %+v", a)
	}
}
