package stream

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/coder/websocket"

	"goalpost/backend/domain/event"
)

// events sends every event from hello on. It subscribes before it sends hello, so that a snapshot requested
// afterwards may overlap but has no gap.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	const limit = 4 << 10
	s.open(w, r, limit, func(c *socket) (connHandlers, error) {
		sub := s.o.Events.SubscribeReliable(s.o.Buffer)
		return connHandlers{
			receive: func(websocket.MessageType, []byte) error { return nil }, // there are no requests on this endpoint
			send:    func(ctx context.Context) error { return c.sendEvents(ctx, sub) },
			release: sub.Close,
		}, nil
	})
}

func (s *socket) sendEvents(ctx context.Context, sub *event.Subscription) error {
	if err := s.write(ctx, websocket.MessageText, []byte(`{"type":"hello"}`)); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-sub.C:
			if !open {
				return closeWith(websocket.StatusTryAgainLater, "too slow: take the snapshot again")
			}
			b, err := json.Marshal(e)
			if err != nil {
				s.s.o.Log.Error("an event could not be encoded", "type", e.Body.EventType(), "err", err)
				return closeWith(websocket.StatusTryAgainLater, "an event was missed: take the snapshot again")
			}
			if err := s.write(ctx, websocket.MessageText, b); err != nil {
				return err
			}
		}
	}
}
