package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/entry/cli"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Host is bound by Wails: it passes the page's calls on to the host process.
type Host struct {
	ctx    context.Context
	client *hostsocket.Client
}

// Call runs a method, such as GoalAPI.Start. args is a JSON array of its arguments.
func (h *Host) Call(method, args string) (any, error) {
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(args), &list); err != nil {
		return nil, fault.New(fault.Refused, method+": the arguments cannot be read", "reload the page")
	}
	return h.client.Call(h.ctx, method, list)
}

// attach connects the window to the host process, which it starts if there is none. Its error is an UnreadableError if
// the database prevents the start.
func (w *window) attach(ctx context.Context, goalID string) (*hostsocket.Attachment, error) {
	path, err := hostsocket.Executable()
	if err != nil {
		return nil, err
	}
	if _, err := w.host.Connect(ctx, path, cli.HostArguments...); err != nil {
		if fault.Of(err).Code == fault.Internal { // it did not start
			err = errors.Join(w.databaseProblem(ctx), err)
		}
		return nil, err
	}
	return w.host.Attach(ctx, hostsocket.Attach{Window: true, GoalID: goalID, Env: os.Environ()})
}

// joinable returns the client with which the window can show what a host process of another version owns, if that is
// the error of attach. Otherwise it returns nil.
func (w *window) joinable(err error) *hostsocket.Client {
	var other *hostsocket.OtherVersionError
	if !errors.As(err, &other) || !other.Host.HasPage {
		return nil
	}
	return w.host.JoinOther(err)
}

// databaseProblem returns why the database cannot be used, nil if it can.
func (w *window) databaseProblem(ctx context.Context) error {
	s, err := store.Open(ctx, store.Options{Dir: w.cfg.State(), Log: w.cfg.Log()})
	if err != nil {
		return err
	}
	return s.Close()
}

// follow does what the host process asks for. If that process crashes, follow starts it again and loads the page anew,
// which shows what could be restored. If a user has stopped it, the window closes.
func (w *window) follow(ctx context.Context, a *hostsocket.Attachment) {
	for {
		goalID, err := a.Next()
		switch {
		case err == nil:
			w.bringToFront(ctx, goalID)
			continue
		case w.leaving.Load() || ctx.Err() != nil:
			return
		case w.isOther:
			w.restarts.Store(true)
			w.leaving.Store(true)
			w.quit()
			return
		case errors.Is(err, hostsocket.ErrStopped):
			w.leaving.Store(true)
			w.quit()
			return
		}
		w.cfg.Log().Error("the host process has ended; starting it again", "error", err)
		if a, err = w.attach(ctx, ""); err != nil {
			w.fail(err)
			return
		}
		<-w.up
		w.asked.Store(false)           // the question is gone with the page
		runtime.WindowReloadApp(w.ctx) //nolint:contextcheck // Wails takes its own context only
	}
}

// fail says why the host process could not be started again, and closes the window.
func (w *window) fail(err error) {
	w.leaving.Store(true)
	select {
	case <-w.up:
	case <-w.done:
		return
	}
	f := fault.Of(err)
	_, dialogErr := runtime.MessageDialog(w.ctx, runtime.MessageDialogOptions{
		Type: runtime.ErrorDialog, Title: "Goalpost cannot continue", Message: f.MessageWithHint(),
	})
	if dialogErr != nil {
		fmt.Fprintln(os.Stderr, "goalpost:", f.MessageWithHint())
	}
	w.quit()
}
