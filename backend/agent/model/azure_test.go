package model_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/agent/model"
)

// serve starts a server and returns its address.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// TestHostedEndpoints_EachProvider_GetsItsForm checks the address, the key, and the name of the output limit. Every
// host name leads to a server on this machine.
func TestHostedEndpoints_EachProvider_GetsItsForm(t *testing.T) {
	const old = "/openai/deployments/gpt/chat/completions?api-version="
	for base, want := range map[string]struct{ uri, header string }{
		"http://r.openai.azure.com/openai/v1":                               {"/openai/v1/chat/completions", "Authorization"},
		"http://r.services.ai.azure.com/openai/v1/":                         {"/openai/v1/chat/completions", "Authorization"},
		"http://r.openai.azure.com/openai/deployments/gpt":                  {old + "2024-10-21", "Api-Key"},
		"http://r.openai.azure.com/openai/deployments/gpt/":                 {old + "2024-10-21", "Api-Key"},
		"http://gateway.example/openai/deployments/gpt?api-version=2025-01": {old + "2025-01", "Api-Key"},
		"http://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1":          {"/openai/v1/chat/completions", "Authorization"},
	} {
		var mu sync.Mutex
		var got *http.Request
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			got = r
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(chunks("stop", `{"content":"<reasoning>hm</reasoning>hi"}`))) // as gpt-oss on Bedrock
		})
		wire := model.NewTransport()
		wire.Proxy = nil
		wire.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", strings.TrimPrefix(server, "http://"))
		}
		t.Cleanup(wire.CloseIdleConnections)
		c, err := model.NewOpenAI(model.Options{
			BaseURL:   base,
			Model:     "gpt",
			APIKey:    key,
			Transport: wire,
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Turn(t.Context(), turn(), nil)
		if err != nil || r.Text != "hi" {
			t.Fatalf("%s: %+v, %v", base, r, err)
		}
		mu.Lock()
		if got.RequestURI != want.uri {
			t.Errorf("%s leads to %s, want %s", base, got.RequestURI, want.uri)
		}
		for header, value := range map[string]string{"Authorization": "Bearer " + key, "Api-Key": key} {
			if header != want.header {
				value = ""
			}
			if sent := got.Header.Get(header); sent != value {
				t.Errorf("%s: %s is %q", base, header, sent)
			}
		}
		mu.Unlock()
	}
}
