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

	"goalpost/backend/goals/peers"
	"goalpost/backend/lib/fault"
)

// windowLock makes a process the only one with a window on a data folder. The kernel releases it when the process ends.
// The file contains the process's pid.
type windowLock struct{ file *flock.Flock }

// handoverTimeout bounds how long another process may take to raise its window. That process may just be about to open
// it.
const handoverTimeout = 15 * time.Second

// lockWindow takes the lock. If another process has it, lockWindow raises the window of that process, shows the goal
// there unless goalID is "", and returns the pid.
func lockWindow(ctx context.Context, state, goalID string) (l *windowLock, otherPID int, err error) {
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
			return l, 0, l.writeHolder("") // clear the pid of the earlier holder
		}
		if pid := l.holder(); pid != 0 && peers.RaiseWindow(ctx, state, pid, goalID) == nil {
			return nil, pid, l.release()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			refusal := &fault.Error{
				Code:    fault.Conflict,
				Message: "another Goalpost window is open on this data folder and does not answer" + formatPID(l.holder()),
				Hint:    "use or close that window, or set GOALPOST_HOME to another folder",
			}
			return nil, 0, errors.Join(refusal, l.release())
		}
	}
}

func formatPID(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", pid)
}

// holder returns the pid in the lock file, 0 if there is none yet.
func (w *windowLock) holder() int {
	b, err := os.ReadFile(w.file.Path())
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

func (w *windowLock) writeHolder(line string) error {
	if err := os.WriteFile(w.file.Path(), []byte(line), 0o600); err != nil {
		return fmt.Errorf("window lock: %w", err)
	}
	return nil
}

// announce lets other processes ask this one to raise its window.
func (w *windowLock) announce() error { return w.writeHolder(strconv.Itoa(os.Getpid()) + "\n") }

func (w *windowLock) release() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("window lock: %w", err)
	}
	return nil
}
