package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/mcp/mcptest"
)

// loginServer is an MCP server that asks for a login, with its authorization server.
type loginServer struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	valid   string // the access token that is valid now
	issued  int
	refused bool // refresh tokens are no longer accepted
	life    int  // seconds of an access token
}

func newLoginServer(t *testing.T) *loginServer {
	t.Helper()
	l := &loginServer{t: t, life: 3600}
	server := mcptest.Server("")
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		ok := l.valid != "" && r.Header.Get("Authorization") == "Bearer "+l.valid
		l.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate",
				`Bearer resource_metadata="`+l.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		l.answer(w, map[string]any{"resource": l.URL + "/mcp", "authorization_servers": []string{l.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		l.answer(w, map[string]any{
			"issuer": l.URL, "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token",
			"registration_endpoint": l.URL + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "client-of-goalpost"
		w.WriteHeader(http.StatusCreated)
		l.answer(w, in)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("resource") != l.URL+"/mcp" || q.Get("code_challenge_method") != "S256" {
			http.Error(w, "not the present protocol", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=the-code&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/token", l.token)
	l.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		l.CloseClientConnections()
		l.Close()
	})
	return l
}

func (l *loginServer) token(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused && r.FormValue("grant_type") == "refresh_token" {
		w.WriteHeader(http.StatusBadRequest)
		l.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	if got := r.FormValue("code") + r.FormValue("refresh_token"); got != "the-code" && got != "the-refresh-token" {
		l.t.Errorf("token for %q", got)
	}
	l.issued++
	l.valid = fmt.Sprintf("token-%d", l.issued)
	l.answer(w, map[string]any{
		"access_token": l.valid, "token_type": "Bearer", "expires_in": l.life, "refresh_token": "the-refresh-token",
	})
}

func (l *loginServer) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		l.t.Error(err)
	}
}

// memory stores logins.
type memory struct {
	mu    sync.Mutex
	login *mcp.Login
}

func (m *memory) Get(context.Context, mcp.Server) (*mcp.Login, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.login, nil
}

func (m *memory) Put(_ context.Context, _ mcp.Server, l mcp.Login) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.login = &l
	return nil
}

// browser opens an address as the user's browser does, and returns what the last page shows.
func browser(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get(address) //nolint:gosec // the address of the test's own server
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() { _ = r.Body.Close() }()
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

// TestLogIn_StoredLogin_IsUsedAndRefreshed: the user logs in once; goals use the login, and never ask the user.
func TestLogIn_StoredLogin_IsUsedAndRefreshed(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	f, l, saved := setup(t), newLoginServer(t), &memory{}
	f.environment.Logins = saved
	server := mcp.Server{Name: "web", URL: l.URL + "/mcp"}

	_, err := mcp.FetchTools(t.Context(), server, f.environment, f.listings, time.Now())
	if err == nil {
		t.Fatal("it was listed without a login")
	}
	has(t, err.Error(), "asks for a login", "mcp servers login")

	var shown sync.WaitGroup
	l.life = 1 // as short as the library allows: it refreshes before each request
	list, err := mcp.LogIn(t.Context(), server, f.environment, f.listings, time.Now(), func(address string) {
		shown.Go(func() { has(t, browser(t, address), "You can close this page") })
	})
	shown.Wait()
	if err != nil || len(list.Tools) != 11 || saved.login == nil {
		t.Fatalf("%d tools, %+v, %v", len(list.Tools), saved.login, err)
	}
	s := f.open(t, server)
	if r := call(t, s, "web__echo", `{"text":"hi"}`); !r.OK || !strings.Contains(r.Text, "hi from") {
		t.Fatal(r.Text)
	}
	if saved.login.Token.AccessToken != l.valid || l.issued < 2 || saved.login.ClientID != "client-of-goalpost" {
		t.Errorf("stored %+v, valid %s", saved.login.Token, l.valid)
	}
	l.mu.Lock()
	l.refused = true
	l.mu.Unlock()
	has(t, call(t, f.open(t, server), "web__echo", `{"text":"hi"}`).Text, "asks for a login", "no longer valid")
}

// TestLogIn_Refused_SaysSo: the user says no in the browser.
func TestLogIn_Refused_SaysSo(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	f, l := setup(t), newLoginServer(t)
	f.environment.Logins = &memory{}
	var shown sync.WaitGroup
	_, err := mcp.LogIn(t.Context(), mcp.Server{Name: "web", URL: l.URL + "/mcp"}, f.environment, f.listings, time.Now(),
		func(address string) {
			u, err := url.Parse(address)
			if err != nil {
				t.Error(err)
				return
			}
			shown.Go(func() {
				has(t, browser(t, u.Query().Get("redirect_uri")+"?error=access_denied&error_description=not+today"),
					"The login was refused")
			})
		})
	shown.Wait()
	if err == nil {
		t.Fatal("it was listed")
	}
	has(t, err.Error(), "the login was refused: access_denied not today")
}
