package terminal

// shellState is what the shell is doing, as its marks say.
type shellState int

const (
	shellStarting     shellState = iota + 1 // between prompts: starting, or about to ask
	shellReady                              // at the prompt
	shellContinuation                       // wants the rest of a command
	shellRunning                            // a command runs
	shellEnded
)

// maxHead is what is kept of a command's first output, raw: the ring keeps the
// last, and both are shown.
const maxHead = 64 << 10

// command is the shell's last command.
type command struct {
	state      shellState
	count      int // of commands that began
	start, end int64
	exit       int
	line       string // what was typed, "" if the shell does not say
	head       []byte // the first bytes from start on
}

// note follows the shell by its marks and tells whether Info changed. mu is held.
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

// Running is the command that the shell runs now, as it was typed; false when it
// runs none, or does not say which.
func (s *Session) Running() (line string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.command.state != shellRunning || s.command.line == "" {
		return "", false
	}
	return s.command.line, true
}

// Idle says that nothing runs: the shell is at its prompt, or has ended. A program
// that gives no marks is never known to be idle while it lives.
func (s *Session) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.command.state == shellReady || s.command.state == shellEnded
}

// keepHead remembers the beginning of the command's output; p is at offset at.
func (c *command) keepHead(p []byte, at int64) {
	if c.state != shellRunning || len(c.head) >= maxHead {
		return
	}
	// What of p comes next after the head.
	from := c.start + int64(len(c.head)) - at
	if from < 0 || from >= int64(len(p)) {
		return
	}
	p = p[from:]
	c.head = append(c.head, p[:min(len(p), maxHead-len(c.head))]...)
}
