package cli

import (
	"errors"
	"fmt"
	"os"

	"goalpost/backend/domain/goal"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/host/sandbox"
)

// hostWindow is the window on what a host process owns: the one that is open, or else a new one, if this program has
// windows.
type hostWindow struct {
	program Program
	server  *hostsocket.Server
}

// IsThere reports whether a window is open or could be.
func (w hostWindow) IsThere() bool { return w.server.HasWindow() || w.canOpen() }

// canOpen reports whether this program has windows, and a display for them.
func (w hostWindow) canOpen() bool {
	return w.program.Window != nil && (w.program.Getenv("DISPLAY") != "" || w.program.Getenv("WAYLAND_DISPLAY") != "")
}

// ShowGoal shows a goal in the window. A new window is a process of its own, which the host does not wait for.
func (w hostWindow) ShowGoal(id goal.ID) error {
	if w.server.ShowGoal(string(id)) {
		return nil
	}
	if !w.canOpen() {
		return errors.New("the window was closed")
	}
	if err := sandbox.StartDetached(w.program.Executable, []string{"open", "goalpost://goal/" + string(id)}, os.Environ(),
		os.Stderr); err != nil {
		return fmt.Errorf("open the window: %w", err)
	}
	return nil
}
