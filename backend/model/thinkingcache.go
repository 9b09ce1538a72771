package model

import (
	"slices"
	"sync"

	"goalpost/backend/goal"
)

// maxThinkingBytes bounds what is remembered, in bytes.
const maxThinkingBytes = 8 << 20

// thinkingCache remembers replies as the server wrote them, with what the model
// thought: models continue better when they get that back, unchanged, with the
// results of their calls. It is lost with the program, and then left out.
type thinkingCache struct {
	mu   sync.Mutex
	kept map[string]thinkingEntry // by the id of the reply's first call
	size int
}

type thinkingEntry struct {
	model  string
	text   string
	calls  []goal.Call
	blocks []*block
}

// keep remembers a reply that calls tools; blocks is nil when the model did not think.
func (t *thinkingCache) keep(model string, r goal.Reply, blocks []*block) {
	if len(r.Calls) == 0 || blocks == nil {
		return
	}
	size := len(r.Text)
	for _, b := range blocks {
		size += len(b.Text) + len(b.Input) + len(b.Signature) + len(b.Data)
		if b.Thinking != nil {
			size += len(*b.Thinking)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil || t.size+size > maxThinkingBytes {
		t.kept, t.size = map[string]thinkingEntry{}, 0
	}
	t.kept[r.Calls[0].ID] = thinkingEntry{model, r.Text, slices.Clone(r.Calls), blocks}
	t.size += size
}

// recall is a message of the conversation as it was written; nil when its
// thoughts are not known or the message is no longer the same.
func (t *thinkingCache) recall(model string, m goal.Message) []*block {
	if len(m.Calls) == 0 {
		return nil
	}
	t.mu.Lock()
	k, ok := t.kept[m.Calls[0].ID]
	t.mu.Unlock()
	if !ok || k.model != model || k.text != m.Text || !slices.Equal(k.calls, m.Calls) {
		return nil
	}
	return k.blocks
}

// forget drops everything: thoughts that a server refuses once it refuses again.
func (t *thinkingCache) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.size = nil, 0
}
