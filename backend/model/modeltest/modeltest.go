// Package modeltest is a local server with the streaming protocols of OpenAI-compatible /chat/completions, of OpenAI's
// /responses and of Anthropic's /messages. It imitates the quirks of real servers, and errors on request. It replaces a provider in
// tests; nothing leaves the machine.
package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/goal"
)

// Script decides the server's answer to its n-th request, counted from 0. It is not called concurrently.
type Script func(n int, req Request) Answer

// Request is a client's request.
type Request struct {
	Model        string
	Messages     []goal.Message // the system prompt comes first, with the role system
	Tools        []string       // names, in the order sent
	Stream       bool
	IncludeUsage bool
	Effort       string
	Anthropic    bool // in Anthropic's protocol
	Responses    bool // in the Responses API
	Header       http.Header
	Body         []byte
}

// Last is the newest message of the conversation, empty if there is none.
func (r Request) Last() goal.Message {
	if len(r.Messages) == 0 {
		return goal.Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Server is a running provider. All methods may be called concurrently.
type Server struct {
	URL string // base URL for the client, ends with /v1

	script Script
	http   *httptest.Server
	quit   chan struct{}

	mu   sync.Mutex
	seen []Request
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

// Requests are the requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
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
		s.mu.Lock()
		n := len(s.seen)
		s.seen = append(s.seen, req)
		answer := s.script(n, req)
		s.mu.Unlock()
		s.play(w, r, req, answer)
	}
}

type wireRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       goal.Role       `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Effort        string `json:"reasoning_effort"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func parseRequest(_ http.Header, body []byte) (Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, err
	}
	req := Request{Model: w.Model, Stream: w.Stream, IncludeUsage: w.StreamOptions.IncludeUsage, Effort: w.Effort}
	for _, m := range w.Messages {
		msg := goal.Message{Role: m.Role, CallID: m.ToolCallID}
		msg.Text, msg.Images = parseContent(m.Content)
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, goal.Call{ID: c.ID, Tool: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, msg)
	}
	for _, t := range w.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	return req, nil
}

// parseContent reads content that is a string or a list of parts.
func parseContent(raw json.RawMessage) (words string, images [][]byte) {
	if json.Unmarshal(raw, &words) == nil {
		return words, nil
	}
	var parts []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	for _, p := range parts {
		words += p.Text
		if _, data, ok := strings.Cut(p.Image.URL, ";base64,"); ok {
			images = append(images, decodeImage(data)...)
		}
	}
	return words, images
}

// decodeImage returns no image for data that is not base64.
func decodeImage(data string) [][]byte {
	image, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil
	}
	return [][]byte{image}
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
