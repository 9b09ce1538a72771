package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/models"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

const rightKey = "sk-right-0123456789abcdef"

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// open returns providers with a settings file and a vault of their own.
func open(t *testing.T) *models.Providers {
	t.Helper()
	home := t.TempDir()
	cfg, err := config.Open(func(name string) string { return map[string]string{config.HomeVariable: home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	mask := &secret.Mask{}
	vault, err := secret.Open(secret.Options{Dir: cfg.State(), Mask: mask, NoKeyring: true})
	if err != nil {
		t.Fatal(err)
	}
	ps := &models.Providers{Config: cfg, Secrets: vault, Mask: mask, Clock: realClock{}, Transport: model.NewTransport()}
	t.Cleanup(func() {
		ps.Transport.CloseIdleConnections()
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	return ps
}

// newProxy passes requests on. It reads each one to its end first: a server whose answer begins while the proxy still
// reads the request closes that request, and the proxy then gives up.
func newProxy(to *url.URL) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(to)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})
}

// serve starts a server with a list of models besides the played one; it returns the base URL.
func serve(t *testing.T, script modeltest.Script, list http.HandlerFunc) string {
	t.Helper()
	played := modeltest.New(t, script)
	to, err := url.Parse(strings.TrimSuffix(played.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", newProxy(to))
	mux.HandleFunc("GET /v1/models", list)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func listOf(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if k := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); k != "" && !strings.HasSuffix(k, rightKey) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + strings.TrimPrefix(k, "Bearer ") +
				`"}}`)) // the client may be gone
			return
		}
		_, _ = w.Write([]byte(body)) // the client may be gone
	}
}

func callsTool(int, modeltest.Request) modeltest.Answer {
	return modeltest.Call("report_ready", map[string]string{"word": "ready"})
}

const twoModels = `{"data":[{"id":"small","context_length":16000},{"id":"gpt-5"},{"id":"text-embedding-3"}]}`

