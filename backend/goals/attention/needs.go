package attention

import (
	"maps"
	"slices"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/host/notify"
	"goalpost/backend/host/webhook"
)

// need is what a goal waits for the user with: an approval, by its id, or one of the words below.
type need struct {
	goal goal.ID
	what string
}

// What a goal waits with besides approvals.
const (
	question     = "question" // of the agent or the host
	changedFiles = "changed files"
)

// needs holds what goals wait for the user with, of which the user was notified.
type needs map[need]*waiting

// waiting is the event with which a need began.
type waiting struct {
	event      event.Event
	isReminded bool // the user was notified again
}

// update returns the notification for an event, if it needs one, and the needs that ended with the event.
func (ne needs) update(e event.Event) (m message, show bool, ended []need) {
	m.event = webhook.NeedsYou
	switch b := e.Body.(type) {
	case *event.ApprovalRequested:
		m.Notification = asking(b)
		m.need, show = ne.add(e, b.ID)
	case *event.Paused:
		if b.Exit == goal.NeedsUser && !ne.has(e.GoalID) { // else the user was notified why
			m.Notification = asking(b)
			m.need, show = ne.add(e, question)
		}
	case *event.ApprovalResolved:
		ended = ne.end(func(n need) bool { return n == need{e.GoalID, b.Request} })
	case *event.Resumed, *event.Reopened, *event.Accepted:
		ended = ne.endAll(e.GoalID)
	case *event.Warning:
		if b.What == event.ChangedWarning {
			m.Notification = notify.Notification{Title: "A goal's files changed after done", Text: b.Text}
			m.need, show = ne.add(e, changedFiles)
		}
	case *event.SchedulesChanged:
		m.Notification, show = notify.Notification{Title: "A schedule was turned off", Text: b.TurnedOff}, b.TurnedOff != ""
	case *event.Ended:
		ended, m.event = ne.endAll(e.GoalID), webhook.Ended
		m.Title, m.Text, show = "A goal is done", b.Result, b.Exit != goal.AbortedByUser // the user knows
		if b.Exit != goal.Done {
			m.Title = "A goal ended: " + strings.ReplaceAll(string(b.Exit), "_", " ")
		}
	}
	return m, show, ended
}

// asking returns the notification for an event with which a goal begins to wait for the user.
func asking(b event.Body) notify.Notification {
	n := notify.Notification{Title: "A goal needs you", Urgent: true}
	switch b := b.(type) {
	case *event.ApprovalRequested:
		n.Text, _ = describeCall(b.Approval)
	case *event.Paused:
		n.Text = b.Reason
	}
	return n
}

func (ne needs) add(e event.Event, what string) (n need, isNew bool) {
	n = need{e.GoalID, what}
	if isNew = ne[n] == nil; isNew {
		ne[n] = &waiting{event: e}
	}
	return n, isNew
}

func (ne needs) has(id goal.ID) bool {
	for n := range ne {
		if n.goal == id {
			return true
		}
	}
	return false
}

func (ne needs) endAll(id goal.ID) []need { return ne.end(func(n need) bool { return n.goal == id }) }

func (ne needs) end(fits func(need) bool) []need {
	ended := slices.DeleteFunc(slices.Collect(maps.Keys(ne)), func(n need) bool { return !fits(n) })
	for _, n := range ended {
		delete(ne, n)
	}
	return ended
}
