// Package attention notifies the user when a goal needs the user or ends: on the desktop, where the buttons of a
// notification answer what it asks for, and by webhooks.
package attention

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/notify"
	"goalpost/backend/host/webhook"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Answerer takes the user's answers.
type Answerer interface {
	// Answer answers one open approval. It refuses one that was answered before.
	Answer(ctx context.Context, id goal.ID, o goal.Order) error
}

// Notifier notifies the user when a goal needs the user or ends. Its methods may be called concurrently after Start.
type Notifier struct {
	Config *config.Config
	Log    *slog.Logger
	Mask   *secret.Mask
	Store  *store.Store
	Broker *event.Broker
	Goals  Answerer
	Looks  *Looks
	Began  time.Time // when this process began; older events are not shown
	// Webhooks receive what the desktop shows.
	Webhooks *Webhooks
	Clock    runner.Clock
	// Digest sums up what has happened since a time.
	Digest func(ctx context.Context, since time.Time) (DigestText, error)

	window  atomic.Pointer[Window]
	sub     *event.Subscription // nil before Start
	work    sync.WaitGroup
	desktop desktop
	held    held

	digestTime digestTime // of run
}

// showTimeout bounds how long the desktop may take to accept a notification.
const showTimeout = 5 * time.Second

// eventBuffer is how many events may come while the desktop is slow. Streamed text is among them.
const eventBuffer = 4096

// Start notifies the user until Close. It shows each need of a goal once, and removes its notification when the need
// has ended. What the user looks at needs no notification. Without a desktop it shows nothing there.
func (n *Notifier) Start(ctx context.Context) {
	n.sub = n.Broker.SubscribeLossy(eventBuffer)
	n.held.changed = make(chan struct{}, 1)
	n.work.Go(func() { n.run(ctx, n.sub.C) })
}

// run handles events, and what is due, until there are no more events.
func (n *Notifier) run(ctx context.Context, events <-chan event.Event) {
	open, daily := needs{}, dailyNotices{}
	n.digestTime = n.firstDigest(ctx)
	due := n.look(ctx, open)
	for {
		needsLook := true
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			needsLook = n.handle(ctx, open, &daily, e)
		case <-n.held.changed:
		case <-due:
		}
		if needsLook {
			due = n.look(ctx, open)
		}
	}
}

// handle shows the notification for an event, if it needs one, and removes those of needs that have ended. It reports
// whether the times at which something is due may have changed.
func (n *Notifier) handle(ctx context.Context, open needs, daily *dailyNotices, e event.Event) bool {
	m, show, ended := open.update(e)
	if !show {
		m.event = webhook.NeedsYou
		m.Notification, show = daily.noticeFor(e)
	}
	n.withdraw(ctx, ended)
	n.held.drop(ended)
	if show && !e.At.Before(n.Began) && !n.Looks.Sees(e.GoalID) {
		n.show(ctx, e, m)
	}
	_, isSettings := e.Body.(*event.SettingsChanged)
	return show || isSettings || len(ended) > 0
}

// Close stops the notifications and waits for the last one, and for an answer that is being given.
func (n *Notifier) Close() {
	if n.sub != nil {
		n.sub.Close()
		n.work.Wait()
	}
	n.desktop.close()
	n.Webhooks.Close()
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

// notificationText returns the goal's objective with a text about the event. For an ended goal that is what it proves,
// and for a call that waits the call.
func notificationText(g goal.Goal, body event.Body, details string) string {
	switch b := body.(type) {
	case *event.Ended:
		details = b.Proof.Describe(g.JudgeName())
	case *event.ApprovalRequested: // it is short
	default:
		details = text.Truncate(details, maxNotificationText)
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

// show passes a notification about an event to the desktop and the webhooks, with the goal's objective.
func (n *Notifier) show(ctx context.Context, e event.Event, m message) {
	m.details = m.Text
	if m.at.IsZero() {
		m.at = e.At
	}
	if row, err := n.Store.Goals.Get(ctx, e.GoalID); err == nil && !isAboutDay(e.Body) {
		m.goal = &row.Goal
		if b, ok := e.Body.(*event.Ended); ok {
			m.details = strings.TrimSpace(b.Proof.Describe(row.JudgeName()) + "\n" + m.details)
		}
		m.Text = notificationText(row.Goal, e.Body, m.Text)
	}
	if b, ok := e.Body.(*event.ApprovalRequested); ok {
		m.Actions = n.answers(ctx, e.GoalID, b.Approval)
	}
	if e.GoalID != "" && !isAboutDay(e.Body) {
		m.Actions = append(m.Actions, n.opening(e)...)
	}
	n.deliver(ctx, m)
}

// ShowDamage says that the daily copy found the database damaged.
func (n *Notifier) ShowDamage(problem error) {
	n.deliver(context.Background(), message{
		event: webhook.NeedsYou,
		at:    n.Clock.Now(),
		Notification: notify.Notification{
			Title:  "Goalpost's database is damaged",
			Text:   api.ToProblem(problem).Message + ". goalctl doctor says what can be restored.",
			Urgent: true,
		},
	})
}

// deliver passes a message to the desktop and to the webhooks that want its event. During quiet hours it is held back.
func (n *Notifier) deliver(ctx context.Context, m message) {
	if !n.quietUntil().IsZero() {
		n.held.add(m)
		return
	}
	n.pass(ctx, []message{m})
}

// pass passes messages to the desktop, and to each webhook those that it wants; several as one.
func (n *Notifier) pass(ctx context.Context, list []message) {
	n.showOnDesktop(ctx, summarize(list))
	for _, one := range n.Config.Webhooks() {
		wanted := slices.DeleteFunc(slices.Clone(list), func(m message) bool {
			return !slices.Contains(one.Events, string(m.event))
		})
		if len(wanted) > 0 {
			n.Webhooks.deliver(one, n.outgoing(summarize(wanted)))
		}
	}
}

// outgoing returns a message for webhooks, with its link.
func (n *Notifier) outgoing(m message) webhook.Message {
	out := m.outgoing(n.Mask.Text)
	id := ""
	if out.Goal != nil {
		id = out.Goal.ID
	}
	out.Link = n.Webhooks.link(id)
	return out
}

// showOnDesktop passes a message to the desktop, if the user wants that.
func (n *Notifier) showOnDesktop(ctx context.Context, m message) {
	s := n.Config.Settings()
	if !s.Notifications {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	m.Text, m.Sound = n.Mask.Text(m.Text), s.NotificationSound
	if err := n.desktop.show(ctx, m); err != nil {
		n.Log.Debug("a notification was not shown", "error", err)
	}
}

// withdraw removes the notifications of needs that have ended.
func (n *Notifier) withdraw(ctx context.Context, ended []need) {
	for _, one := range ended {
		ctx, cancel := context.WithTimeout(ctx, showTimeout)
		if err := n.desktop.withdraw(ctx, one); err != nil {
			n.Log.Debug("a notification was not removed", "error", err)
		}
		cancel()
	}
}
