package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/app/peers"
	"goalpost/backend/fault"
)

// windowLock is the right to be the only window of a data folder. The kernel releases it with the process that holds
// it; the file tells the next process which one that is.
type windowLock struct{ file *flock.Flock }

// handoverTimeout is how long a window may take to come to the front. One that is just starting needs the most time.
const handoverTimeout = 15 * time.Second

// lockWindow takes the lock. If another process has it, its window comes to the front and shows the goal, unless
// goalID is "", and lockWindow returns its pid.
func lockWindow(ctx context.Context, state, goalID string) (l *windowLock, elsewhere int, err error) {
	ctx, cancel := context.WithTimeout(ctx, handoverTimeout)
	defer cancel()
	l = &windowLock{flock.New(filepath.Join(state, "window.lock"))}
	tick := time.NewTicker(50 * time.Millisecond) // nothing signals that a window opened, or closed for good
	defer tick.Stop()
	for {
		switch ok, err := l.file.TryLock(); {
		case err != nil:
			return nil, 0, fmt.Errorf("window lock: %w", err)
		case ok:
			return l, 0, l.name("") // the name of the earlier holder no longer matters
		}
		if pid := l.holder(); pid != 0 && peers.RaiseWindow(ctx, state, pid, goalID) == nil {
			return nil, pid, l.release()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			refusal := &fault.Error{
				Code:    fault.Conflict,
				Message: "Goalpost has a window open on this data folder, which does not answer" + processOfLock(l.holder()),
				Hint:    "use or end that window, or set GOALPOST_HOME to another folder",
			}
			return nil, 0, errors.Join(refusal, l.release())
		}
	}
}

func processOfLock(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", pid)
}

// holder is the process named in the lock file, 0 if none is named yet.
func (l *windowLock) holder() int {
	b, err := os.ReadFile(l.file.Path())
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

func (l *windowLock) name(who string) error {
	if err := os.WriteFile(l.file.Path(), []byte(who), 0o600); err != nil {
		return fmt.Errorf("window lock: %w", err)
	}
	return nil
}

// announce tells other processes that this one can be asked to come to the front.
func (l *windowLock) announce() error { return l.name(strconv.Itoa(os.Getpid()) + "\n") }

func (l *windowLock) release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("window lock: %w", err)
	}
	return nil
}
