package terminal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// WaitCondition is what WaitFor waits for: the first of these conditions that is met. The zero value waits for the
// end of the program.
type WaitCondition struct {
	// Pattern is searched in the plain text printed from byte Since on, and on the screen of a full-screen program.
	// Text before Since does not count: an old prompt is not a new one.
	Pattern *regexp.Regexp
	Since   int64         // a byte offset, Run.Offset for example; below zero is now
	Prompt  bool          // the shell is at its prompt
	Exit    bool          // the running command is done, with its exit code
	Quiet   time.Duration // nothing was printed for that long
}

// WaitReason is what ended a wait.
type WaitReason string

// The reasons.
const (
	Matched     WaitReason = "pattern"
	AtPrompt    WaitReason = "prompt"
	Exited      WaitReason = "exit"
	BecameQuiet WaitReason = "quiet"
	Ended       WaitReason = "ended" // the terminal's program
	TimedOut    WaitReason = "time"
)

// WaitResult is how a wait ended.
type WaitResult struct {
	Why   WaitReason
	Match string // of Matched: the text that matched
	Exit  int    // of Exited: of the command; of Ended: of the program
	Next  int64  // where to continue reading
}

const (
	overlap   = 4 << 10   // maximum length of a match
	maxSearch = 256 << 10 // bytes that one check searches
)

// WaitFor waits at most wait; a timeout is not an error, the reason is TimedOut then. Errors: ErrClosed, ctx's, or
// that the program does not report commands.
func (s *Session) WaitFor(ctx context.Context, u WaitCondition, wait time.Duration) (WaitResult, error) {
	if s.spec.shell == noShell && (u.Prompt || u.Exit) {
		return WaitResult{},
			errors.New("the terminal's program is not a shell that reports its commands: " +
				"wait for a pattern, for quiet, or for its end")
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	l := s.newWaiter(u)
	for {
		w, next, err := l.check()
		if err != nil || w.Why != "" {
			return w, err
		}
		quiet, stop := l.quietTimer()
		select {
		case <-next:
		case <-quiet:
			return WaitResult{Why: BecameQuiet, Next: l.lastEnd}, nil
		case <-timer.C:
			return WaitResult{Why: TimedOut, Next: l.lastEnd}, nil
		case <-ctx.Done():
			return WaitResult{}, fmt.Errorf("waiting for the terminal: %w", ctx.Err())
		}
		stop()
	}
}

// waiter is one wait.
type waiter struct {
	s       *Session
	u       WaitCondition
	from    int64 // where the pattern's next window begins
	lastEnd int64 // the end of the output at the last check
	changed time.Time
	count   int // number of commands that had begun
	busy    bool
}

func (s *Session) newWaiter(u WaitCondition) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &waiter{s: s, u: u, from: u.Since, lastEnd: s.ring.end, changed: time.Now(), count: s.command.count}
	l.busy = s.command.state == shellRunning
	if u.Since < 0 {
		l.from = s.ring.end
	}
	return l
}

// check tests the conditions. next is closed when it is worth testing again.
func (w *waiter) check() (WaitResult, <-chan struct{}, error) {
	s := w.s
	s.mu.Lock()
	c, finished, err, next := s.command, s.finished, s.endError(), s.output.next()
	end, status := s.ring.end, s.status
	s.mu.Unlock()
	if end != w.lastEnd {
		w.lastEnd, w.changed = end, time.Now()
	}
	if match, ok := w.matchPattern(end); ok {
		return WaitResult{Why: Matched, Match: match, Next: end}, next, nil
	}
	switch {
	case errors.Is(err, ErrEnded):
		return WaitResult{Why: Ended, Exit: status.Code, Next: end}, next, nil
	case err != nil:
		return WaitResult{}, next, err
	case w.u.Exit && (!w.busy && c.state != shellRunning || finished.count >= w.count && w.busy):
		return WaitResult{Why: Exited, Exit: finished.exit, Next: end}, next, nil
	case w.u.Prompt && c.state == shellReady:
		return WaitResult{Why: AtPrompt, Exit: finished.exit, Next: end}, next, nil
	}
	return WaitResult{}, next, nil
}

// matchPattern searches the pattern in new output, and on a full-screen program's screen.
func (w *waiter) matchPattern(end int64) (string, bool) {
	if w.u.Pattern == nil {
		return "", false
	}
	for w.from < end {
		to := min(end, w.from+maxSearch)
		w.s.mu.Lock()
		printed := w.s.ring.slice(w.from, to)
		w.s.mu.Unlock()
		if at := w.u.Pattern.FindString(text.Render(printed)); at != "" {
			return at, true
		}
		if to == end {
			break // search again from the same place: the line may continue
		}
		w.from = to - overlap
	}
	w.from = max(w.from, end-maxSearch+overlap)
	w.s.screen.awaitUpTo(end)
	lines, _, _, full := w.s.screen.lines()
	if !full {
		return "", false
	}
	at := w.u.Pattern.FindString(strings.Join(lines, "\n"))
	return at, at != ""
}

// quietTimer fires when nothing was printed for long enough; never if that is not a condition.
func (w *waiter) quietTimer() (<-chan time.Time, func() bool) {
	if w.u.Quiet <= 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(time.Until(w.changed.Add(w.u.Quiet)))
	return t.C, t.Stop
}
