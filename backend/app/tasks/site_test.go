package tasks_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const pages = "../../panes/browser/fixtures/tasks"

// site serves the pages and judges what they send. Its code is random, so an agent can only learn it by reading.
type site struct {
	*httptest.Server
	other string // the same pages under another origin, for frames of another site
	// the same pages at another port, at a company's address and at its login server
	port, company, subdomain string
	secure                   *httptest.Server // the same pages, with a certificate that nobody trusts
	code                     string

	mu   sync.Mutex
	sent map[string]string // by task
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{code: fmt.Sprint(100000 + rand.IntN(900000)), sent: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tasks/{page...}", guarded(s.page))
	mux.HandleFunc("POST /solved/{task}", s.judge)
	mux.HandleFunc("GET /report.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
		_, _ = fmt.Fprintf(w, "The number of the report is %s.\n", s.code)
	})
	mux.HandleFunc("GET /late", func(w http.ResponseWriter, r *http.Request) {
		select { // a slow server
		case <-time.After(1500 * time.Millisecond):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, s.code)
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) != "ann:let me in" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "member", Value: s.code, HttpOnly: true, Path: "/"})
	})
	mux.HandleFunc("GET /member", func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("member"); err == nil {
			_, _ = io.WriteString(w, c.Value)
		}
	})
	s.Server, s.secure = httptest.NewServer(mux), httptest.NewTLSServer(mux)
	second := httptest.NewServer(mux)
	t.Cleanup(func() {
		s.Close()
		s.secure.Close()
		second.Close()
	})
	s.port = second.URL
	s.company = strings.Replace(s.URL, "127.0.0.1", "shop.localhost", 1)
	s.subdomain = strings.Replace(s.URL, "127.0.0.1", "login.shop.localhost", 1)
	s.other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s
}

func (s *site) page(w http.ResponseWriter, r *http.Request) {
	name := path.Clean("/" + r.PathValue("page"))
	if strings.HasPrefix(name, "/routes/") { // these addresses exist only in the page's script
		name = "/routes.html"
	}
	content, err := os.ReadFile(filepath.Join(pages, name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kinds := map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css"}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	_, _ = strings.NewReplacer("__CODE__", s.code, "__OTHER__", s.other, "__PORT__", s.port,
		"__SUBDOMAIN__", s.subdomain).WriteString(w, string(content))
}

func (s *site) judge(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("task")
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.sent[name] = string(body)
	s.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	for _, t := range all {
		if t.name == name && strings.ReplaceAll(t.want, "CODE", s.code) == string(body) {
			_, _ = io.WriteString(w, "Solved")
			return
		}
	}
	_, _ = fmt.Fprintf(w, "Wrong: %s", body)
}

// got returns what the page of a task sent last.
func (s *site) got(task string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[task]
}
