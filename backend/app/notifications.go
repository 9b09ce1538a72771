package app

import (
	"context"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/notify"
)

// notificationTimeout bounds what a desktop takes to show a note.
const notificationTimeout = 5 * time.Second

// startNotifications tells the user's desktop when a goal needs somebody and when one
// is over. Each need is told once; where no desktop is, nothing is.
func (a *App) startNotifications(ctx context.Context) {
	sub := a.broker.SubscribeLossy(64)
	a.stopNotifications = sub.Close
	a.wg.Go(func() {
		waits := map[goal.ID]bool{}
		for e := range sub.C {
			n, ok := notificationFor(e, waits)
			if !ok || e.At.Before(a.began) || !a.cfg.Settings().Notifications {
				continue
			}
			a.show(ctx, e.GoalID, n)
		}
	})
}

// notificationFor says what a user is told of an event. waits are the goals of which a
// need was told and not met yet.
func notificationFor(e event.Event, waits map[goal.ID]bool) (n notify.Notification, tell bool) {
	switch b := e.Body.(type) {
	case *event.ApprovalRequested:
		n, tell = notify.Notification{Title: "A goal asks for your approval", Text: b.Why, Urgent: true}, !waits[e.GoalID]
		waits[e.GoalID] = true
	case *event.Paused:
		if b.Exit == goal.NeedsUser {
			n, tell = notify.Notification{Title: "A goal needs you", Text: b.Reason, Urgent: true}, !waits[e.GoalID]
			waits[e.GoalID] = true
		}
	case *event.ApprovalResolved, *event.Resumed:
		delete(waits, e.GoalID)
	case *event.Ended:
		delete(waits, e.GoalID)
		n.Title, tell = "A goal is done", b.Exit != goal.AbortedByUser // he knows
		if b.Exit != goal.Done {
			n.Title = "A goal ended: " + strings.ReplaceAll(string(b.Exit), "_", " ")
		}
	}
	return n, tell
}

func (a *App) show(ctx context.Context, id goal.ID, n notify.Notification) {
	ctx, cancel := context.WithTimeout(ctx, notificationTimeout)
	defer cancel()
	if row, err := a.store.Goal(ctx, id); err == nil {
		n.Text = truncateWords(row.Objective) + "\n" + truncateWords(n.Text)
	}
	n.Text = a.mask.Text(n.Text)
	d, err := notify.Open(ctx)
	if err == nil {
		err = d.Notify(ctx, n)
		_ = d.Close() // the note is with the desktop
	}
	if err != nil {
		a.log.Debug("a note was not shown", "error", err)
	}
}

// notificationFinding says whether a desktop shows notes.
func (a *App) notificationFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "notes", Title: "Notifications", State: "ok"}
	ctx, cancel := context.WithTimeout(context.Background(), notificationTimeout)
	defer cancel()
	d, err := notify.Open(ctx)
	if err != nil {
		f.State, f.Detail, f.Hint = "warn", "nothing shows them here: "+err.Error(), "goals that need you are listed under approvals all the same"
		return f
	}
	f.Detail = "shown by " + d.Name()
	_ = d.Close()
	return f
}
