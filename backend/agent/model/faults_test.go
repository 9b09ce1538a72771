package model_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/domain/goal"
)

// TestFault_OfEachKind_WaitsOrAsks asks servers that fail in real ways: what can pass is waited for, and only what
// cannot asks the user.
func TestFault_OfEachKind_WaitsOrAsks(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	answer := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		}
	}
	fails := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, status) }
	}
	hangsUp := func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	}
	for name, test := range map[string]struct {
		url     string
		handler http.HandlerFunc
		remedy  model.Remedy
		says    string
	}{
		"refused":           {url: closed.URL, remedy: model.Wait, says: "is the server running"},
		"no such host":      {url: "http://nothing.invalid", remedy: model.Wait, says: "is this computer online"},
		"hangs up":          {handler: hangsUp, remedy: model.Wait, says: "closed the connection"},
		"bad gateway":       {handler: fails(502, "<html>Bad Gateway</html>"), remedy: model.Wait, says: "502"},
		"too many requests": {handler: fails(429, "slow down"), remedy: model.Wait, says: "rate limited"},
		"login page":        {handler: answer("text/html", "<html>Sign in</html>"), remedy: model.Wait, says: "sign in"},
		"garbage":           {handler: answer("application/json", "\x00\x01"), remedy: model.Wait, says: "unreadable"},
		"garbage stream":    {handler: answer("text/event-stream", "data: {\n\ndata: }\n\n"), remedy: model.Wait},
		"gzip bomb":         {handler: serveBomb(t), remedy: model.Wait, says: "more than"},
		"wrong key":         {handler: fails(401, "who are you"), remedy: model.AskUser, says: "key"},
		"no credit": {
			handler: fails(429, `{"error":{"code":"insufficient_quota"}}`), remedy: model.AskUser, says: "credit",
		},
		"quota that comes back": {
			handler: fails(429, `{"error":{"type":"usage_limit_reached","resets_in_seconds":7200}}`), remedy: model.Wait,
		},
		"no such model": {handler: fails(404, "no"), remedy: model.AskUser, says: "model's name"},
		"policy": {
			handler: fails(400, `{"error":{"code":"content_filter"}}`), remedy: model.AskUser, says: "other words",
		},
		"redirect": {
			handler: http.RedirectHandler("https://elsewhere.test/v1", http.StatusFound).ServeHTTP, remedy: model.AskUser,
			says: "new address",
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := test.url
			if test.handler != nil {
				s := httptest.NewServer(test.handler)
				t.Cleanup(s.Close)
				url = s.URL
			}
			expectRemedy(t, url, nil, test.remedy, test.says)
		})
	}
}

// serveBomb serves an event stream of 65 MiB, compressed to a few kilobytes.
func serveBomb(t *testing.T) http.HandlerFunc {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	line := append([]byte(":"), append(bytes.Repeat([]byte("x"), 1<<20), '\n')...)
	for range 65 {
		if _, err := z.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}

// expectRemedy asks a server through Retry, whose waits end at once.
func expectRemedy(t *testing.T, url string, wire *http.Transport, want model.Remedy, says string) {
	t.Helper()
	if wire == nil {
		wire = model.NewTransport()
	}
	t.Cleanup(wire.CloseIdleConnections)
	c, err := model.NewOpenAI(model.Options{BaseURL: url, Model: "small", Transport: wire})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.Retry{
		Model: c, Clock: &hourglass{}, Budget: model.Budget{Tries: 1},
	}.Turn(t.Context(), turn(), nil)
	var away *goal.Unavailable
	e, ok := model.AsError(err)
	if !ok || e.Remedy() != want || errors.As(err, &away) != (want == model.Wait) ||
		!strings.Contains(err.Error(), says) || e.Hint == "" {
		t.Errorf("want %s and %q: %v", want, says, err)
	}
}

// TestCertificate_NotAccepted_SaysWhatToDo: none of these messages asks whether the server runs.
func TestCertificate_NotAccepted_SaysWhatToDo(t *testing.T) {
	serve := func(change func(*tls.Config)) *httptest.Server {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		change(s.TLS)
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	usual := serve(func(*tls.Config) {})
	now := time.Now()
	past := serve(func(c *tls.Config) { c.Certificates = selfSigned(t, now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1)) })
	future := serve(func(c *tls.Config) { c.Certificates = selfSigned(t, now.AddDate(0, 0, 1), now.AddDate(1, 0, 0)) })
	trusting := model.NewTransport()
	trusting.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	trusting.TLSClientConfig.RootCAs.AddCert(usual.Certificate())
	_, port, err := net.SplitHostPort(usual.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	expectRemedy(t, usual.URL, nil, model.AskUser, "SSL_CERT_FILE")
	expectRemedy(t, "https://localhost:"+port, trusting, model.AskUser, "check the base URL")
	expectRemedy(t, past.URL, nil, model.AskUser, "it ended on")
	expectRemedy(t, future.URL, nil, model.AskUser, "check the clock")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	expectRemedy(t, strings.Replace(plain.URL, "http:", "https:", 1), nil, model.AskUser, "base URL with http://")
}

// selfSigned makes a certificate for 127.0.0.1.
func selfSigned(t *testing.T, from, to time.Time) []tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
}
