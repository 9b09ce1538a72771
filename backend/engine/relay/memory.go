package relay

import (
	"sync"

	"goalpost/backend/goal"
)

// maxMemory limits what is remembered, in bytes.
const maxMemory = 8 << 20

// memory has the reasoning of the newest replies with calls. A provider wants it back with the conversation, and the
// protocols of agents have no place for another provider's form. Its methods may be called concurrently.
type memory struct {
	mu       sync.Mutex
	order    []string // of the first calls, oldest first
	byCall   map[string]*goal.Reasoning
	recorded int // bytes
}

// addReply remembers the reasoning of a reply.
func (m *memory) addReply(r goal.Reply) {
	if r.Reasoning == nil || len(r.Calls) == 0 || r.Calls[0].ID == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id := r.Calls[0].ID
	if m.byCall == nil {
		m.byCall = map[string]*goal.Reasoning{}
	}
	if old, known := m.byCall[id]; known {
		m.recorded -= old.Bytes()
	} else {
		m.order = append(m.order, id)
	}
	m.byCall[id] = r.Reasoning
	m.recorded += r.Reasoning.Bytes()
	for m.recorded > maxMemory && len(m.order) > 0 {
		m.recorded -= m.byCall[m.order[0]].Bytes()
		delete(m.byCall, m.order[0])
		m.order = m.order[1:]
	}
}

// restore adds the reasoning to the replies of a conversation.
func (m *memory) restore(list []goal.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, message := range list {
		if len(message.Calls) > 0 {
			list[i].Reasoning = m.byCall[message.Calls[0].ID]
		}
	}
}
