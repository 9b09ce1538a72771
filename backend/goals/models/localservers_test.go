package models

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/storage/config"
)

func TestProbeServers_OnlyModelServers_AreFound(t *testing.T) {
	answer := func(body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("a key was sent")
			}
			_, _ = w.Write([]byte(body)) // the client may be gone
		}))
		t.Cleanup(s.Close)
		return s.URL + "/v1"
	}
	ps := &Providers{Transport: model.NewTransport()}
	t.Cleanup(ps.Transport.CloseIdleConnections)
	found := ps.probeServers(t.Context(), []config.Preset{
		{ID: "page", Kind: config.OpenAI, BaseURL: answer("<html>a website</html>")},
		{ID: "ollama", Name: "Ollama", Kind: config.OpenAI, BaseURL: answer(`{"data":[{"id":"a"},{"id":"b"}]}`)},
		{ID: "off", Kind: config.OpenAI, BaseURL: "http://127.0.0.1:1/v1"},
		{ID: "json", Kind: config.OpenAI, BaseURL: answer(`{"status":"ok"}`)},
	})
	if len(found) != 1 || found[0].Preset != "ollama" || len(found[0].Models) != 2 {
		t.Errorf("%+v", found)
	}
	for _, p := range config.Presets() {
		if p.IsLocal && !isLoopback(p.BaseURL) {
			t.Errorf("%s is looked for at %s", p.ID, p.BaseURL)
		}
	}
}
