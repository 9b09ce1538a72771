// Package conversation holds the messages that the model of a run sees, and keeps them within the model's context
// window. The journal has all of them; results that are left out here can be read again by their handle.
package conversation

import (
	"slices"

	"goalpost/backend/domain/goal"
)

// Conversation is the list of messages that the model sees. The zero value is empty and ready. It is for one
// goroutine.
type Conversation struct {
	messages []goal.Message
	bytes    int
	perByte  float64  // tokens per byte in the last turn; 0 before the first
	asked    int      // bytes of the messages when the model was asked for its newest reply
	longest  int      // bytes of the longest reply
	deferred []string // messages of the host that follow the restored part
}

// Add appends messages. A message with a goal.Compaction also takes the place of the older part, so that the messages
// of a journal give the same conversation again.
func (c *Conversation) Add(messages ...goal.Message) {
	for _, m := range messages {
		if m.Compaction != nil && len(c.messages) > 0 {
			c.replaceOld(m)
			continue
		}
		if m.Role == goal.Assistant {
			c.asked, c.longest = c.bytes, max(c.longest, messageSize(m))
		}
		c.messages = append(c.messages, m)
		c.bytes += messageSize(m)
		if len(m.Images) > 0 {
			c.keepImages(maxPictured)
		}
	}
}

// maxPictured is how many messages have images: the newest ones. They are not in the journal, so a conversation that is
// restored has none.
const maxPictured = 3

// keepImages removes the images of all messages but the newest ones that have some, and reports whether there were any.
func (c *Conversation) keepImages(newest int) (removed bool) {
	for i, m := range slices.Backward(c.messages) {
		if len(m.Images) == 0 {
			continue
		}
		if newest--; newest < 0 {
			c.messages[i].Images, removed = nil, true
		}
	}
	c.bytes = Size(c.messages)
	return removed
}

// RemoveImages removes all images, and reports whether there were any.
func (c *Conversation) RemoveImages() bool { return c.keepImages(0) }

// AddDeferred stores a note of the host for the first message after a pause.
func (c *Conversation) AddDeferred(text string) { c.deferred = append(c.deferred, text) }

// Deferred returns the notes of AddDeferred, oldest first.
func (c *Conversation) Deferred() []string { return c.deferred }

// Messages returns the messages, oldest first. The caller must not change them.
func (c *Conversation) Messages() []goal.Message { return c.messages }

// Bytes returns the size of all messages.
func (c *Conversation) Bytes() int { return c.bytes }

// Size returns the size of messages in bytes.
func Size(messages []goal.Message) int {
	n := 0
	for _, m := range messages {
		n += messageSize(m)
	}
	return n
}

// imageBytes is how many bytes of text cost a model about as many tokens as a picture of a page.
const imageBytes = 5 << 10

func messageSize(m goal.Message) int {
	n := len(m.Text) + len(m.Facts) + len(m.CallID) + 16 + m.Reasoning.Bytes() + len(m.Images)*imageBytes
	for _, call := range m.Calls {
		n += len(call.Tool) + len(call.Arguments) + len(call.ID)
	}
	return n
}

// Calibrate corrects the estimate of tokens per byte: the messages before the newest reply and the given other bytes
// took that many tokens.
func (c *Conversation) Calibrate(tokens int64, besides int) {
	if sent := c.asked + besides; tokens > 0 && sent > 0 {
		c.perByte = float64(tokens) / float64(sent)
	}
}

// Prefixes of the host's messages about what the journal also says in other words.
const (
	// FailurePrefix begins the message about a claim that failed.
	FailurePrefix = "Verification failed: "
	// NotePrefix begins a note of the user.
	NotePrefix = "A note from the user: "
)
