package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/app"
)

// closeTimeout bounds how long child processes may take to end when the window closes.
const closeTimeout = 5 * time.Second

// window opens and closes the desktop window of a running program.
type window struct {
	app     *app.App
	cancel  context.CancelFunc
	signals chan os.Signal
	leaving atomic.Bool   // a signal asked this process to exit
	done    chan struct{} // closed when the program is closed

	requested requestedGoal

	ctx context.Context // the context for calls to Wails, once up is closed
	up  chan struct{}
}

// beforeClose asks the user to confirm if goals are running, because closing pauses them. It does not ask after a
// signal.
func (w *window) beforeClose(ctx context.Context) (prevent bool) {
	n := w.app.ActiveGoals()
	if n == 0 || w.leaving.Load() {
		return false
	}
	answer, err := runtime.MessageDialog(ctx, runtime.MessageDialogOptions{
		Type:          runtime.QuestionDialog,
		Title:         "Goals are running",
		DefaultButton: "No",
		Message:       fmt.Sprintf("%d running. Closing pauses them, and you can resume them later. Close?", n),
		Buttons:       []string{"Yes", "No"},
	})
	return err == nil && answer != "Yes"
}

// end closes the program after the window.
func (w *window) end() error {
	defer close(w.done)
	w.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := w.app.Close(ctx); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}

// exitInterrupted is the exit code of a process that had to end at once, the same as of the command line.
const exitInterrupted = 8

// opened is called by Wails when the window exists.
func (w *window) opened(ctx context.Context) {
	// Wails also handles SIGINT and SIGTERM, with a dialog that possibly no user can answer.
	signal.Reset(syscall.SIGINT, syscall.SIGTERM)
	w.listen()
	w.ctx = ctx
	runtime.EventsOn(ctx, pageReadyEvent, func(...any) { w.requested.connect(w.sendGoal) })
	close(w.up)
}

// The names of the events between the window and its page, see frontend/src/bridge/goalrequests.ts.
const (
	openGoalEvent  = "open-goal"
	pageReadyEvent = "page-ready"
)

// sendGoal makes the page show a goal.
func (w *window) sendGoal(goalID string) { runtime.EventsEmit(w.ctx, openGoalEvent, goalID) }

// requestedGoal holds the goal that the page should show until the page listens. Its methods may be called
// concurrently.
type requestedGoal struct {
	mu     sync.Mutex
	goalID string
	send   func(goalID string) // nil until the page listens
}

// connect sends the goal that waits, and from then on every goal at once. A reloaded page connects again.
func (r *requestedGoal) connect(send func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send = send
	if r.goalID != "" {
		send(r.goalID)
		r.goalID = ""
	}
}

// showGoal sends a goal to the page. If the page does not listen yet, it stores the goal in place of an older one.
func (r *requestedGoal) showGoal(goalID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.goalID = goalID; r.send != nil {
		r.send(goalID)
		r.goalID = ""
	}
}

func (w *window) listen() {
	signal.Notify(w.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// bringToFront raises the window as soon as it exists, and shows a goal unless goalID is "". It reports whether it did.
func (w *window) bringToFront(ctx context.Context, goalID string) bool {
	select {
	case <-w.up:
	case <-ctx.Done():
		return false
	}
	runtime.WindowShow(w.ctx)       //nolint:contextcheck // Wails takes its own context only
	runtime.WindowUnminimise(w.ctx) //nolint:contextcheck // as above; it also raises a covered window
	if goalID != "" {
		w.requested.showGoal(goalID)
	}
	return true
}

// handleSignals makes the first signal pause the goals and close the window. The second ends this process at once, and
// its helpers end its children. The returned function stops the handling.
func (w *window) handleSignals() func() {
	w.listen()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case sig := <-w.signals:
			w.exitOnSignal(sig)
		case <-w.done:
		}
	}()
	return func() {
		signal.Stop(w.signals)
		<-ended
	}
}

func (w *window) exitOnSignal(sig os.Signal) {
	w.leaving.Store(true)
	fmt.Fprintf(os.Stderr, "goalpost: %v: pausing the goals and closing; press Ctrl+C again to quit immediately\n", sig)
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
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
		case <-timer.C: // the goals are paused, but the window does not close
			os.Exit(exitInterrupted)
		case <-w.done:
			return
		}
	}
}

func (w *window) pauseGoals() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := w.app.StopGoals(ctx); err != nil {
		return fmt.Errorf("pausing: %w", err)
	}
	return nil
}

// quit closes the window, as soon as it exists.
func (w *window) quit() {
	select {
	case <-w.up:
		runtime.Quit(w.ctx)
	case <-w.done:
	}
}
