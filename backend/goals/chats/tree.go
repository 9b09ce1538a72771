package chats

import (
	"context"
	"slices"

	"goalpost/backend/domain/chat"
	"goalpost/backend/storage/store"
)

// tree has all messages of a chat. An edit stands beside the message that it replaces, and so does an answer that is
// written again.
type tree struct {
	shown    int64 // the newest message of the branch that the user sees; 0 if there is none
	byID     map[int64]*store.ChatMessage
	children map[int64][]*store.ChatMessage // by parent, oldest first
}

func (s *Service) tree(ctx context.Context, id chat.ID) (*tree, error) {
	shown, err := s.Store.Chats.Shown(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Chats.Messages(ctx, id)
	if err != nil {
		return nil, err
	}
	t := &tree{shown: shown, byID: map[int64]*store.ChatMessage{}, children: map[int64][]*store.ChatMessage{}}
	for i := range list {
		m := &list[i]
		t.byID[m.ID] = m
		t.children[m.Parent] = append(t.children[m.Parent], m)
	}
	return t, nil
}

// path returns the messages of a branch up to one, oldest first.
func (t *tree) path(newest int64) []*store.ChatMessage {
	var path []*store.ChatMessage
	for m := t.byID[newest]; m != nil; m = t.byID[m.Parent] {
		path = append(path, m)
	}
	slices.Reverse(path)
	return path
}

// versions returns the ids of the messages in the place of one, oldest first.
func (t *tree) versions(m *store.ChatMessage) []int64 {
	ids := []int64{}
	for _, other := range t.children[m.Parent] {
		if other.Role == m.Role {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// newestAfter returns the end of the newest branch through a message.
func (t *tree) newestAfter(m *store.ChatMessage) int64 {
	for {
		next := t.children[m.ID]
		if len(next) == 0 {
			return m.ID
		}
		m = next[len(next)-1]
	}
}
