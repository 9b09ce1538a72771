package update

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"goalpost/backend/lib/fault"
)

// server is the feed of TestMain's server, whose certificate this process trusts.
var server *httptest.Server

var answer, asked atomic.Value // http.HandlerFunc, *http.Request

func TestMain(m *testing.M) {
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		answer.Load().(http.HandlerFunc)(w, r)
	}))
	dir, err := os.MkdirTemp("", "update")
	if err != nil {
		panic(err)
	}
	file := filepath.Join(dir, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := errors.Join(os.WriteFile(file, block, 0o600), os.Setenv("SSL_CERT_FILE", file)); err != nil {
		panic(err)
	}
	code := m.Run()
	server.Close()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func say(body string) { // answers the next requests
	answer.Store(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
}

func TestCheck_FindsTheNewestRelease(t *testing.T) {
	say(`{"tag_name":"v1.2.3","html_url":"https://example.org/1.2.3","body":"notes"}`)
	for current, newer := range map[string]bool{
		"1.2.2": true, "1.2.3": false, "1.2.4": false, "0.9.9": true, "1.10.0": false, "v1.2.3": false,
		"1.2.3+4.g0123abc": false, "1.2.3-rc.1": true, "0.1.0-dev.670+g2c99af1e": true, "unversioned": true,
	} {
		got, err := Check(t.Context(), server.URL, current)
		want := Release{Version: "1.2.3", URL: "https://example.org/1.2.3", Newer: newer}
		if err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", current, got, err, want)
		}
	}
	r := asked.Load().(*http.Request)
	if r.Method != http.MethodGet || r.UserAgent() != "goalpost" || r.Header.Get("Cookie") != "" || r.ContentLength > 0 {
		t.Errorf("the request tells %v %v", r.Method, r.Header)
	}
}

func TestCheck_HostileFeed_IsRefused(t *testing.T) {
	insecure := httptest.NewServer(http.NotFoundHandler())
	defer insecure.Close()
	for name, c := range map[string]struct {
		feed string
		do   http.HandlerFunc
		want string
	}{
		"no HTTPS":     {insecure.URL, nil, "not the address of a release feed"},
		"a file":       {"file:///etc/passwd", nil, "not the address of a release feed"},
		"a password":   {"https://user:password@example.org/", nil, "not the address of a release feed"},
		"not found":    {server.URL, http.NotFound, "answered 404"},
		"not JSON":     {server.URL, write("<html>"), "cannot be read"},
		"endless":      {server.URL, write(`{"tag_name":"` + strings.Repeat("9", 2*maxFeed)), "cannot be read"},
		"no version":   {server.URL, write(`{"tag_name":"latest","html_url":"https://example.org/"}`), "no version"},
		"escapes":      {server.URL, write(`{"tag_name":"1.2.3\u001b[2J","html_url":"https://example.org/"}`), "no version"},
		"a script":     {server.URL, write(`{"tag_name":"1.2.3","html_url":"javascript:alert(1)"}`), "no HTTPS page"},
		"to no HTTPS":  {server.URL, http.RedirectHandler(insecure.URL, http.StatusFound).ServeHTTP, "without HTTPS"},
		"round and on": {server.URL, http.RedirectHandler("/again", http.StatusFound).ServeHTTP, "too often"},
		"nobody there": {"https://127.0.0.1:1/", nil, "did not answer"},
	} {
		if c.do != nil {
			answer.Store(c.do)
		}
		got, err := Check(t.Context(), c.feed, "1.0.0")
		var problem *fault.Error
		if !errors.As(err, &problem) || !strings.Contains(problem.Message, c.want) || problem.Hint == "" ||
			got != (Release{}) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, c.want)
		}
	}
}

func write(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func TestChecker_AsksOnceADay(t *testing.T) {
	var c Checker
	var n atomic.Int32
	answer.Store(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		_, _ = w.Write([]byte(`{"tag_name":"v2.0.0","html_url":"https://example.org/2"}`))
	}))
	for range 3 {
		if r, err := c.Check(t.Context(), server.URL, "1.0.0"); err != nil || !r.Newer {
			t.Fatal(r, err)
		}
	}
	if _, err := c.Check(t.Context(), server.URL+"/other", "1.0.0"); err != nil || n.Load() != 2 {
		t.Errorf("%d requests, want one for each address (%v)", n.Load(), err)
	}
	c.at = c.at.Add(-2 * cacheTime)
	if _, err := c.Check(t.Context(), server.URL+"/other", "1.0.0"); err != nil || n.Load() != 3 {
		t.Errorf("%d requests a day later, want another one (%v)", n.Load(), err)
	}
}
