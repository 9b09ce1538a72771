package attention

import (
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/host/notify"
	"goalpost/backend/host/webhook"
	"goalpost/backend/lib/text"
)

// message is a notification, with what webhooks say besides.
type message struct {
	notify.Notification
	need    need // what it asks for; the zero value asks for nothing
	event   webhook.Event
	at      time.Time
	goal    *goal.Goal // nil if it is about no goal
	details string     // about the event, longer than on the desktop
	waited  time.Duration
}

// maxWebhookObjective is how many characters of an objective the text for a webhook has.
const maxWebhookObjective = 200

// outgoing returns the message for webhooks. mask hides secrets.
func (m message) outgoing(mask func(string) string) webhook.Message {
	out := webhook.Message{Event: m.event, Title: mask(m.Title), Text: mask(m.Text), Urgent: m.Urgent}
	out.At, out.Waited = m.at, m.waited
	if m.goal == nil {
		return out
	}
	objective, details := mask(m.goal.Objective), mask(m.details)
	out.Goal = &webhook.Goal{ID: string(m.goal.ID), Objective: objective, Status: string(m.goal.Status)}
	out.Text = strings.TrimSpace(text.Truncate(objective, maxWebhookObjective) + "\n" + details)
	if m.need != (need{}) && m.need.what != changedFiles {
		out.Asked = details
	}
	return out
}
