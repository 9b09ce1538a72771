package terminal

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// Tail returns the end of the scrollback, at most limit bytes, in a form that another terminal can show: whole lines,
// and no output of full-screen programs.
func (s *Session) Tail(limit int) []byte {
	s.mu.Lock()
	from, end := s.ring.start, s.ring.end
	if end-from > int64(limit) {
		from = s.ring.lineAfter(end - int64(limit))
	}
	raw, cut := s.ring.slice(from, end), from > 0
	s.mu.Unlock()
	return withoutAlternateScreen(raw, cut)
}

// withoutAlternateScreen removes what was drawn on the alternate screen, and a truncated sequence at the end. cut
// means that p does not begin with the first byte.
func withoutAlternateScreen(p []byte, cut bool) []byte {
	var out []byte
	full := false
	for len(p) > 0 {
		n, _, ok := nextToken(p)
		if !ok {
			break
		}
		switch text := p[:n]; {
		case isAlternate(text, 'h'):
			full, cut = true, false
		case isAlternate(text, 'l'):
			// It began before the tail, unless it is our own reset.
			if cut && !bytes.HasSuffix(out, []byte(ownResetMarker)) {
				out = nil
			}
			full, cut = false, false
		case !full:
			out = append(out, text...)
		}
		p = p[n:]
	}
	return out
}

// isAlternate reports whether a sequence switches to the alternate screen (h) or back (l).
func isAlternate(p []byte, final byte) bool {
	if !bytes.HasPrefix(p, []byte("\x1b[?")) || p[len(p)-1] != final {
		return false
	}
	for mode := range bytes.SplitSeq(p[3:len(p)-1], []byte(";")) {
		switch string(mode) {
		case "47", "1047", "1049":
			return true
		}
	}
	return false
}

// RestoredScrollback returns the initial scrollback of a session that continues an earlier one, which printed tail. Its
// last line says so.
func RestoredScrollback(tail []byte, at time.Time) []byte {
	if len(tail) == 0 {
		return nil
	}
	return fmt.Appendf(append(bytes.Clone(tail), resetModes...), "\x1b[2m── as it was on %s ──\x1b[0m\r\n",
		at.Local().Format("2 January 2006, 15:04"))
}

// promptWait limits how long TypeAtPrompt waits for the prompt.
const promptWait = 30 * time.Second

// TypeAtPrompt types a command at the prompt and leaves Enter to the user. It types nothing into a shell that would
// run a part of it at once.
func (s *Session) TypeAtPrompt(ctx context.Context, command string) error {
	w, err := s.WaitFor(ctx, WaitCondition{Prompt: true}, promptWait)
	if err != nil || w.Why != AtPrompt {
		return err
	}
	if strings.Contains(command, "\n") && !s.hasMode(bracketedPaste) {
		return nil
	}
	return s.Type(command)
}
