package model

import (
	"slices"
	"sync"

	"goalpost/backend/goal"
)

// maxThinkingBytes limits the cache, in bytes.
const maxThinkingBytes = 8 << 20

// thinkingCache stores replies as the server sent them, with the model's thinking: models continue better if they get
// that back, unchanged, with the results of their calls. It is lost with the process; the thinking is then left out.
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

// keep stores a reply that calls tools; blocks is nil if it contains no thinking.
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

// recall returns a message of the conversation as the server sent it; nil if its thinking is unknown or the message
// was changed.
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

// forget drops everything: a server that refused the thinking once would refuse it again.
func (t *thinkingCache) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.size = nil, 0
}
