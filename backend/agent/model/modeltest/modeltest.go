// Package modeltest is a local server with the streaming protocols of OpenAI-compatible /chat/completions, of OpenAI's
// /responses and of Anthropic's /messages. It imitates the quirks of real servers, and errors on request. It replaces a
// provider in tests; nothing leaves the machine.
package modeltest

import (
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Script decides the server's answer to its n-th request, counted from 0. It is not called concurrently.
type Script func(n int, req Request) Answer

// Server is a running provider. All methods may be called concurrently.
type Server struct {
	URL string // base URL for the client, ends with /v1

	script Script
	http   *httptest.Server
	quit   chan struct{}

	mu       sync.Mutex
	requests []Request
}

// New starts a server that runs until the test ends.
func New(tb testing.TB, script Script) *Server {
	tb.Helper()
	s := &Server{script: script, quit: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete(parseRequest))
	mux.HandleFunc("POST /v1/responses", s.complete(parseResponses))
	mux.HandleFunc("POST /v1/messages", s.complete(parseMessages))
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	tb.Cleanup(func() {
		close(s.quit)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Requests returns the requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) complete(parse func(http.Header, []byte) (Request, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client disconnected
		}
		req, err := parse(r.Header, body)
		if err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(
				[]byte(`{"type":"error","error":{"message":` + quoteJSON(err.Error()) + `,"type":"invalid_request_error"}}`))
			return
		}
		req.Header, req.Body = r.Header.Clone(), body
		s.play(w, r, req, s.next(req))
	}
}

// next notes a request and returns its answer. A script that fails its test ends this goroutine, so the lock must be
// released then, too: the test would wait for it instead of reporting why.
func (s *Server) next(req Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	return s.script(len(s.requests)-1, req)
}

// play sends an answer to the client.
func (s *Server) play(w http.ResponseWriter, r *http.Request, req Request, a Answer) {
	if a.Wait != nil {
		select {
		case <-a.Wait:
		case <-r.Context().Done():
			return
		case <-s.quit:
			return
		}
	}
	kind := a.ContentType
	if kind == "" {
		kind = "text/event-stream"
		if a.Status != 0 {
			kind = "application/json"
		}
	}
	w.Header().Set("Content-Type", kind)
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body)) // the client may have disconnected
		return
	}
	if a.Raw != "" {
		_, _ = w.Write([]byte(a.Raw))
		return
	}
	events := a.chunks(req)
	switch {
	case req.Anthropic:
		events = a.blocks(req)
	case req.Responses:
		events = a.items(req)
	}
	s.stream(w, r, a, events)
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, a Answer, events iter.Seq[frame]) {
	end := "\n"
	if a.Quirks.CRLF {
		end = "\r\n"
	}
	flusher := http.NewResponseController(w)
	if a.Hang || a.KeepOpen {
		defer func() {
			select {
			case <-r.Context().Done():
			case <-s.quit:
			}
		}()
	}
	sent := 0
	for f := range events {
		if a.CutAfter > 0 && sent == a.CutAfter {
			panic(http.ErrAbortHandler) // breaks the connection without ending the response
		}
		sent++
		e := "data: " + f.data
		if f.name != "" {
			e = "event: " + f.name + end + e
		}
		if a.Quirks.Comments {
			e = ": keep-alive" + end + end + e
		}
		if _, err := w.Write([]byte(e + end + end)); err != nil {
			return
		}
		if flusher.Flush() != nil {
			return
		}
	}
}
