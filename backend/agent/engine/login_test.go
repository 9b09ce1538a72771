package engine_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/engine"
)

// loginOf returns the sign-in of an agent.
func loginOf(t *testing.T, id string) engine.Login {
	t.Helper()
	p, ok := engine.FindProfile(engine.Profiles(), id)
	if !ok || p.Login == nil {
		t.Fatalf("%s has no sign-in", id)
	}
	return *p.Login
}

// TestLogin_OfEachAgent_LosesItsRefreshToken: an agent gets what it needs to ask its provider. A refresh token that is
// replaced with each use stays with the user: used in the sandbox, it would end the user's own sign-in.
func TestLogin_OfEachAgent_LosesItsRefreshToken(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	jwt := "head." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, later.Unix())) + ".sign"
	for _, c := range []struct {
		id, file, hosts string
		keeps, loses    string
		expires         bool
	}{
		{
			"claude", fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"a-token","refreshToken":"r-token","expiresAt":%d},
				"mcpOAuth":{"x":"o-token"}}`, later.UnixMilli()), "api.anthropic.com", "a-token", "r-token o-token", true,
		},
		{
			"codex", `{"OPENAI_API_KEY":"k-key","tokens":{"access_token":"` + jwt + `","refresh_token":"r-token",
				"id_token":"i-token","account_id":"x"},"last_refresh":"2020-01-01T00:00:00Z"}`,
			"chatgpt.com", jwt + " i-token", "r-token k-key 2020-01-01", true,
		},
		{"codex", `{"OPENAI_API_KEY":"k-key","tokens":null}`, "api.openai.com", "k-key", "", false},
		{
			"gemini", `{"access_token":"a-token","refresh_token":"r-token","expiry_date":1}`,
			"cloudcode-pa.googleapis.com oauth2.googleapis.com www.googleapis.com", "a-token r-token", "", false,
		},
		{
			"opencode", fmt.Sprintf(`{"openai":{"type":"oauth","refresh":"r-token","access":"a-token","expires":%d}}`,
				later.UnixMilli()), "chatgpt.com", "a-token", "r-token", true,
		},
		{
			"opencode", `{"groq":{"type":"api","key":"k-key"},"elsewhere":{"type":"api","key":"o-key"},
				"github-copilot":{"type":"oauth","refresh":"r-token","access":"","expires":0}}`,
			"api.githubcopilot.com api.github.com api.groq.com", "k-key r-token", "o-key", false,
		},
	} {
		got, err := loginOf(t, c.id).Parse([]byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		for _, word := range strings.Fields(c.keeps) {
			if !strings.Contains(string(got.File), word) || !slices.Contains(got.Secrets, word) {
				t.Errorf("%s gets %s, and hidden are %v; want %s", c.id, got.File, got.Secrets, word)
			}
		}
		for _, word := range strings.Fields(c.loses) {
			if strings.Contains(string(got.File), word) {
				t.Errorf("%s gets %s in %s", c.id, word, got.File)
			}
		}
		if got.Expires.IsZero() == c.expires || c.expires && !got.Expires.Equal(later) {
			t.Errorf("%s: it ends at %v", c.id, got.Expires)
		}
		if hosts := strings.Join(slices.Concat(loginOf(t, c.id).Hosts, got.Hosts), " "); hosts != c.hosts {
			t.Errorf("%s reaches %s", c.id, hosts)
		}
	}
}

// TestLogin_Unusable_SaysWhy: a missing file, one without tokens, one that is something else, and one that has ended.
func TestLogin_Unusable_SaysWhy(t *testing.T) {
	now := time.Now()
	none := func(string) string { return "" }
	for _, p := range engine.Profiles() {
		home := t.TempDir()
		read := func(text string) error {
			path := filepath.Join(home, p.Login.File)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := p.Login.Read(home, none, now)
			return err
		}
		if _, err := p.Login.Read(home, none, now); !errors.Is(err, engine.ErrNoLogin) {
			t.Errorf("%s without a file: %v", p.ID, err)
		}
		if err := read(`{}`); !errors.Is(err, engine.ErrNoLogin) {
			t.Errorf("%s without tokens: %v", p.ID, err)
		}
		if err := read(`a-secret-word`); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%s with another form: %v", p.ID, err)
		}
		if p.Login.Advice() == "" || !strings.Contains(p.Login.Advice(), p.Login.Command) {
			t.Errorf("%s: the advice is %q", p.ID, p.Login.Advice())
		}
	}
	dir := t.TempDir()
	file := fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"a","expiresAt":%d}}`, now.Add(-time.Minute).UnixMilli())
	if err := os.WriteFile(filepath.Join(dir, ".credentials.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	moved := func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": dir}[name] }
	_, err := loginOf(t, "claude").Read(t.TempDir(), moved, now)
	if err == nil || !strings.Contains(err.Error(), "ended at") {
		t.Errorf("a sign-in that has ended: %v", err)
	}
}
