package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// exitInterrupted is the command line's code for a process that had to go at once.
const exitInterrupted = 8

// opened is called by Wails when there is a window.
func (w *window) opened(ctx context.Context) {
	// Wails hears SIGINT and SIGTERM, too, and would ask whether goals may be
	// paused, with a dialog that nobody may be there to answer.
	signal.Reset(syscall.SIGINT, syscall.SIGTERM)
	w.listen()
	w.ctx = ctx
	close(w.up)
}

func (w *window) listen() {
	signal.Notify(w.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// bringToFront brings the window to the front, as soon as there is one.
func (w *window) bringToFront(ctx context.Context) bool {
	select {
	case <-w.up:
	case <-ctx.Done():
		return false
	}
	runtime.WindowShow(w.ctx)       //nolint:contextcheck // Wails takes its own context only
	runtime.WindowUnminimise(w.ctx) //nolint:contextcheck // the same; it also raises a window that something covers
	return true
}

// handleSignals makes the first signal pause the goals and close the window, and the second
// end this process at once; the helpers end its children. What it answers ends that.
func (w *window) handleSignals() func() {
	w.listen()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case sig := <-w.signals:
			w.exitOnSignal(sig)
		case <-w.over:
		}
	}()
	return func() {
		signal.Stop(w.signals)
		<-ended
	}
}

func (w *window) exitOnSignal(sig os.Signal) {
	w.leaving.Store(true)
	fmt.Fprintf(os.Stderr, "goalpost: %v: pausing the goals and closing; again to leave at once\n", sig)
	late := time.NewTimer(closing)
	defer late.Stop()
	stopped := make(chan error, 1)
	go func() { stopped <- w.pauseGoals() }()
	for {
		select {
		case err := <-stopped:
			if err != nil {
				fmt.Fprintln(os.Stderr, "goalpost:", err)
			}
			go w.quit()
			stopped = nil
		case <-w.signals:
			os.Exit(exitInterrupted)
		case <-late.C: // the goals are paused; the window does not close
			os.Exit(exitInterrupted)
		case <-w.over:
			return
		}
	}
}

func (w *window) pauseGoals() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := w.app.StopGoals(ctx); err != nil {
		return fmt.Errorf("pausing: %w", err)
	}
	return nil
}

// quit closes the window, as soon as there is one.
func (w *window) quit() {
	select {
	case <-w.up:
		runtime.Quit(w.ctx)
	case <-w.over:
	}
}
