package event

import "goalpost/backend/domain/chat"

// Join returns streaming text and the text that follows it in the same stream as one event, and reports whether they
// are two such events.
func Join(first, next Event) (Event, bool) {
	if first.GoalID != next.GoalID || first.RunID != next.RunID {
		return Event{}, false
	}
	switch a := first.Body.(type) {
	case *Delta:
		if b, ok := next.Body.(*Delta); ok {
			first.Body = &Delta{Text: a.Text + b.Text, Reasoning: a.Reasoning + b.Reasoning}
			return first, true
		}
	case *ChatDelta:
		if b, ok := next.Body.(*ChatDelta); ok && a.isContinuedBy(b) {
			joined := *a
			joined.Text += b.Text
			joined.Reasoning += b.Reasoning
			first.Body = &joined
			return first, true
		}
	}
	return Event{}, false
}

// isContinuedBy reports whether b is the next text, or the next reasoning. Text ends what is shown of the reasoning
// before it, so the two are not joined.
func (c *ChatDelta) isContinuedBy(b *ChatDelta) bool {
	return c.ChatID == b.ChatID && c.Message == b.Message && c.Part == b.Part && (c.Text == "") == (b.Text == "") &&
		b.Offset == c.Offset+chat.UTF16Len(c.Text)
}

// IsStreamed reports whether the event is text that is streamed, not journaled, and may be lost.
func (e Event) IsStreamed() bool {
	kind := e.Body.EventType() // by value or by pointer
	return kind == Delta{}.EventType() || kind == ChatDelta{}.EventType()
}
