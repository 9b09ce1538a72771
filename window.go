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

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/storage/config"
)

// closeTimeout bounds how long the window may take to close after a signal.
const closeTimeout = 5 * time.Second

// statusTimeout bounds how long the host process may take to say what it owns.
const statusTimeout = 5 * time.Second

// window opens and closes the desktop window, which shows what the host process owns.
type window struct {
	cfg     *config.Config
	host    *hostsocket.Client
	signals chan os.Signal
	leaving atomic.Bool // the window closes without asking
	// isOther says that the host is of another version, whose page the window shows. When it ends, the program starts
	// again.
	isOther  bool
	restarts atomic.Bool
	asked    atomic.Bool   // the page asks the user whether everything is to keep running
	done     chan struct{} // closed when the window is closed

	requested requestedGoal
	place     windowPlace // where the window opens
	placed    sync.Once   // the place is followed from now on

	ctx context.Context // the context for calls to Wails, once up is closed
	up  chan struct{}
}

// beforeClose lets the page ask the user, if something runs, whether it is to keep running. A second request closes the
// window at once, in case the page does not answer. Everything then keeps running.
func (w *window) beforeClose(ctx context.Context) (prevent bool) {
	if w.leaving.Load() || w.asked.Swap(true) {
		return false
	}
	asking, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	s, err := w.host.Status(asking)
	if err != nil || s.IsEmpty() {
		return false
	}
	runtime.EventsEmit(ctx, closeEvent, s.Goals, s.Terminals, s.Pages)
	return true
}

// answerClose does what the user wants: "keep" everything running, "stop" everything, or not close.
func (w *window) answerClose(answer string) {
	switch answer {
	case "keep":
		w.leaving.Store(true)
		runtime.Quit(w.ctx)
	case "stop":
		w.leaving.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := w.host.Stop(ctx); err != nil {
			w.fail(err)
			return
		}
		runtime.Quit(w.ctx)
	default:
		w.asked.Store(false)
	}
}

// stopTimeout bounds how long goals may take to pause, and programs to end.
const stopTimeout = 30 * time.Second

// exitInterrupted is the exit code of a process that had to end at once, the same as of the command line.
const exitInterrupted = 8

// opened is called by Wails when the window exists.
func (w *window) opened(ctx context.Context) {
	// Wails also handles SIGINT and SIGTERM, with a dialog that possibly no user can answer.
	signal.Reset(syscall.SIGINT, syscall.SIGTERM)
	w.listen()
	w.ctx = ctx
	runtime.EventsOn(ctx, pageReadyEvent, func(...any) {
		w.cfg.Log().Info("page connected", "elapsed_ms", time.Since(processStart()).Milliseconds())
		w.requested.connect(w.sendGoal)
		if w.isOther {
			runtime.EventsEmit(ctx, updateWaitsEvent, version)
		}
		w.placed.Do(func() { go w.followPlace(ctx) }) // the window is on the screen
	})
	runtime.EventsOn(ctx, closeAnswerEvent, func(data ...any) { //nolint:contextcheck // it outlives the event
		go w.answerClose(fmt.Sprint(data...))
	})
	runtime.EventsOn(ctx, restartHostEvent, func(...any) { //nolint:contextcheck // as above
		go w.updateNow()
	})
	close(w.up)
	w.restorePlace()
}

// The names of the events between the window and its page, see frontend/src/bridge/windowevents.ts.
const (
	openGoalEvent    = "open-goal"
	pageReadyEvent   = "page-ready"
	closeEvent       = "close-window" // with the numbers of goals, terminals and pages that run
	closeAnswerEvent = "close-answer"
	updateWaitsEvent = "update-waits" // with the version of this program; the host process has another one
	restartHostEvent = "restart-host"
)

// updateNow ends the host process of another version. The program then starts again, with a host of its own version.
func (w *window) updateNow() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := w.host.StopForNext(ctx); err != nil {
		w.fail(err)
	}
}

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

// handleSignals makes the first signal close the window; everything keeps running in the host process. The second ends
// this process at once. The returned function stops the handling.
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
	fmt.Fprintf(os.Stderr, "goalpost: %v: closing the window; what runs keeps running (goalpost host status shows it, "+
		"goalpost host stop ends it)\n", sig)
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	go w.quit()
	select {
	case <-w.signals:
		os.Exit(exitInterrupted)
	case <-timer.C: // the window does not close
		os.Exit(exitInterrupted)
	case <-w.done:
	}
}

// quit closes the window, as soon as it exists.
func (w *window) quit() {
	select {
	case <-w.up:
		runtime.Quit(w.ctx)
	case <-w.done:
	}
}
