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
		if !due.After(now) {
			w.isReminded = true
			n.showReminder(ctx, one, w, now)
		} else if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}

// showReminder replaces the notification of a need with one that says how long it has waited.
func (n *Notifier) showReminder(ctx context.Context, one need, w *waiting, now time.Time) {
	m := message{Notification: asking(w.event.Body), need: one, event: webhook.NeedsYou, at: now}
	m.waited = now.Sub(w.event.At).Truncate(time.Minute)
	m.Title = fmt.Sprintf("A goal has waited %s for you", goal.FormatCount(int(m.waited.Minutes()), "minute"))
	n.withdraw(ctx, []need{one})
	n.show(ctx, w.event, m)
}
