// Package attention notifies the user on the desktop when a goal needs the user or ends.
package attention

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/notify"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Notifier notifies the user on the desktop when a goal needs the user or ends. Its methods may be called concurrently
// after Start.
type Notifier struct {
	Config *config.Config
	Log    *slog.Logger
	Mask   *secret.Mask
	Store  *store.Store
	Broker *event.Broker
	Began  time.Time // when this process began; older events are not shown

	sub  *event.Subscription // nil before Start
	work sync.WaitGroup
}

// notificationTimeout bounds how long the desktop may take to accept a notification.
const notificationTimeout = 5 * time.Second

// Start shows notifications until Close. It shows each need of a goal once. Without a desktop it shows nothing.
func (n *Notifier) Start(ctx context.Context) {
	sub := n.Broker.SubscribeLossy(64)
	n.sub = sub
	n.work.Go(func() {
		waits := map[goal.ID]bool{}
		daily := dailyNotices{}
		for e := range sub.C {
			note, ok := notificationFor(e, waits)
			if !ok {
				note, ok = daily.noticeFor(e)
			}
			if !ok || e.At.Before(n.Began) || !n.Config.Settings().Notifications {
				continue
			}
			n.show(ctx, e, note)
		}
	})
}

// Close stops the notifications and waits for the last one.
func (n *Notifier) Close() {
	if n.sub != nil {
		n.sub.Close()
		n.work.Wait()
	}
}

// notificationFor returns the notification for an event, if it needs one. waits are the goals that need the user and
// have been shown; notificationFor updates it.
func notificationFor(e event.Event, waits map[goal.ID]bool) (n notify.Notification, show bool) {
	switch b := e.Body.(type) {
	case *event.ApprovalRequested:
		n, show = notify.Notification{Title: "A goal needs you", Text: b.Why, Urgent: true}, !waits[e.GoalID]
		waits[e.GoalID] = true
	case *event.Paused:
		if b.Exit == goal.NeedsUser {
			n, show = notify.Notification{Title: "A goal needs you", Text: b.Reason, Urgent: true}, !waits[e.GoalID]
			waits[e.GoalID] = true
		}
	case *event.ApprovalResolved, *event.Resumed:
		delete(waits, e.GoalID)
	case *event.Warning:
		if b.What == event.ChangedWarning {
			n, show = notify.Notification{Title: "A goal's files changed after done", Text: b.Text}, !waits[e.GoalID]
			waits[e.GoalID] = true
		}
	case *event.SchedulesChanged:
		n, show = notify.Notification{Title: "A schedule was turned off", Text: b.TurnedOff}, b.TurnedOff != ""
	case *event.Ended:
		delete(waits, e.GoalID)
		n.Title, n.Text, show = "A goal is done", b.Result, b.Exit != goal.AbortedByUser // the user knows
		if b.Exit != goal.Done {
			n.Title = "A goal ended: " + strings.ReplaceAll(string(b.Exit), "_", " ")
		}
	}
	return n, show
}

// dailyNotices holds the days for which the user was notified that most of the limit, or all of it, is used up.
type dailyNotices struct{ near, reached string }

// noticeFor returns the notification for an event about a daily limit. It returns each of the two once a day, even if
// several goals report it.
func (d *dailyNotices) noticeFor(e event.Event) (n notify.Notification, show bool) {
	day := e.At.Local().Format(time.DateOnly)
	switch b := e.Body.(type) {
	case *event.Warning:
		if b.What == event.DailyLimitWarning && d.near != day {
			d.near = day
			return notify.Notification{Title: "Most of the daily limit is used up", Text: b.Text}, true
		}
	case *event.Paused:
		if b.Exit == goal.DailyLimitReached && d.reached != day {
			d.reached = day
			return notify.Notification{Title: "Goals are paused: the daily limit is reached", Text: b.Reason, Urgent: true}, true
		}
	}
	return n, false
}

// maxNotificationText is how many characters of a text a notification shows.
const maxNotificationText = 60

// notificationText returns the goal's objective with a text about the event. For an ended goal that is what it proves.
func notificationText(g goal.Goal, body event.Body, details string) string {
	details = text.Truncate(details, maxNotificationText)
	if end, ok := body.(*event.Ended); ok {
		details = end.Proof.Describe(g.JudgeName())
	}
	return strings.TrimSpace(text.Truncate(g.Objective, maxNotificationText) + "\n" + details)
}

// isAboutDay reports whether an event is about the daily limit of all goals.
func isAboutDay(body event.Body) bool {
	switch b := body.(type) {
	case *event.Warning:
		return b.What == event.DailyLimitWarning
	case *event.Paused:
		return b.Exit == goal.DailyLimitReached
	}
	return false
}

// show passes a notification about an event to the desktop, with the goal's objective.
func (n *Notifier) show(ctx context.Context, e event.Event, note notify.Notification) {
	ctx, cancel := context.WithTimeout(ctx, notificationTimeout)
	defer cancel()
	if row, err := n.Store.Goals.Get(ctx, e.GoalID); err == nil && !isAboutDay(e.Body) {
		note.Text = notificationText(row.Goal, e.Body, note.Text)
	}
	note.Text = n.Mask.Text(note.Text)
	n.deliver(ctx, note)
}

// ShowDamage says that the daily copy found the database damaged.
func (n *Notifier) ShowDamage(problem error) {
	if !n.Config.Settings().Notifications {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), notificationTimeout)
	defer cancel()
	n.deliver(ctx, notify.Notification{
		Title:  "Goalpost's database is damaged",
		Text:   api.ToProblem(problem).Message + ". goalctl doctor says what can be restored.",
		Urgent: true,
	})
}

// deliver passes a notification to the desktop.
func (n *Notifier) deliver(ctx context.Context, note notify.Notification) {
	d, err := notify.Open(ctx)
	if err == nil {
		_, err = d.Show(ctx, note)
		_ = d.Close() // the notification has been delivered
	}
	if err != nil {
		n.Log.Debug("a notification was not shown", "error", err)
	}
}
