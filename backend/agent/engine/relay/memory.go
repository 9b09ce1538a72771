package relay

import (
	"sync"

	"goalpost/backend/domain/goal"
)

// maxMemory limits the remembered reasoning, in bytes.
const maxMemory = 8 << 20

// memory stores the reasoning of the newest replies with calls. A provider wants it back with the conversation, but the
// agents' protocols have no field for another provider's reasoning. Its methods may be called concurrently.
type memory struct {
	mu       sync.Mutex
	order    []string // of the first calls, oldest first
	byCall   map[string]*goal.Reasoning
	recorded int // bytes
}

// addReply stores the reasoning of a reply.
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
	if old, isKnown := m.byCall[id]; isKnown {
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

// restoreReasoning adds the stored reasoning to the replies of a conversation.
func (m *memory) restoreReasoning(list []goal.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, message := range list {
		if len(message.Calls) > 0 {
			list[i].Reasoning = m.byCall[message.Calls[0].ID]
		}
	}
}
