// Package stream is the loopback server for all data between the program and its page: events, terminal bytes,
// browser frames and the user's input to panes; docs/stream.md describes it. It listens on 127.0.0.1 only, and
// accepts only requests with the run's token, an allowed origin and a loopback Host header.
package stream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Open starts listening. ctx limits the start, not the life of the server.
func Open(ctx context.Context, o Options) (*Server, error) {
	o.defaults()
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("making the stream's token: %w", err)
	}
	s := &Server{o: o, token: hex.EncodeToString(secret), conns: NewConnections(ctx), accepted: make(chan struct{})}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the loopback stream: %w", err)
	}
	s.url = "ws://" + l.Addr().String()
	s.http = &http.Server{
		Handler:           s.authorize(s.endpoints()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(s.accepted)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			o.Log.Error("the loopback stream stopped", "err", err)
		}
	}()
	return s, nil
}

func (o *Options) defaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Origins) == 0 {
		o.Origins = []string{"wails://wails", "wails://wails.localhost"}
	}
	if o.Ping == 0 {
		o.Ping = 30 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = 10 * time.Second
	}
	if o.Buffer == 0 {
		o.Buffer = 1024
	}
}

// Handler serves the same endpoints under /v1/ on another server. auth replaces the checks of token, origin and host:
// it must check all that is necessary there.
func (s *Server) Handler(auth func(*http.Request) bool) http.Handler {
	next := s.endpoints()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !auth(r) {
			s.refuse(w, r, "not authenticated")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) endpoints() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("GET /v1/terminal/{pane}", s.terminal)
	mux.HandleFunc("GET /v1/browser/{pane}", s.browser)
	mux.HandleFunc("GET /v1/file/{pane}", s.file)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, "no such endpoint") })
	return mux
}
