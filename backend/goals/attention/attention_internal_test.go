package attention

import (
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestNeed_IsReportedOnce: a goal that asks several times and then pauses causes one notification, until it is answered
// or resumed.
func TestNeed_IsReportedOnce(t *testing.T) {
	waits := map[goal.ID]bool{}
	asks, needs := &event.ApprovalRequested{}, &event.Paused{Exit: goal.NeedsUser}
	for i, c := range []struct {
		goal     goal.ID
		body     event.Body
		reported bool
	}{
		{"a", asks, true},
		{"a", asks, false},
		{"b", asks, true},
		{"a", needs, false},
		{"a", &event.ApprovalResolved{}, false},
		{"a", asks, true},
		{"b", &event.Resumed{}, false},
		{"b", needs, true},
		{"b", &event.Paused{Exit: goal.PausedByUser}, false},
		{"a", &event.Ended{Exit: goal.AbortedByUser}, false},
		{"b", &event.Ended{Exit: goal.Done}, true},
		{"b", &event.Warning{What: "network"}, false},
		{"b", &event.Warning{What: event.ChangedWarning}, true},
		{"b", &event.Warning{What: event.ChangedWarning}, false},
	} {
		if _, reported := notificationFor(event.Event{GoalID: c.goal, Body: c.body}, waits); reported != c.reported {
			t.Errorf("%d: told %v", i, reported)
		}
	}
}

// TestNotificationText_GoalDone_SaysWhatItProves: the notification names the assurance in plain words.
func TestNotificationText_GoalDone_SaysWhatItProves(t *testing.T) {
	g := goal.Goal{Request: goal.Request{Objective: "paint it", Model: "m1"}}
	for _, c := range []struct {
		body       event.Body
		text, want string
	}{
		{&event.Ended{Exit: goal.Done, Proof: goal.Proof{Assurance: goal.Strong}}, "", "paint it\nVerified"},
		{&event.Ended{Exit: goal.Done, Proof: goal.Proof{Assurance: goal.Judged}}, "", "paint it\nJudged by m1"},
		{&event.Ended{Exit: goal.Done, Proof: goal.Proof{Assurance: goal.Claimed}}, "", "paint it\nClaimed, not verified"},
		{&event.Ended{Exit: goal.ExitError}, "", "paint it"},
		{&event.Paused{Exit: goal.NeedsUser}, "the agent asks: red?", "paint it\nthe agent asks: red?"},
	} {
		if got := notificationText(g, c.body, c.text); got != c.want {
			t.Errorf("%T %+v: %q, want %q", c.body, c.body, got, c.want)
		}
	}
}

// TestNotification_DoneGoal_ShowsItsResult: the notification shows the result that the agent handed over.
func TestNotification_DoneGoal_ShowsItsResult(t *testing.T) {
	n, reported := notificationFor(event.Event{
		Body: &event.Ended{Exit: goal.Done, Result: "two bugs"},
	}, map[goal.ID]bool{})
	if !reported || n.Title != "A goal is done" || n.Text != "two bugs" {
		t.Errorf("%t %+v", reported, n)
	}
}

func TestDailyNotices_SeveralGoals_OneNoticeADay(t *testing.T) {
	var d dailyNotices
	day := time.Date(2026, 11, 23, 10, 0, 0, 0, time.Local)
	at := func(days int, body event.Body) event.Event {
		return event.Event{GoalID: goal.ID("g"), At: day.AddDate(0, 0, days), Body: body}
	}
	warning := &event.Warning{What: event.DailyLimitWarning, Text: "80 %"}
	paused := &event.Paused{Exit: goal.DailyLimitReached, Reason: "Today's limit"}
	for i, c := range []struct {
		e    event.Event
		show bool
	}{
		{at(0, &event.Warning{What: "usd", Text: "50 %"}), false},
		{at(0, warning), true},
		{at(0, warning), false},
		{at(0, paused), true},
		{at(0, paused), false},
		{at(1, warning), true},
		{at(1, paused), true},
		{at(1, &event.Paused{Exit: goal.WaitingForProvider}), false},
	} {
		if n, show := d.noticeFor(c.e); show != c.show || show && n.Text == "" {
			t.Errorf("%d: %v %v", i, n, show)
		}
	}
}
