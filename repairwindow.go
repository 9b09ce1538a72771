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
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/goals/calls"
)

// errRestart asks openWindow to start the program again.
var errRestart = errors.New("start again")

// runRepairWindow shows why there is no host process to connect to, and what can be done. It returns errRestart if the
// user wants to go on; prepare is called first.
func runRepairWindow(assets fs.FS, state string, problem error, prepare func(context.Context) error) error {
	var isRestarting atomic.Bool
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var windowCtx context.Context // that of Wails
	restart := func() error {
		if err := prepare(ctx); err != nil {
			return err
		}
		isRestarting.Store(true)
		runtime.Quit(windowCtx)
		return nil
	}
	w := &window{}
	o := w.options(assets, []any{calls.NewDatabaseAPI(ctx, state, problem, restart)})
	o.OnStartup = func(ctx context.Context) { windowCtx = ctx }
	o.OnBeforeClose = nil // no goal runs
	if err := wails.Run(o); err != nil {
		return errors.Join(fmt.Errorf("window: %w", err), problem)
	}
	if isRestarting.Load() {
		return errRestart
	}
	return nil
}

// restartProgram replaces this process by a new start of the program. It returns only if that fails.
func restartProgram() error {
	path, err := os.Executable()
	if err == nil {
		err = syscall.Exec(path, os.Args, os.Environ())
	}
	return fmt.Errorf("starting again: %w", err)
}
