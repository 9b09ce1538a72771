package attention

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/host/notify"
	"goalpost/backend/host/webhook"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
)

// longestWait is how long the notifier waits before it looks at the clock again: while the computer sleeps, and when
// its clock is set, timers do not know it.
const longestWait = time.Minute

// quietUntil returns when the present quiet hours end, zero if there are none now.
func (n *Notifier) quietUntil() time.Time {
	hours, err := config.ParseQuietHours(n.Config.Settings().QuietHours)
	if err != nil { // the settings have no such value
		return time.Time{}
	}
	return hours.EndAfter(n.Clock.Now().Local())
}

// look does what is due, and returns when to look again; nil if nothing will be due.
func (n *Notifier) look(ctx context.Context, open needs) <-chan time.Time {
	next := n.quietUntil()
	switch {
	case next.IsZero():
		n.release(ctx, open)
		next = n.remind(ctx, open)
		if digest := n.sendDigest(ctx); next.IsZero() || !digest.IsZero() && digest.Before(next) {
			next = digest
		}
	case n.held.count() == 0 && len(open) == 0 && !n.isDigestWanted():
		next = time.Time{}
	}
	if next.IsZero() {
		return nil
	}
	return n.Clock.After(min(max(next.Sub(n.Clock.Now()), 0), longestWait))
}

// release passes on what was held back. What it names needs no reminder besides.
func (n *Notifier) release(ctx context.Context, open needs) {
	list := slices.DeleteFunc(n.held.take(), func(m message) bool {
		return m.need != (need{}) && !n.stillWaits(ctx, m.need)
	})
	if len(list) == 0 {
		return
	}
	for _, m := range list {
		if w := open[m.need]; w != nil {
			w.isReminded = true
		}
	}
	n.pass(ctx, list)
}

// CountUnsent counts what this process still has to send: messages that are held back until the quiet hours end, and
// the daily digest.
func (n *Notifier) CountUnsent() int {
	count := n.held.count()
	if n.isDigestWanted() {
		count++
	}
	return count
}

// held has the messages of quiet hours. All methods may be called concurrently.
type held struct {
	changed chan struct{} // has one slot; receives that there is a new one

	mu   sync.Mutex
	list []message
}

func (h *held) add(m message) {
	h.mu.Lock()
	h.list = append(h.list, m)
	h.mu.Unlock()
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// drop removes the messages about needs that have ended: the user need not know them any more.
func (h *held) drop(ended []need) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = slices.DeleteFunc(h.list, func(m message) bool { return slices.Contains(ended, m.need) })
}

func (h *held) take() (list []message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, h.list = h.list, nil
	return list
}

func (h *held) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.list)
}

// maxSummaryLines is how many messages a summary names.
const maxSummaryLines = 10

// summarize makes one message of several. A single one stays as it is.
func summarize(list []message) message {
	if len(list) == 1 {
		return list[0]
	}
	var asking, ended, others int
	sum := message{event: webhook.Summary}
	var lines []string
	for _, m := range list {
		line := text.Truncate(m.Title, maxNotificationText)
		switch {
		case m.goal == nil:
			others++
		case m.event == webhook.Ended:
			ended++
		default:
			asking++
		}
		if m.goal != nil {
			line = text.Truncate(m.goal.Objective, maxNotificationText) + ": " + lowerFirst(line)
		}
		lines = append(lines, line)
		sum.Urgent, sum.at = sum.Urgent || m.Urgent, m.at
	}
	if rest := len(lines) - maxSummaryLines; rest > 0 {
		lines = append(lines[:maxSummaryLines], fmt.Sprintf("and %d more", rest))
	}
	sum.Notification = notify.Notification{
		Title: summaryTitle(asking, ended, others), Text: strings.Join(lines, "\n"), Urgent: sum.Urgent,
	}
	return sum
}

// summaryTitle counts, such as "2 goals need you, 1 goal ended".
func summaryTitle(asking, ended, others int) string {
	var parts []string
	switch {
	case asking == 1:
		parts = append(parts, "1 goal needs you")
	case asking > 1:
		parts = append(parts, fmt.Sprintf("%d goals need you", asking))
	}
	if ended > 0 {
		parts = append(parts, goal.FormatCount(ended, "goal")+" ended")
	}
	if others > 0 {
		parts = append(parts, goal.FormatCount(others, "other notice"))
	}
	return strings.Join(parts, ", ")
}

// lowerFirst writes a title of a notification inside a line.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
