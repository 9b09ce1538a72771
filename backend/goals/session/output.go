package session

import (
	"strings"
	"sync"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/panes"
)

// maxOutputTail bounds how much of a terminal's output is read, in bytes from its end.
const maxOutputTail = 4 << 10

// outputCursor stores up to where the output of a goal's terminals was read. All methods may be called concurrently.
type outputCursor struct {
	mu sync.Mutex
	at map[string]paneCursor // by pane
}

// paneCursor is the end of a pane's output at the last reading, and whether a command was running then. Without a
// command, new output is only a prompt, and is ignored.
type paneCursor struct {
	end     int64
	working bool
}

func (o *outputCursor) readNew(p *panes.Registry, id goal.ID) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := map[string]paneCursor{} // drops closed panes
	var b strings.Builder
	for _, info := range p.Terminals.List() {
		s, err := p.Terminals.Get(info.ID)
		if err != nil || !p.CanDrive(id, info) {
			continue
		}
		_, end := s.Range()
		_, working := s.Running()
		now[info.ID] = paneCursor{end, working}
		if was := o.at[info.ID]; was.working && end > was.end {
			b.WriteString(info.ID + "\n" + s.Text(max(was.end, end-maxOutputTail), maxOutputTail).Text + "\n")
		}
	}
	o.at = now
	return b.String()
}
