package stream

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"goalpost/backend/lib/fault"
)

// maxFileChunk is how many bytes of a file one message has, so that a page can draw between two of them.
const maxFileChunk = 1 << 20

// fileUpdate announces a content, whose bytes follow in binary messages.
type fileUpdate struct {
	T        string `json:"t"`
	Version  string `json:"version"`
	Size     int    `json:"size"`
	Problem  string `json:"problem,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"`
	Target   string `json:"target,omitempty"`
}

// file sends a page what a text file holds, again after each change.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	const maxReceived = 1 << 10 // the page sends nothing
	s.open(w, r, maxReceived, func(c *socket) (connHandlers, error) {
		v, err := s.o.Files.Attach(r.PathValue("pane"))
		if err != nil {
			return connHandlers{}, err
		}
		ignore := func(websocket.MessageType, []byte) error { return nil }
		send := func(ctx context.Context) error { return sendFile(ctx, c, v) }
		return connHandlers{receive: ignore, send: send, release: v.Close}, nil
	})
}

func sendFile(ctx context.Context, c *socket, v FileViewer) error {
	for {
		content, err := v.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return closeWith(CloseNotFound, "%s", fault.Of(err).Message)
		}
		err = c.writeJSON(ctx, fileUpdate{
			T: "file", Version: content.Version, Size: len(content.Text), Problem: content.Problem,
			ReadOnly: content.IsReadOnly, Target: content.Target,
		})
		for rest := content.Text; err == nil && len(rest) > 0; {
			n := min(len(rest), maxFileChunk)
			err = c.write(ctx, websocket.MessageBinary, rest[:n])
			rest = rest[n:]
		}
		if err != nil {
			return err
		}
	}
}
