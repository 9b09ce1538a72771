package app

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

// notifier notifies the user on the desktop when a goal needs the user or ends.
type notifier struct {
	cfg    *config.Config
	log    *slog.Logger
	mask   *secret.Mask
	store  *store.Store
	broker *event.Broker
	began  time.Time // when this process began; older events are not shown

	sub  *event.Subscription // nil before start
	work sync.WaitGroup
}

// notificationTimeout bounds how long the desktop may take to accept a notification.
const notificationTimeout = 5 * time.Second

// start shows notifications until close. It shows each need of a goal once. Without a desktop it shows nothing.
func (no *notifier) start(ctx context.Context) {
	sub := no.broker.SubscribeLossy(64)
	no.sub = sub
	no.work.Go(func() {
		waits := map[goal.ID]bool{}
		daily := dailyNotices{}
		for e := range sub.C {
			n, ok := notificationFor(e, waits)
			if !ok {
				n, ok = daily.noticeFor(e)
			}
			if !ok || e.At.Before(no.began) || !no.cfg.Settings().Notifications {
				continue
			}
			no.show(ctx, e, n)
		}
	})
}

// close stops the notifications and waits for the last one.
func (no *notifier) close() {
	if no.sub != nil {
		no.sub.Close()
		no.work.Wait()
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
func (no *notifier) show(ctx context.Context, e event.Event, n notify.Notification) {
	ctx, cancel := context.WithTimeout(ctx, notificationTimeout)
	defer cancel()
	if row, err := no.store.Goals.Get(ctx, e.GoalID); err == nil && !isAboutDay(e.Body) {
		n.Text = notificationText(row.Goal, e.Body, n.Text)
	}
	n.Text = no.mask.Text(n.Text)
	no.deliver(ctx, n)
}

// showDamage says that the daily copy found the database damaged.
func (no *notifier) showDamage(problem error) {
	if !no.cfg.Settings().Notifications {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), notificationTimeout)
	defer cancel()
	no.deliver(ctx, notify.Notification{
		Title:  "Goalpost's database is damaged",
		Text:   api.ToProblem(problem).Message + ". goalctl doctor says what can be restored.",
		Urgent: true,
	})
}

// deliver passes a notification to the desktop.
func (no *notifier) deliver(ctx context.Context, n notify.Notification) {
	d, err := notify.Open(ctx)
	if err == nil {
		err = d.Notify(ctx, n)
		_ = d.Close() // the notification has been delivered
	}
	if err != nil {
		no.log.Debug("a notification was not shown", "error", err)
	}
}
