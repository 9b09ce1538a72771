package panes

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser"
)

// Share reserves panes of the user for a goal. It skips panes that are closed or shared with another goal.
func (r *Registry) Share(ids []string, id goal.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range ids {
		for _, info := range r.list {
			if _, isShared := r.shares[name]; info.ID == name && info.GoalID == "" && !isShared {
				r.shares[name] = &paneShare{to: id}
				break
			}
		}
	}
}

// beginLease leases the reserved panes to a goal whose run begins, and returns them.
func (r *Registry) beginLease(id goal.ID) ([]pane.Info, error) {
	var list []pane.Info
	for _, info := range r.sharedWith(id) {
		if info.Kind == pane.Browser {
			if b, ok := r.Browsers.Get(info.ID); !ok {
				continue // closed
			} else if err := b.Share(string(id)); err != nil {
				return nil, fmt.Errorf("pane %s: %w", info.ID, err)
			}
		}
		r.mu.Lock()
		if l := r.shares[info.ID]; l != nil && l.to == id {
			l.isHeld = true
			info.GoalID, info.Shared = string(id), true
			list = append(list, info)
		}
		r.mu.Unlock()
		r.republishPane(info.ID)
	}
	return list, nil
}

func (r *Registry) sharedWith(id goal.ID) []pane.Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []pane.Info
	for _, info := range r.list {
		if l := r.shares[info.ID]; l != nil && l.to == id {
			list = append(list, info)
		}
	}
	return list
}

// EndShare ends the shares of a goal, including windows that shared pages opened. With isTakeover, pages that the user
// has taken over stay with the goal, which is paused until the user hands them back.
func (r *Registry) EndShare(id goal.ID, isTakeover bool) {
	stays := map[string]bool{}
	for _, info := range r.Browsers.List() {
		b, ok := r.Browsers.Get(info.ID)
		switch {
		case !ok || !info.Shared || info.GoalID != string(id):
		case isTakeover && b.State.Driver() == pane.DriverUser:
			stays[info.ID] = true
		default:
			b.EndShare()
		}
	}
	r.OnShareEnded()
	r.mu.Lock()
	var back []string
	for name, l := range r.shares {
		if l.to == id && !stays[name] {
			delete(r.shares, name)
			back = append(back, name)
		}
	}
	r.mu.Unlock()
	for _, name := range back {
		r.republishPane(name)
		r.journalRelease(id, name)
	}
}

// republishPane publishes a terminal whose share has changed. Browser panes publish that themselves.
func (r *Registry) republishPane(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, info := range r.list {
		if info.ID != id || info.Kind != pane.Terminal {
			continue
		}
		info.GoalID, info.Shared = "", false
		r.publishList(r.leasedTerminal(info), false)
		return
	}
}

// CanDrive reports whether the goal may drive a pane: the goal opened it, or the user shares it.
func (r *Registry) CanDrive(id goal.ID, info pane.Info) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leasedTerminal(info).GoalID == string(id)
}

// LeaseShared leases to a run the panes that the user shares with its goal. It journals these leases, and those of the
// goal's own panes that are still open from an earlier run.
func (r *Registry) LeaseShared(ctx context.Context, run goal.Run) error {
	shared, err := r.beginLease(run.Goal)
	if err != nil {
		return err
	}
	for _, b := range r.browsersOf(run.Goal) {
		b.Driver.BeginDrive()
	}
	bodies := []event.Body{}
	for _, info := range r.Snapshot().Panes {
		if info.GoalID == string(run.Goal) && !info.Shared && (info.Running || info.Kind == pane.Browser) {
			bodies = append(bodies, &event.Lease{Pane: info.ID, Kind: info.Kind, Held: true})
		}
	}
	for _, info := range shared {
		bodies = append(bodies, &event.Lease{Pane: info.ID, Kind: info.Kind, Held: true, Shared: true})
	}
	if len(bodies) == 0 {
		return nil
	}
	if err := r.Store.Journal.Append(context.WithoutCancel(ctx), run, bodies...); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

// endLeases ends the shares of a goal whose run has ended.
func (r *Registry) endLeases(id goal.ID) { r.EndShare(id, r.isPaused(id)) }

// EndDrive ends the shares of a goal whose run has just ended, and lets the user act on its own pages. If the goal is
// not paused, it also hands back pages that the user has taken over, because no goal waits for them.
func (r *Registry) EndDrive(id goal.ID) {
	paused := r.isPaused(id)
	r.EndShare(id, paused)
	for _, b := range r.browsersOf(id) {
		b.Driver.EndDrive()
		if paused || b.State.Driver() != pane.DriverUser {
			continue
		}
		if err := b.Driver.HandBack(); err != nil {
			// it was handed back in the meantime
			r.Log.Debug("a page was not handed back at the end of a goal", "goal", id, "error", err)
		}
	}
}

func (r *Registry) isPaused(id goal.ID) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	row, err := r.Store.Goals.Get(ctx, id)
	return err == nil && row.Status == goal.Paused
}

// browsersOf lists the browser panes of a goal: its own and those shared with it.
func (r *Registry) browsersOf(id goal.ID) []*browser.Pane {
	var list []*browser.Pane
	for _, info := range r.Browsers.List() {
		if b, ok := r.Browsers.Get(info.ID); ok && info.GoalID == string(id) {
			list = append(list, b)
		}
	}
	return list
}
