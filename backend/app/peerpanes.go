package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"goalpost/backend/event"
	"goalpost/backend/pane"
	"goalpost/backend/stream"
)

// peerPanes show the panes of goals that other processes run, for as long as they
// do. A pane of another process is called by its own name and the process:
// t1@4711.
type peerPanes struct {
	app  *App
	work sync.WaitGroup

	mu   sync.Mutex
	open map[string]bool // by process
}

const peerSeparator = "@"

// splitPeerPane splits the name of a pane of another process.
func splitPeerPane(id string) (own, process string, elsewhere bool) {
	return strings.Cut(id, peerSeparator)
}

// dialPeerPane finds the panes of other processes for the page's streams.
func (a *App) dialPeerPane(id string) (stream.RemotePane, bool) {
	own, process, ok := splitPeerPane(id)
	return stream.RemotePane{Pane: own, Dial: a.dialPeer(process)}, ok
}

func (a *App) dialPeer(process string) stream.Dial {
	return func(ctx context.Context) (net.Conn, error) { return a.store.DialPeer(ctx, process) }
}

// discover visits the processes that have begun to run goals since.
func (v *peerPanes) discover(ctx context.Context) {
	processes, err := v.app.store.PeersRunningGoals(ctx)
	if err != nil {
		if ctx.Err() == nil {
			v.app.log.Warn("looking for other processes", "error", err)
		}
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, process := range processes {
		if v.open[process] {
			continue
		}
		v.open[process] = true
		v.work.Go(func() {
			if err := v.follow(ctx, process); err != nil && ctx.Err() == nil {
				v.app.log.Debug("looking at another process", "process", process, "error", err)
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			delete(v.open, process)
		})
	}
}

// follow shows the panes of one process until it ends.
func (v *peerPanes) follow(ctx context.Context, process string) error {
	seen := map[string]pane.Info{}
	show := func(info pane.Info, closed bool) { //nolint:contextcheck // a lease's end is journaled whatever ends here
		if _, _, third := splitPeerPane(info.ID); third { // what that process sees elsewhere itself
			return
		}
		info.ID += peerSeparator + process
		before, known := seen[info.ID]
		if info.GoalID == "" { // the user's own there, perhaps lent until now
			info, closed = before, true
		}
		switch {
		case closed && !known:
			return
		case closed:
			delete(seen, info.ID)
		default:
			seen[info.ID] = info
		}
		v.app.panes.onChange(info, closed)
	}
	defer func() { //nolint:contextcheck // likewise
		for _, info := range seen {
			v.app.panes.onChange(info, true)
		}
	}()
	dial := v.app.dialPeer(process)
	hello := func() error {
		list, err := fetchPeerPanes(ctx, dial)
		for _, info := range list {
			show(info, false)
		}
		return err
	}
	err := stream.WatchRemotePanes(ctx, dial, hello, func(e *event.Pane) { show(e.Pane, e.Closed) })
	if err != nil {
		return fmt.Errorf("visit: %w", err)
	}
	return nil
}

// fetchPeerPanes asks another process for the panes of its goals.
func fetchPeerPanes(ctx context.Context, dial stream.Dial) (list []pane.Info, err error) {
	err = callPeer(ctx, dial, http.MethodGet, "/panes", nil, &list)
	return list, err
}
