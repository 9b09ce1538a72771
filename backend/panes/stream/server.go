package stream

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Close codes of this protocol in addition to those of WebSocket.
const (
	CloseNotFound = 4404 // no such pane
)

// Protocol is the subprotocol that the server selects.
const Protocol = "goalpost.v1"

// Options describe what is streamed and to which pages.
type Options struct {
	Origins   []string // exact values of the Origin header; empty means the window's own
	Log       *slog.Logger
	Events    EventSource
	Pages     Pages
	Terminals Terminals
	Browsers  Browsers
	Files     Files
	// Ping is how often a silent page is pinged, and how long it may take to answer. 0 means 30 s.
	Ping time.Duration
	// Stall is how long sending one message may take. 0 means 10 s.
	Stall time.Duration
	// Buffer is how many events a page may lag behind. 0 means 1024.
	Buffer int
}

// Server is a running stream server. All methods may be called concurrently.
type Server struct {
	o     Options
	token string
	url   string
	http  *http.Server

	conns    *Connections
	accepted chan struct{} // closed when the accept loop has ended
}

// URL is ws://127.0.0.1:PORT, "" for a detached server.
func (s *Server) URL() string { return s.url }

// Token is 256 random bits in hex, new for each server.
func (s *Server) Token() string { return s.token }

// Close sends every page a close message and returns when all goroutines have ended. A page that does not answer is
// cut off when ctx ends; an error is then returned.
func (s *Server) Close(ctx context.Context) error {
	err := s.conns.Close(ctx, func() {
		if s.http != nil {
			_ = s.http.Close() // the listener and idle connections; sockets are hijacked
		}
		<-s.accepted
	})
	if err != nil {
		return fmt.Errorf("closing the stream: %w", err)
	}
	return nil
}