func TestSaveConnection_PastedKey_IsStoredAndTested(t *testing.T) {
	ps := open(t)
	base := serve(t, callsTool, listOf(twoModels))
	typed := strings.TrimPrefix(strings.TrimSuffix(base, "/v1"), "http://") // as users type it
	out, err := ps.SaveConnection(t.Context(), api.ConnectInput{ID: "mine", BaseURL: typed, Key: " " + rightKey + "\n"})
	if err != nil || !out.Saved || !out.Test.OK || out.Place != "file" {
		t.Fatalf("%+v, %v", out, err)
	}
	p, err := ps.Get("mine")
	if err != nil {
		t.Fatal(err)
	}
	if p.BaseURL != base {
		t.Errorf("%s was saved as %s", typed, p.BaseURL)
	}
	if !p.IsReady() || p.Model != out.Test.Model || p.APIKeySecret == "" || p.Test.LatencyMS < 0 || p.Test.Models != 3 {
		t.Errorf("saved %+v with the test %+v", p, p.Test)
	}
	if got, err := ps.Secrets.Get(t.Context(), p.APIKeySecret); got != rightKey || err != nil {
		t.Errorf("the stored key is %q, %v", got, err)
	}
	for _, name := range []string{"settings.json", "secrets.json"} {
		text, err := os.ReadFile(filepath.Join(ps.Config.State(), name))
		if err != nil || strings.Contains(string(text), rightKey) {
			t.Errorf("%s contains the key, or: %v", name, err)
		}
	}
	var steps []string
	for _, s := range out.Test.Steps {
		steps = append(steps, s.ID+" "+string(s.State))
	}
	if got := strings.Join(steps, ", "); got != "reach ok, models ok, tools ok" {
		t.Errorf("steps: %s", got)
	}
	if !strings.Contains(strings.Join(out.Test.Notes, " "), "No price is known") {
		t.Errorf("notes: %q", out.Test.Notes)
	}

	// Another model makes it untested; the stored key stays.
	if _, err := ps.Config.ChangeProvider("mine", func(p *config.Provider) error {
		p.Model = "small"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if p, err = ps.Get("mine"); err != nil || p.IsReady() {
		t.Errorf("ready although another model was tested: %+v, %v", p.Test, err)
	}
	if f := ps.TestProvider(t.Context(), "mine"); f.State != "ok" {
		t.Errorf("%+v", f)
	}
	if p, err = ps.Get("mine"); err != nil || !p.IsReady() || p.Test.Model != "small" {
		t.Errorf("%+v, %v", p.Test, err)
	}
	if err := ps.RemoveProvider(t.Context(), "mine"); err != nil {
		t.Fatal(err)
	}
	if list, err := ps.Secrets.List(); len(list) != 0 || err != nil {
		t.Errorf("the key is still stored: %v, %v", list, err)
	}
}

func TestTryConnection_Failure_NamesTheStepAndWhatToDo(t *testing.T) {
	list := listOf(twoModels)
	says := func(int, modeltest.Request) modeltest.Answer { return modeltest.Say("I would rather talk.") }
	fails := func(status int, words string) modeltest.Script {
		return func(int, modeltest.Request) modeltest.Answer { return modeltest.Fail(status, words) }
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body)) // the client may be gone
		}
	}
	for name, c := range map[string]struct {
		base           string
		in             api.ConnectInput
		step, message  string
		hint, response string
	}{
		"nobody listens": {
			"http://127.0.0.1:1/v1", api.ConnectInput{}, "reach", "Could not reach 127.0.0.1:1.", "running", "",
		},
		"wrong key": {
			serve(t, callsTool, list),
			api.ConnectInput{Key: "sk-wrong-0123456789abcdef"},
			"key", "rejected this key", "Copy it",
			"Incorrect API key provided: [",
		},
		"wrong key, open list": {
			serve(t, fails(401, "bad key"), listOf(twoModels)),
			api.ConnectInput{Key: rightKey},
			"key", "rejected this key",
			"Copy it", "bad key",
		},
		"Gemini's words": {
			serve(t, callsTool, status(400, `[{"error":{"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`)),
			api.ConnectInput{Key: "AIza-0123456789abcdef"},
			"key", "rejected this key", "Copy it", "not valid",
		},
		"no API": {serve(t, callsTool, status(404, "not here")), api.ConnectInput{}, "models", "No API", "/v1", "not here"},
		"a web page": {
			serve(t, callsTool, status(200, "<html>hello")),
			api.ConnectInput{},
			"models", "did not answer with a list", "/v1",
			"hello",
		},
		"no models": {serve(t, callsTool, listOf(`{"data":[]}`)), api.ConnectInput{}, "models", "no model", "download", ""},
		"another model": {
			serve(t, callsTool, list), api.ConnectInput{Model: "large"}, "models", `no model "large"`, "small", "",
		},
		"no tools": {serve(t, says, list), api.ConnectInput{}, "tools", "did not call a tool", "tool calls", "rather talk"},
		"tools refused": {
			serve(t, fails(400, "tools are not supported"), list),
			api.ConnectInput{},
			"tools", "refused", "another model",
			"not supported",
		},
		"broken": {serve(t, fails(500, "oops"), list), api.ConnectInput{}, "tools", "overloaded", "minute", "oops"},
	} {
		t.Run(name, func(t *testing.T) {
			ps := open(t)
			c.in.BaseURL = c.base
			got, err := ps.TryConnection(t.Context(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got.OK || got.Step != c.step || !strings.Contains(got.Message, c.message) ||
				!strings.Contains(got.Hint, c.hint) || !strings.Contains(got.Response, c.response) {
				t.Errorf("%+v", got)
			}
			if c.in.Key != "" && strings.Contains(got.Response, c.in.Key) {
				t.Errorf("the key is shown: %s", got.Response)
			}
			if out, err := ps.SaveConnection(t.Context(), c.in); err != nil || out.Saved || len(ps.Config.Providers()) != 0 {
				t.Errorf("saved after a failed test: %+v, %v", out, err)
			}
		})
	}
}

func TestTryConnection_OnlyList_AsksNoModel(t *testing.T) {
	var asked atomic.Bool
	base := serve(t, func(int, modeltest.Request) modeltest.Answer {
		asked.Store(true)
		return modeltest.Say("not yet")
	}, listOf(twoModels))
	pr := open(t)
	got, err := pr.TryConnection(t.Context(), api.ConnectInput{BaseURL: base, Key: rightKey, OnlyList: true})
	if err != nil {
		t.Fatal(err)
	}
	if asked.Load() || got.OK || got.Step != "" || len(got.Models) != 3 || got.Model == "" {
		t.Errorf("asked %v, got %+v", asked.Load(), got)
	}
	got, err = pr.TryConnection(t.Context(), api.ConnectInput{BaseURL: base, Key: "sk-wrong-0123456789", OnlyList: true})
	if err != nil || got.Step != "key" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTryConnection_QuotaUsedUp_CountsAsConnected(t *testing.T) {
	base := serve(t, func(int, modeltest.Request) modeltest.Answer {
		return modeltest.Fail(429, "insufficient_quota")
	}, listOf(twoModels))
	got, err := open(t).TryConnection(t.Context(), api.ConnectInput{BaseURL: base, Key: rightKey})
	if err != nil || !got.OK || !strings.Contains(got.Message, "quota") || got.Hint == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSaveConnection_BadInput_NamesTheField(t *testing.T) {
	t.Setenv("GOALPOST_TEST_KEY", rightKey)
	t.Setenv("OPENAI_API_KEY", "")
	ps := open(t)
	base := serve(t, callsTool, listOf(twoModels))
	if out, err := ps.SaveConnection(t.Context(), api.ConnectInput{
		ID:      "mine",
		BaseURL: base,
		KeyEnv:  "GOALPOST_TEST_KEY",
	}); err != nil || !out.Saved {
		t.Fatalf("%+v, %v", out, err)
	}
	for field, in := range map[string]api.ConnectInput{
		"preset":   {Preset: "nobody"},
		"base_url": {ID: "x", BaseURL: "http://"},
		"key":      {Preset: "openai"},
		"key_env":  {Preset: "openai", KeyEnv: "GOALPOST_NO_SUCH_KEY"},
		"id":       {ID: "mine", BaseURL: base, New: true},
	} {
		_, err := ps.SaveConnection(t.Context(), in)
		var f *fault.Error
		if !errors.As(err, &f) || f.Field != field || f.Hint == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	// The key of one server is not sent to another one that takes its name.
	_, err := ps.TryConnection(t.Context(), api.ConnectInput{ID: "mine", BaseURL: "http://localhost:1/v1"})
	if f := fault.Of(err); f.Field != "key" || !strings.Contains(f.Message, "127.0.0.1") {
		t.Errorf("%v", err)
	}
}

func TestListModels_OllamaAndCatalog_AreJoined(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", listOf(`{"object":"list","data":[{"id":"qwen3-coder:30b"},{"id":"nomic-embed"}]}`))
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		answer := `{"model_info":{"qwen3.context_length":262144},"capabilities":["completion","tools"]}`
		if in.Model == "nomic-embed" {
			answer = `{"model_info":{"bert.context_length":2048},"capabilities":["embedding"]}`
		}
		_, _ = w.Write([]byte(answer)) // the client may be gone
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	ps := open(t)
	if err := ps.Config.SaveProvider(config.Provider{
		ID:      "o",
		Kind:    config.OpenAI,
		BaseURL: s.URL + "/v1",
		Preset:  "ollama",
		Model:   "qwen3-coder:30b",
	}); err != nil {
		t.Fatal(err)
	}
	list, err := ps.ListModels(t.Context(), "o")
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if m := list[0]; m.ContextWindow != 262_144 || m.WindowFrom != "server" || !m.Free || m.Tools != "yes" ||
		m.Images != "no" || !m.Recommended {
		t.Errorf("%+v", m)
	}
	if p, err := ps.Get("o"); err != nil || !ps.HasPrice(p) {
		t.Errorf("a local model costs nothing: %v", err)
	}
}

func TestWindow_UnknownModel_AsksTheServer(t *testing.T) {
	ps := open(t)
	base := serve(t, callsTool, listOf(`{"data":[{"id":"homegrown","max_model_len":20000},{"id":"silent"}]}`))
	for name, want := range map[string]int{
		"homegrown": 20_000,
		"silent":    model.DefaultContextWindow,
		"gpt-5":     400_000, // known by its name
	} {
		p := config.Provider{ID: "x", Kind: config.OpenAI, BaseURL: base, Model: name}
		if got := ps.Window(t.Context(), p); got != want {
			t.Errorf("window of %s: %d", name, got)
		}
	}
	tested := config.Provider{Model: "gpt-5", Test: &config.ProviderTest{Model: "gpt-5", Window: 8_192}}
	if got := ps.Window(t.Context(), tested); got != 8_192 {
		t.Errorf("the tested window is %d", got)
	}
	if got := ps.Window(t.Context(), models.WithModel(tested, "claude-next")); got != 200_000 {
		t.Errorf("the window of another model is %d", got)
	}
}

func TestHasPrice_UserPriceOrCatalog_Holds(t *testing.T) {
	ps := open(t)
	for name, c := range map[string]struct {
		provider config.Provider
		want     bool
	}{
		"catalog":       {config.Provider{BaseURL: "https://api.deepseek.com/v1", Model: "deepseek-v4-pro"}, true},
		"reports costs": {config.Provider{BaseURL: "https://openrouter.ai/api/v1", Model: "new/one"}, true},
		"user": {config.Provider{
			BaseURL: "https://llm.example/v1",
			Model:   "x",
			Price:   &config.Price{Input: 1, Output: 2},
		}, true},
		"unknown":             {config.Provider{BaseURL: "https://llm.example/v1", Model: "gpt-5"}, false},
		"not on this machine": {config.Provider{BaseURL: "https://llm.example/v1", Model: "x", Preset: "ollama"}, false},
	} {
		if got := ps.HasPrice(c.provider); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestListModels_Hostile_IsBounded(t *testing.T) {
	ps := open(t)
	for name, body := range map[string]string{
		"deep":    `{"data":` + strings.Repeat("[", 20_000),
		"numbers": `{"data":[1,"x",null,{"id":7},{"id":"ok","context_length":-5}]}`,
		"long id": `{"data":[{"id":"` + strings.Repeat("x", 5_000) + `"}]}`,
	} {
		base := serve(t, callsTool, listOf(body))
		if err := ps.Config.SaveProvider(config.Provider{ID: "h", Kind: config.OpenAI, BaseURL: base}); err != nil {
			t.Fatal(err)
		}
		list, err := ps.ListModels(t.Context(), "h")
		if (err != nil) != (name == "deep") || slices.ContainsFunc(list, func(m api.ModelView) bool { return m.ID != "ok" }) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ps.ListModels(ctx, "h"); err == nil {
		t.Error("an ended context asks on")
	}
}

func TestTryConnection_Responses_UsesThemAndFallsBackToChat(t *testing.T) {
	var mu sync.Mutex
	used := map[bool]int{}
	script := func(_ int, r modeltest.Request) modeltest.Answer {
		mu.Lock()
		used[r.Responses]++
		mu.Unlock()
		return callsTool(0, r)
	}
	kind := string(config.OpenAIResponses)
	base := serve(t, script, listOf(twoModels))
	got, err := open(t).TryConnection(t.Context(), api.ConnectInput{Kind: kind, BaseURL: base, Key: rightKey})
	if err != nil || !got.OK || used[true] == 0 || used[false] != 0 {
		t.Errorf("%+v, %v; used %v", got, err, used)
	}
	to, err := url.Parse(strings.TrimSuffix(base, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	clear(used)
	mux := http.NewServeMux()
	mux.Handle("/", newProxy(to))
	mux.HandleFunc("/v1/responses", http.NotFound)
	chat := httptest.NewServer(mux)
	t.Cleanup(chat.Close)
	in := api.ConnectInput{Kind: kind, BaseURL: chat.URL + "/v1", Key: rightKey}
	if got, err = open(t).TryConnection(t.Context(), in); err != nil || !got.OK || used[false] == 0 {
		t.Errorf("without responses: %+v, %v; used %v", got, err, used)
	}
}

func TestTryConnection_OlderAzureAddress_SendsItsKeyAndVersion(t *testing.T) {
	const deployment = "/openai/deployments/mine"
	played, err := url.Parse(strings.TrimSuffix(modeltest.New(t, callsTool).URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := newProxy(played)
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+deployment+"/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Api-Key") != rightKey || r.Header.Get("Authorization") != "" ||
			r.URL.RawQuery != "api-version=2025-01-01" {
			t.Errorf("the request has the headers %v and the query %q", r.Header, r.URL.RawQuery)
		}
		r.URL.Path = "/v1/chat/completions"
		r.Header.Set("Authorization", "Bearer "+rightKey)
		proxy.ServeHTTP(w, r)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	in := api.ConnectInput{
		Preset:  "azure",
		BaseURL: s.URL + deployment + "?api-version=2025-01-01",
		Model:   "mine",
		Key:     rightKey,
	}
	if got, err := open(t).TryConnection(t.Context(), in); err != nil || !got.OK {
		t.Errorf("%+v, %v", got, err)
	}
}

// setClock is a clock that a test sets.
type setClock struct {
	realClock
	at time.Time
}

func (s *setClock) Now() time.Time { return s.at }

// TestWindow_ServerDoesNotSay_IsAskedAgainLater: each start of a goal needs the window.
func TestWindow_ServerDoesNotSay_IsAskedAgainLater(t *testing.T) {
	ps := open(t)
	clock := &setClock{at: time.Now()}
	ps.Clock = clock
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			asked++
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"silent"}]}`)) // the client may be gone
	}))
	t.Cleanup(s.Close)
	p := config.Provider{ID: "x", Kind: config.OpenAI, BaseURL: s.URL + "/v1", Model: "silent"}
	for i, want := range []int{1, 1, 2, 2} {
		if i == 2 {
			clock.at = clock.at.Add(11 * time.Minute)
		}
		if got := ps.Window(t.Context(), p); got != model.DefaultContextWindow || asked != want {
			t.Errorf("look %d: a window of %d, %d requests, want %d", i, got, asked, want)
		}
	}
}
