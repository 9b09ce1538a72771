// Package peers connects the Goalpost processes of one user on one data folder: it follows their commits,
// shows their panes and answers their requests.
package peers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/stream"
	"goalpost/backend/storage/store"
)

// viewer shows the panes of goals in other processes, while those processes run. The id of such a pane contains the
// process: t1@4711.
type viewer struct {
	store *store.Store
	log   *slog.Logger
	panes *panes.Registry
	work  sync.WaitGroup

	mu   sync.Mutex
	open map[string]bool // by process
}

// discoverPeers connects to processes that run goals and are not shown yet.
func (v *viewer) discoverPeers(ctx context.Context) {
	processes, err := v.store.Locks.PeersRunningGoals(ctx)
	if err != nil {
		if ctx.Err() == nil {
			v.log.Warn("other processes cannot be listed", "error", err)
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
			if err := v.followPeer(ctx, process); err != nil && ctx.Err() == nil {
				v.log.Debug("the panes of another process cannot be shown", "process", process, "error", err)
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			delete(v.open, process)
		})
	}
}

// followPeer shows the panes of one process until it ends.
func (v *viewer) followPeer(ctx context.Context, process string) error {
	infos := map[string]pane.Info{}
	show := func(info pane.Info, closed bool) { //nolint:contextcheck // a lease's end is journaled whatever ends here
		if _, _, remote := panes.SplitPeerID(info.ID); remote { // a pane of a third process
			return
		}
		info.ID += panes.PeerSeparator + process
		before, isKnown := infos[info.ID]
		if info.GoalID == "" { // the user's own there, which a goal may have had until now
			info, closed = before, true
		}
		switch {
		case closed && !isKnown:
			return
		case closed:
			delete(infos, info.ID)
		default:
			infos[info.ID] = info
		}
		v.panes.OnChange(info, closed)
	}
	defer func() { //nolint:contextcheck // a lease's end is journaled whatever ends here
		for _, info := range infos {
			v.panes.OnChange(info, true)
		}
	}()
	dial := dialPeer(v.store, process)
	hello := func() error {
		list, err := fetchPeerPanes(ctx, dial)
		for _, info := range list {
			show(info, false)
		}
		return err
	}
	err := stream.WatchRemotePanes(ctx, dial, hello, func(e *event.Pane) { show(e.Pane, e.Closed) })
	if err != nil {
		return fmt.Errorf("following the process %s: %w", process, err)
	}
	return nil
}

// fetchPeerPanes returns the panes of another process's goals.
func fetchPeerPanes(ctx context.Context, dial stream.Dial) (list []pane.Info, err error) {
	err = callPeer(ctx, dial, http.MethodGet, "/panes", nil, &list)
	return list, err
}
