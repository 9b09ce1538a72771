package session

import (
	"strings"
	"sync"

	"goalpost/backend/app/panes"
	"goalpost/backend/goal"
)

// maxOutputTail is what is taken of each terminal's output, in bytes: its end.
const maxOutputTail = 4 << 10

// outputCursor knows how far the output of a goal's terminals was heard. Concurrent use is fine.
type outputCursor struct {
	mu sync.Mutex
	at map[string]paneCursor // by pane
}

// paneCursor is the end of a pane's output when it was last asked for, and whether a
// command was running there: a prompt that comes late says nothing.
type paneCursor struct {
	end     int64
	working bool
}

// NewOutput is what the commands that were running when it was last asked have printed since.
func (r *Session) NewOutput() string { return r.output.readNew(r.registry.Panes, r.goal) }

func (h *outputCursor) readNew(p *panes.Registry, id goal.ID) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := map[string]paneCursor{} // what is closed is forgotten
	var b strings.Builder
	for _, info := range p.Terminals.List() {
		s, err := p.Terminals.Get(info.ID)
		if err != nil || !p.CanDrive(id, info) {
			continue
		}
		_, end := s.Range()
		_, working := s.Running()
		now[info.ID] = paneCursor{end, working}
		if was := h.at[info.ID]; was.working && end > was.end {
			b.WriteString(info.ID + "\n" + s.Text(max(was.end, end-maxOutputTail), maxOutputTail).Text + "\n")
		}
	}
	h.at = now
	return b.String()
}
