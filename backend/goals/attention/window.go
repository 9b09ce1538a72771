package attention

import (
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/host/notify"
)

// Window shows goals to the user.
type Window interface {
	// IsThere reports whether ShowGoal can show a goal.
	IsThere() bool
	// ShowGoal brings the window to the front and shows a goal in it.
	ShowGoal(id goal.ID) error
}

// ShowGoalsIn sets the window in which notifications open their goals. Until then they cannot open any.
func (n *Notifier) ShowGoalsIn(w Window) { n.window.Store(&w) }

// opening returns the button that shows the goal of an event, if a window can.
func (n *Notifier) opening(e event.Event) []notify.Action {
	w := n.window.Load()
	if w == nil || !(*w).IsThere() {
		return nil
	}
	label := "Open"
	if b, ok := e.Body.(*event.Paused); ok && strings.HasPrefix(b.Reason, goal.QuestionPrefix) {
		label = "Answer"
	}
	return []notify.Action{{Label: label, OnClick: true, Do: func() {
		if err := (*w).ShowGoal(e.GoalID); err != nil {
			n.Log.Warn("the goal of a notification was not shown", "goal", e.GoalID, "error", err)
		}
	}}}
}
