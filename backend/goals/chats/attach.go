package chats

import (
	"context"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// userMessage reads what the user attached, and returns the message.
func (s *Service) userMessage(_ context.Context, _ chat.Chat, in api.SendInput) (m store.ChatMessage, err error) {
	m.Message = chat.Message{Role: chat.User, Text: in.Text, Attachments: []chat.Attachment{}}
	m.Entries = []chat.Entry{{Message: goal.Message{Role: goal.User, Text: in.Text}}}
	return m, nil
}
