package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/goals/calls"
)

// restartError asks openWindow to start the program again.
type restartError struct {
	later bool // as the window of an older or newer host process
}

func (*restartError) Error() string { return "start again" }

// runRepairWindow shows why there is no host process to connect to, and what can be done. It returns a restartError if
// the user wants to go on; prepare is called first. canWait says that the window of the host process's version can be
// opened.
func runRepairWindow(
	assets fs.FS, state string, problem error, canWait bool, prepare func(context.Context) error,
) error {
	var chosen atomic.Pointer[restartError]
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var windowCtx context.Context // that of Wails
	ways := calls.WaysOut{Restart: func() error {
		if err := prepare(ctx); err != nil {
			return err
		}
		chosen.Store(&restartError{})
		runtime.Quit(windowCtx)
		return nil
	}}
	if canWait {
		ways.Later = func() error {
			chosen.Store(&restartError{later: true})
			runtime.Quit(windowCtx)
			return nil
		}
	}
	w := &window{}
	o := w.options(&assetserver.Options{Assets: assets}, []any{calls.NewDatabaseAPI(ctx, state, problem, ways)})
	o.OnStartup = func(ctx context.Context) { windowCtx = ctx }
	o.OnBeforeClose = nil // no goal runs
	if err := wails.Run(o); err != nil {
		return errors.Join(fmt.Errorf("window: %w", err), problem)
	}
	if restart := chosen.Load(); restart != nil {
		return restart //nolint:wrapcheck // it is of this package
	}
	return nil
}

// laterVariable makes a start of the program use a host process of another version without asking.
const laterVariable = "GOALPOST_UPDATE_LATER"

// takeLater reports whether the user has chosen to use a host process of another version, once.
func takeLater() bool {
	later := os.Getenv(laterVariable) != ""
	_ = os.Unsetenv(laterVariable) // the name is well formed
	return later
}

// restartProgram replaces this process by a new start of the program. It returns only if that fails.
func restartProgram(later bool) error {
	env := os.Environ()
	if later {
		env = append(env, laterVariable+"=1")
	}
	path, err := os.Executable()
	if err == nil {
		err = syscall.Exec(path, os.Args, env)
	}
	return fmt.Errorf("starting again: %w", err)
}
