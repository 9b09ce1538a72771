package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"goalpost/backend/domain/event"
)

// RemotePane is a pane in another process of this user. That process uses the same protocol, so messages are relayed
// unchanged.
type RemotePane struct {
	Pane string // its id in that process
	Dial Dial
}

// Dial connects to another process.
type Dial func(ctx context.Context) (net.Conn, error)

// maxPeerMessage is the limit for a message of a peer, in bytes: a frame is the largest.
const maxPeerMessage = 32 << 20

func (d Dial) connect(ctx context.Context, path string) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return d(ctx) }}
	ws, _, err := websocket.Dial(ctx, "ws://peer"+path, &websocket.DialOptions{ //nolint:bodyclose // Dial closes it
		Subprotocols: []string{Protocol}, HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		return nil, fmt.Errorf("another process: %w", err)
	}
	ws.SetReadLimit(maxPeerMessage)
	return ws, nil
}

// relayRemote serves the pane if it belongs to another process.
func (s *Server) relayRemote(w http.ResponseWriter, r *http.Request, kind string, limit int64) bool {
	if s.o.FindRemotePane == nil {
		return false
	}
	e, ok := s.o.FindRemotePane(r.PathValue("pane"))
	if !ok {
		return false
	}
	s.open(w, r, limit, func(c *socket) (connHandlers, error) {
		path := "/v1/" + kind + "/" + url.PathEscape(e.Pane)
		if q := r.URL.RawQuery; q != "" {
			path += "?" + q
		}
		ctx, cancel := context.WithTimeout(c.ctx, s.o.Stall)
		defer cancel()
		ws, err := e.Dial.connect(ctx, path)
		if err != nil {
			return connHandlers{}, err
		}
		return connHandlers{
			receive: func(kind websocket.MessageType, data []byte) error {
				ctx, cancel := context.WithTimeout(c.ctx, s.o.Stall)
				defer cancel()
				if err := ws.Write(ctx, kind, data); err != nil {
					return remoteClosed(err)
				}
				return nil
			},
			send:    func(ctx context.Context) error { return c.relay(ctx, ws) },
			release: func() { _ = ws.CloseNow() },
		}, nil
	})
	return true
}

func (s *socket) relay(ctx context.Context, ws *websocket.Conn) error {
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			return remoteClosed(err)
		}
		if err := s.write(ctx, kind, data); err != nil {
			return err
		}
	}
}

// remoteClosed is the close message for the page when the other process ends the connection.
func remoteClosed(err error) error {
	var closeErr websocket.CloseError
	if errors.As(err, &closeErr) && closeErr.Code == CloseNotFound {
		return closeWith(closeErr.Code, "%s", closeErr.Reason)
	}
	return closeWith(CloseNotFound, "the process that showed this pane has ended")
}

// WatchRemotePanes reports the panes of another process until ctx or that process ends. hello is called first: from
// then on no change is missed.
func WatchRemotePanes(ctx context.Context, dial Dial, hello func() error, changed func(*event.Pane)) error {
	ws, err := dial.connect(ctx, "/v1/events")
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		_, data, err := ws.Read(ctx)
		if err != nil {
			return fmt.Errorf("another process: %w", err)
		}
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(data, &head); err != nil {
			return fmt.Errorf("another process: %w", err)
		}
		switch head.Type {
		case "hello":
			if err := hello(); err != nil {
				return err
			}
		case (&event.Pane{}).EventType():
			var e event.Event
			if err := json.Unmarshal(data, &e); err != nil {
				return fmt.Errorf("another process: %w", err)
			}
			if p, ok := e.Body.(*event.Pane); ok && p.Workspaces == nil {
				changed(p)
			}
		}
	}
}
