package attention

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/host/webhook"
)

// remind notifies the user once more of each request that has waited for long, and returns when the next one will
// have; zero if none will. A window that shows the goal does not matter: nobody has answered in it.
func (n *Notifier) remind(ctx context.Context, open needs) (next time.Time) {
	after := time.Duration(n.Config.Settings().EscalateAfter) * time.Minute
	if after == 0 {
		return next
	}
	now := n.Clock.Now()
	for one, w := range open {
		if w.isReminded || one.what == changedFiles || w.event.At.Before(n.Began) {
			continue
		}
		due := w.event.At.Add(after)
		if due.After(now) {
			if next.IsZero() || due.Before(next) {
				next = due
			}
			continue
		}
		if w.isReminded = true; n.stillWaits(ctx, one) {
			n.showReminder(ctx, one, w, now)
		}
	}
	return next
}

// stillWaits reports whether a goal may still need the user. Another process can have ended or deleted it.
func (n *Notifier) stillWaits(ctx context.Context, one need) bool {
	row, err := n.Store.Goals.Get(ctx, one.goal)
	return err == nil && (row.Status.IsActive() || one.what == changedFiles)
}

// showReminder replaces the notification of a need with one that says how long it has waited.
func (n *Notifier) showReminder(ctx context.Context, one need, w *waiting, now time.Time) {
	m := message{Notification: asking(w.event.Body), need: one, event: webhook.NeedsYou, at: now}
	m.waited = now.Sub(w.event.At).Truncate(time.Minute)
	m.Title = fmt.Sprintf("A goal has waited %s for you", goal.FormatCount(int(m.waited.Minutes()), "minute"))
	n.withdraw(ctx, []need{one})
	n.show(ctx, w.event, m)
}
