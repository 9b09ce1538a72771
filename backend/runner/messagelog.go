package runner

import "goalpost/backend/runner/conversation"

// messageLog is the conversation of a goal. Each message that enters it is journaled.
type messageLog struct {
	run *Run

	conversation conversation.Conversation
	callIDs      map[string]bool // of the whole conversation
}
