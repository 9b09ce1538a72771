package stream

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// events sends every event from hello on. It subscribes before it sends hello, so that a snapshot requested
// afterwards may overlap but has no gap.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	const limit = 4 << 10
	s.open(w, r, limit, func(c *socket) (connHandlers, error) {
		sub := s.o.Events.SubscribeReliable(s.o.Buffer)
		page := s.o.Pages.Open()
		return connHandlers{
			receive: func(_ websocket.MessageType, data []byte) error { return receiveLook(page, data) },
			send:    func(ctx context.Context) error { return c.sendEvents(ctx, sub) },
			release: func() {
				sub.Close()
				page.Close()
			},
		}, nil
	})
}

// receiveLook processes the only message of a page on this endpoint: the goal that the user looks at.
func receiveLook(page Page, data []byte) error {
	var m struct {
		T    string  `json:"t"`
		Goal goal.ID `json:"goal"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return closeWith(websocket.StatusPolicyViolation, "a message is not a JSON object of this protocol")
	}
	if m.T == "looks" {
		page.LooksAt(m.Goal)
	}
	return nil
}

// textInterval is the shortest time between two messages with streaming text. A message costs a page more than its
// words, and a page that falls behind takes the user's keys after all messages before them.
const textInterval = 25 * time.Millisecond

func (s *socket) sendEvents(ctx context.Context, sub *event.Subscription) error {
	if err := s.write(ctx, websocket.MessageText, []byte(`{"type":"hello"}`)); err != nil {
		return err
	}
	var held heldText
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-held.due:
			if err := s.writeEvents(ctx, held.takeDue()); err != nil {
				return err
			}
		case e, open := <-sub.C:
			if !open {
				return closeWith(websocket.StatusTryAgainLater, "too slow: take the snapshot again")
			}
			if held.add(e) {
				continue
			}
			if err := s.writeEvents(ctx, append(held.take(), e)); err != nil {
				return err
			}
		}
	}
}

func (s *socket) writeEvents(ctx context.Context, events []event.Event) error {
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			s.s.o.Log.Error("an event could not be encoded", "type", e.Body.EventType(), "err", err)
			return closeWith(websocket.StatusTryAgainLater, "an event was missed: take the snapshot again")
		}
		if err := s.write(ctx, websocket.MessageText, b); err != nil {
			return err
		}
	}
	return nil
}

// heldText is the streaming text that waits for the next message. Text after a silence does not wait.
type heldText struct {
	events []event.Event
	due    <-chan time.Time // nil while no text was sent in the last interval
}

// add holds streaming text back, joined with what waits of the same stream. It reports false for what has to be sent
// now, after the text that waits.
func (h *heldText) add(e event.Event) bool {
	if !e.IsStreamed() {
		return false
	}
	if h.due == nil {
		h.due = time.After(textInterval)
		return false
	}
	for i, before := range slices.Backward(h.events) {
		if before.GoalID != e.GoalID {
			continue
		}
		if joined, ok := event.Join(before, e); ok {
			h.events[i] = joined
			return true
		}
	}
	h.events = append(h.events, e)
	return true
}

// takeDue returns the text whose interval has ended. What follows it waits again; after none, the next text does not.
func (h *heldText) takeDue() []event.Event {
	h.due = nil
	if len(h.events) > 0 {
		h.due = time.After(textInterval)
	}
	return h.take()
}

// take returns the text that waits.
func (h *heldText) take() []event.Event {
	events := h.events
	h.events = nil
	return events
}
