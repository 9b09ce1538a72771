package terminal

// shellState is what the shell is doing, according to its marks.
type shellState int

const (
	shellStarting     shellState = iota + 1 // between prompts: starting, or about to print its prompt
	shellReady                              // at the prompt
	shellContinuation                       // waits for the rest of a command
	shellRunning                            // a command runs
	shellEnded
)

// maxHead limits the stored first output of a command, in raw bytes. The ring has the last part, and both are shown.
const maxHead = 64 << 10

// command is the shell's latest command.
type command struct {
	state      shellState
	count      int // number of commands that began
	start, end int64
	exit       int
	line       string // the typed command, "" if the shell does not report it
	head       []byte // the first bytes from start on
}

// note updates the shell's state with a mark and reports whether Info changed. mu is held.
func (s *Session) note(m shellMark) (moved bool) {
	c := &s.command
	switch m.kind {
	case markCwd:
		moved = s.cwd != m.dir
		s.cwd = m.dir
	case markPromptStart:
	case markPromptEnd:
		c.state = shellReady
	case markContinuation:
		c.state = shellContinuation
	case markCommandStart:
		if c.state != shellRunning {
			*c = command{state: shellRunning, count: c.count + 1, start: m.end, line: m.line}
		}
	case markCommandEnd:
		if c.state == shellRunning {
			c.state, c.end, c.exit = shellStarting, m.start, m.exit
			c.head = c.head[:max(0, min(int64(len(c.head)), c.end-c.start))]
			s.finished = *c
		}
	}
	return moved
}

// Running returns the command that the shell is running, as it was typed. ok is false if it runs none, or does not
// report it.
func (s *Session) Running() (line string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.command.state != shellRunning || s.command.line == "" {
		return "", false
	}
	return s.command.line, true
}

// Idle reports whether nothing runs: the shell is at its prompt, or has ended. A program without marks is never known
// to be idle while it runs.
func (s *Session) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.command.state == shellReady || s.command.state == shellEnded
}

// keepHead stores the beginning of the command's output; p is at offset at.
func (c *command) keepHead(p []byte, at int64) {
	if c.state != shellRunning || len(c.head) >= maxHead {
		return
	}
	// The part of p that continues the head.
	from := c.start + int64(len(c.head)) - at
	if from < 0 || from >= int64(len(p)) {
		return
	}
	p = p[from:]
	c.head = append(c.head, p[:min(len(p), maxHead-len(c.head))]...)
}
