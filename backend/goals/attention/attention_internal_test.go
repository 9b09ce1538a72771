package attention

import (
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestNeeds_EachOne_IsReportedOnce: each approval is reported once. A goal that pauses because nobody answered is not
// reported again until it is answered or resumed.
func TestNeeds_EachOne_IsReportedOnce(t *testing.T) {
	open := needs{}
	asks, needsUser := approvalRequested("a1"), &event.Paused{Exit: goal.NeedsUser}
	for i, c := range []struct {
		goal     goal.ID
		body     event.Body
		reported bool
		ended    int
	}{
		{"a", asks, true, 0},
		{"a", asks, false, 0},
		{"b", asks, true, 0},
		{"a", approvalRequested("a2"), true, 0},
		{"a", needsUser, false, 0},
		{"a", &event.ApprovalResolved{Request: "a2"}, false, 1},
		{"a", needsUser, false, 0},
		{"a", &event.ApprovalResolved{Request: "a1"}, false, 1},
		{"a", needsUser, true, 0},
		{"a", needsUser, false, 0},
		{"b", &event.Resumed{}, false, 1},
		{"b", needsUser, true, 0},
		{"b", &event.Paused{Exit: goal.PausedByUser}, false, 0},
		{"a", &event.Ended{Exit: goal.AbortedByUser}, false, 1},
		{"b", &event.Ended{Exit: goal.Done}, true, 1},
		{"b", &event.Warning{What: "network"}, false, 0},
		{"b", &event.Warning{What: event.ChangedWarning}, true, 0},
		{"b", &event.Warning{What: event.ChangedWarning}, false, 0},
		{"b", &event.Reopened{}, false, 1},
	} {
		_, reported, ended := open.update(event.Event{GoalID: c.goal, Body: c.body})
		if reported != c.reported || len(ended) != c.ended {
			t.Errorf("%d: reported %v, ended %v", i, reported, ended)
		}
	}
}

func approvalRequested(id string) *event.ApprovalRequested {
	return &event.ApprovalRequested{Approval: goal.Approval{ID: id, Tool: "run_command"}}
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
	n, reported, _ := needs{}.update(event.Event{Body: &event.Ended{Exit: goal.Done, Result: "two bugs"}})
	if !reported || n.Title != "A goal is done" || n.Text != "two bugs" {
		t.Errorf("%t %+v", reported, n.Notification)
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

// TestAnswers_CallNotShownWhole_CannotBeAllowed: a user allows only what the notification says.
func TestAnswers_CallNotShownWhole_CannotBeAllowed(t *testing.T) {
	offers := []policy.Grant{{Scope: policy.ScopeOnce}}
	for _, c := range []struct {
		about string
		a     goal.Approval
		allow bool
		text  string
	}{
		{
			"short",
			goal.Approval{Tool: "run_command", Arguments: `{"command":"curl x","wait":3}`, Offers: offers},
			true,
			"run command\ncommand: curl x\nwait: 3",
		},
		{
			"hidden characters",
			goal.Approval{Tool: "t", Arguments: `{"a":"x\u202ey"}`, Offers: offers},
			true,
			"t\na: x‹U+202E›y",
		},
		{"with a diff", goal.Approval{Tool: "t", Arguments: `{}`, Show: "-a", Offers: offers}, false, "t"},
		{"without an offer", goal.Approval{Tool: "t", Arguments: `{}`}, false, "t"},
		{
			"long",
			goal.Approval{Tool: "t", Arguments: `{"a":"` + strings.Repeat("x", 300) + `"}`, Offers: offers},
			false,
			"t\na: " + strings.Repeat("x", maxCallText-len("t\na: ")) + "…",
		},
		{
			"several lines",
			goal.Approval{Tool: "t", Arguments: `{"a":"x\n\n\ny"}`, Offers: offers},
			false,
			"t\na: x\n\n\ny",
		},
		{"no JSON", goal.Approval{Tool: "t", Arguments: "x", Offers: offers}, true, "t\narguments: x"},
	} {
		labels := []string{}
		for _, b := range (&Notifier{}).answers(t.Context(), "g", c.a) {
			labels = append(labels, b.Label)
			if b.OnClick {
				t.Errorf("%s: a click on the notification does %q", c.about, b.Label)
			}
		}
		if text, _ := describeCall(c.a); slices.Contains(labels, "Allow once") != c.allow || text != c.text {
			t.Errorf("%s: %q with %q", c.about, text, labels)
		}
	}
}

// window is there, or not.
type window bool

func (w window) IsThere() bool        { return bool(w) }
func (window) ShowGoal(goal.ID) error { return nil }

// TestOpening_WithoutAWindow_HasNoButton: a button that cannot do anything is not there.
func TestOpening_WithoutAWindow_HasNoButton(t *testing.T) {
	question := &event.Paused{Exit: goal.NeedsUser, Reason: goal.QuestionPrefix + "red?"}
	labels := func(n *Notifier, b event.Body) (list []string) {
		for _, a := range n.opening(event.Event{GoalID: "g", Body: b}) {
			list = append(list, a.Label)
		}
		return list
	}
	n := &Notifier{}
	if got := labels(n, question); got != nil {
		t.Errorf("before a window is known: %q", got)
	}
	n.ShowGoalsIn(window(false))
	if got := labels(n, question); got != nil {
		t.Errorf("without a window: %q", got)
	}
	n.ShowGoalsIn(window(true))
	for b, want := range map[event.Body]string{
		question:                            "Answer",
		&event.Ended{}:                      "Open",
		&event.ApprovalRequested{}:          "Open",
		&event.Paused{Exit: goal.NeedsUser}: "Open",
	} {
		if got := labels(n, b); !slices.Equal(got, []string{want}) {
			t.Errorf("%T: %q, want %s", b, got, want)
		}
	}
}
