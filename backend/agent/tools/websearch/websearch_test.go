package websearch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"goalpost/backend/agent/tools/websearch"
)

// answers are answers in the three protocols, following their documentation.
var answers = map[string]string{
	websearch.SearXNG: `{"query":"go","number_of_results":2,"results":[
		{"url":"https://go.example/","title":"Go","content":"A  language &amp; more",
		"engine":"x","publishedDate":"2026-01-02"},
		{"url":"","title":"nothing"},{"url":"https://second.example/","title":"Two","content":""}],
		"unresponsive_engines":[["y","timeout"]]}`,
	websearch.Brave: `{"type":"search","query":{"original":"go"},"web":{"type":"search","results":[
		{"title":"Go","url":"https://go.example/","description":"A <strong>language</strong> &amp; more","age":"2026-01-02"},
		{"title":"Two","url":"https://second.example/","description":""}]}}`,
	websearch.Tavily: `{"query":"go","answer":null,"results":[
		{"title":"Go","url":"https://go.example/","content":"A language & more","score":0.9,"published_date":"2026-01-02"},
		{"title":"Two","url":"https://second.example/","content":"","score":0.1}],"response_time":0.5}`,
}

// serve runs an engine of a kind, which rejects requests that the real one would reject.
func serve(t *testing.T, kind string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := fmt.Sprintf("%s %s %s %s%s", r.Method, r.URL, body, r.Header.Get("X-Subscription-Token"),
			r.Header.Get("Authorization"))
		want := map[string]string{
			websearch.SearXNG: "GET /search?format=json&q=go+%26+more  ",
			websearch.Brave:   "GET /res/v1/web/search?count=2&q=go+%26+more  key-1",
			websearch.Tavily:  `POST /search {"max_results":2,"query":"go \u0026 more"} Bearer key-1`,
		}[kind]
		if got != want {
			t.Errorf("%s is asked\n%s\nwant\n%s", kind, got, want)
		}
		_, _ = io.WriteString(w, answers[kind])
	}))
	t.Cleanup(s.Close)
	return s
}

func TestSearch_EachProtocol_ReturnsTheSameHits(t *testing.T) {
	for kind := range answers {
		e := websearch.Engine{Kind: kind, Address: serve(t, kind).URL + "/"}
		if kind != websearch.SearXNG {
			e.Key = "key-1"
		}
		hits, err := e.Search(t.Context(), "go & more", 2)
		want := []websearch.Hit{
			{Title: "Go", URL: "https://go.example/", Extract: "A language & more", Date: "2026-01-02"},
			{Title: "Two", URL: "https://second.example/"},
		}
		if err != nil || !reflect.DeepEqual(hits, want) {
			t.Errorf("%s: %+v, %v", kind, hits, err)
		}
	}
}

func TestSearch_Refusals_SayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		kind   string
		status int
		body   string
		want   string
	}{
		{websearch.SearXNG, 403, "Forbidden", "add json to search.formats"},
		{websearch.Brave, 422, `{"error":{"detail":"invalid token"}}`, "check the key"},
		{websearch.Tavily, 401, `{"detail":{"error":"Unauthorized"}}`, "Unauthorized"},
		{websearch.Brave, 429, "", "request limit"},
		{websearch.SearXNG, 302, "", "check the address"},
		{websearch.SearXNG, 200, "<html>", "is not in the format of searxng"},
		{websearch.Tavily, 200, "{}", "it has no results"},
		{"other", 200, "", `unknown search engine "other"`},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		hits, err := websearch.Engine{Kind: c.kind, Address: s.URL, Key: "secret-key"}.Search(t.Context(), "q", 5)
		s.Close()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-key") {
			t.Errorf("%s %d: %v, %v", c.kind, c.status, hits, err)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, err := (websearch.Engine{Kind: websearch.Brave, Address: gone.URL}).Search(t.Context(), "private words",
		5); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), "private") {
		t.Errorf("%v", err)
	}
}

func TestSearch_NoWebResults_ReturnsNone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"type":"search","query":{}}`)
	}))
	t.Cleanup(s.Close)
	if hits, err := (websearch.Engine{Kind: websearch.Brave, Address: s.URL}).Search(t.Context(), "q", 5); err != nil ||
		len(hits) != 0 {
		t.Errorf("%v, %v", hits, err)
	}
}

func TestBaseURL_NoAddress_IsTheDefault(t *testing.T) {
	for kind, want := range map[string]string{
		websearch.Brave: "https://api.search.brave.com", websearch.Tavily: "https://api.tavily.com", websearch.SearXNG: "",
	} {
		if got := (websearch.Engine{Kind: kind}).BaseURL(); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
