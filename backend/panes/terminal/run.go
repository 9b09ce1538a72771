package terminal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/lib/text"
)

// CommandRunner runs one command after another in a session's shell.
type CommandRunner struct {
	session *Session

	run chan struct{} // one token: its owner may type a command
}

// MaxOutput limits the output of a Run in bytes; of longer output the beginning and the end are shown.
const MaxOutput = 64 << 10

// ErrBusy means that the shell is not at its prompt.
var ErrBusy = errors.New(
	"a command is still running in this terminal: wait for it, interrupt it (Ctrl+C), or open another terminal")

// Run is the result of a command.
type Run struct {
	Output   string // plain text, at most MaxOutput, plus a line about what is left out
	Exit     int    // when Finished
	Finished bool   // false: it keeps running
	Offset   int64  // of the first byte of its output in the scrollback
	Next     int64  // where to continue reading
}

// promptGrace is the minimum time that a shell gets to reach its prompt and to begin a command, because a busy machine
// needs seconds.
const promptGrace = 15 * time.Second

// Run types a command into the shell and waits at most wait until it is done. A command that takes longer, such as a
// server, keeps running. Errors: ErrBusy, ErrEnded, ErrClosed, ctx's, or why the command cannot be typed.
func (cr *CommandRunner) Run(ctx context.Context, command string, wait time.Duration) (Run, error) {
	select {
	case <-cr.run:
		defer func() { cr.run <- struct{}{} }()
	default:
		return Run{}, ErrBusy
	}
	t, err := cr.awaitPrompt(ctx, max(wait, promptGrace))
	if err != nil {
		return Run{}, err
	}
	keys, err := cr.session.spec.shell.encodeCommand(command, t.nonce)
	if err != nil {
		return Run{}, err
	}
	if _, err := cr.session.Write([]byte(keys)); err != nil {
		return Run{}, err
	}
	timer, stuck := time.NewTimer(wait), time.NewTimer(max(wait, promptGrace))
	defer timer.Stop()
	defer stuck.Stop()
	return cr.awaitCommandEnd(ctx, timer.C, stuck.C, t)
}

// promptState is the state of the shell at its prompt, just before a command is typed.
type promptState struct {
	life  *childProcess
	nonce string
	count int   // of earlier commands
	at    int64 // end of the output before the command
}

// awaitPrompt waits for the prompt.
func (cr *CommandRunner) awaitPrompt(ctx context.Context, wait time.Duration) (promptState, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		cr.session.mu.Lock()
		state, err, next := cr.session.command.state, cr.endedError(), cr.session.output.next()
		t := promptState{cr.session.life, cr.session.marks.nonce, cr.session.command.count, cr.session.ring.end}
		cr.session.mu.Unlock()
		switch {
		case err != nil:
			return promptState{}, err
		case state == shellReady:
			return t, nil
		case state == shellRunning, state == shellContinuation:
			return promptState{}, ErrBusy
		}
		select {
		case <-next:
		case <-timer.C:
			return promptState{}, errors.New("the shell did not reach its prompt: read the terminal's screen")
		case <-ctx.Done():
			return promptState{}, fmt.Errorf("waiting for the shell's prompt: %w", ctx.Err())
		}
	}
}

// endedError returns the error after the program's end, with its exit status. mu is held.
func (cr *CommandRunner) endedError() error {
	err := cr.session.endError()
	if errors.Is(err, ErrEnded) {
		return fmt.Errorf("%w (%s)", err, cr.session.status)
	}
	return err
}

// awaitCommandEnd waits for the end of the typed command, or until timeout. It waits in any case until the command has
// begun, unless the shell is stuck: otherwise the next wait could mistake the previous command's end for it.
func (cr *CommandRunner) awaitCommandEnd(
	ctx context.Context, timeout, stuck <-chan time.Time, t promptState,
) (Run, error) {
	isOver, isGivenUp := false, false
	for {
		cr.session.mu.Lock()
		run, err := cr.commandResult(t)
		hasBegun := cr.session.command.count > t.count
		more := !hasBegun && cr.session.command.state == shellContinuation
		next := cr.session.output.next()
		cr.session.mu.Unlock()
		switch {
		case run.Finished || err != nil || isOver && (hasBegun || isGivenUp):
			return run, err
		case more:
			return Run{}, errors.Join(errIncomplete, cr.leaveContinuation(ctx))
		}
		select {
		case <-next:
		case <-timeout:
			isOver = true
		case <-stuck:
			isOver, isGivenUp = true, true
		case <-ctx.Done():
			return Run{}, fmt.Errorf("waiting for the command, which keeps running: %w", ctx.Err())
		}
	}
}

var errIncomplete = errors.New("the command is incomplete (a quote, bracket or keyword is not closed); nothing was run")

// leaveContinuation leaves the shell's continuation prompt. A Ctrl+C that reaches bash between printing that prompt
// and reading is noticed at the next key only, so it is pressed until it works.
func (cr *CommandRunner) leaveContinuation(ctx context.Context) error {
	const presses, between = 10, 100 * time.Millisecond
	ticker := time.NewTicker(between)
	defer ticker.Stop()
	for press := 0; ; {
		cr.session.mu.Lock()
		stays, next := cr.session.command.state == shellContinuation && cr.session.endError() == nil, cr.session.output.next()
		cr.session.mu.Unlock()
		if !stays {
			return nil
		}
		if press == 0 {
			if _, err := cr.session.Write([]byte{0x03}); err != nil {
				return err
			}
			press++
		}
		select {
		case <-next:
		case <-ticker.C:
			if press++; press > presses {
				return errors.New("the shell does not react to Ctrl+C")
			}
			if _, err := cr.session.Write([]byte{0x03}); err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("waiting for the shell's prompt: %w", ctx.Err())
		}
	}
}

// commandResult returns the result of the command so far. mu is held.
func (cr *CommandRunner) commandResult(t promptState) (Run, error) {
	c := cr.session.command
	switch {
	case cr.session.finished.count > t.count:
		c = cr.session.finished
		return Run{Output: cr.commandOutput(c), Exit: c.exit, Finished: true, Offset: c.start, Next: c.end}, nil
	case c.count == t.count: // not begun
		c = command{start: t.at}
	}
	c.end = cr.session.ring.end
	run := Run{Output: cr.commandOutput(c), Offset: c.start, Next: c.end}
	if cr.session.life != t.life {
		return run, ErrEnded
	}
	return run, cr.endedError()
}

// commandOutput returns a command's output: all of it, or its stored beginning and the end that the ring still has.
func (cr *CommandRunner) commandOutput(c command) string {
	size := c.end - c.start
	if size <= maxHead && int64(len(c.head)) == size {
		return text.Render(c.head)
	}
	if c.start >= cr.session.ring.start && size <= 4*MaxOutput {
		if all := text.Render(cr.session.ring.slice(c.start, c.end)); len(all) <= MaxOutput {
			return all
		}
	}
	head := c.head[:min(len(c.head), MaxOutput/2)]
	head = head[:completeUTF8Len(head)]
	from := max(c.start+int64(len(head)), c.end-MaxOutput/2, cr.session.ring.start)
	tail := cr.session.ring.slice(from, c.end)
	skip := continuationLen(tail)
	gap := from + int64(skip) - c.start - int64(len(head))
	if gap <= 0 {
		return text.Render(head) + text.Render(tail)
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", text.Render(head), gap, text.Render(tail[skip:]))
}
