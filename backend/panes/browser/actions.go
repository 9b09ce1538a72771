package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// Actions runs an action of the agent, waits until the page is quiet and reports what changed.
// lastClickActivity and lastChanges are guarded by the agent's turn.
type Actions struct {
	state    *State
	activity *Activity
	prompts  *Prompts
	frames   *frames
	turns    *turns
	targets  *targets

	// Of the current action, for the caller that has the turn: what the last click reported about the
	// page, and what had changed when the page came to rest.
	lastClickActivity map[*page]*frameActivity
	lastChanges       map[*page]*changes

	mu          sync.Mutex        // guards the fields below; never held while another part is called
	actionCount int               // counts the agent's actions
	point       *pane.ActionPoint // of the current action
}

// actionHintDuration is how long the description of an action stays visible to the user.
const actionHintDuration = 1500 * time.Millisecond

// ActionResult is the result of an action.
type ActionResult = pane.ActionResult

// targetPoint is a point on an element.
type targetPoint struct {
	Ref   string  `json:"ref"`
	Words string  `json:"words"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// runAction wraps an action that changes the page: it observes the page, waits until it is quiet,
// and reports what changed.
func (ac *Actions) runAction(
	ctx context.Context, what string, f func(context.Context, *page) error,
) (ActionResult, error) {
	return ac.runOn(ctx, what, func(*page) bool { return false }, f)
}

// runOn is runAction with one more argument: asks reports whether f begins with a call of the page's script (see
// markState).
func (ac *Actions) runOn(
	ctx context.Context, what string, asks func(*page) bool, f func(context.Context, *page) error,
) (ActionResult, error) {
	var result ActionResult
	err := ac.turns.withTurn(ctx, what, func(ctx context.Context, pg *page) error {
		before := ac.state.Info()
		ac.state.change(func() { ac.state.loadNotice, ac.prompts.dialogsInARow = "", 0 })
		ac.setPoint(nil)
		if err := ac.markState(ctx, pg, asks(pg)); err != nil {
			return err
		}
		var err error
		if result, err = ac.actAndSettle(ctx, pg, before, f); err != nil {
			return err
		}
		_, result.Point = ac.currentPoint()
		return nil
	})
	return result, err
}

// runDuringDialog is runAction while the page waits for an answer, which f gives.
func (ac *Actions) runDuringDialog(
	ctx context.Context, what string, f func(context.Context, *page) error,
) (ActionResult, error) {
	var result ActionResult
	err := ac.turns.withDialogTurn(ctx, what, func(ctx context.Context, pg *page) (err error) {
		result, err = ac.actAndSettle(ctx, pg, ac.state.Info(), f)
		return err
	})
	return result, err
}

// actAndSettle acts, waits until the page is quiet or opens a prompt, and reports what changed.
func (ac *Actions) actAndSettle(
	ctx context.Context, pg *page, before pane.Info, f func(context.Context, *page) error,
) (ActionResult, error) {
	err := ac.act(ctx, pg, f)
	switch {
	case pg.hasClosedItself(): // by the action, as a sign-in window does
		return ActionResult{URL: before.URL, Title: before.Title, Changed: errClosedItself.Error() + "\n"}, nil
	case err != nil && !errors.Is(err, errPromptOpen):
		return ActionResult{}, err
	}
	return ac.actionResult(ctx, pg, before), nil
}

// act acts and waits until the page is quiet or opens a prompt.
func (ac *Actions) act(ctx context.Context, pg *page, f func(context.Context, *page) error) error {
	ac.lastClickActivity, ac.lastChanges = map[*page]*frameActivity{}, map[*page]*changes{}
	ac.state.trackNetwork(pg, true)
	defer ac.state.trackNetwork(pg, false)
	defer ac.clearActionHint()
	if err := f(ctx, pg); err != nil {
		return err
	}
	ctx, cancel := ac.prompts.withoutPrompts(ctx)
	defer cancel(nil)
	ac.waitUntilSettled(ctx, pg)
	if ctx.Err() == nil {
		ac.notePendingNavigation()
	}
	return nil
}

// notePendingNavigation adds to the result a navigation or a window that the page has announced but not begun.
func (ac *Actions) notePendingNavigation() {
	ac.state.mu.Lock()
	net := ac.state.network
	ac.state.mu.Unlock()
	if !net.leaving.IsZero() {
		ac.activity.noteDuringAction("the page is about to leave for another address")
	}
	if !net.opening.IsZero() {
		ac.activity.noteDuringAction("it asked for a new window, which has not opened yet")
	}
}

// actionResult never fails: the action is done, whatever the state of the page is now.
func (ac *Actions) actionResult(ctx context.Context, pg *page, before pane.Info) ActionResult {
	var b strings.Builder
	ac.state.mu.Lock()
	now, happened := ac.state.info, ac.activity.actionEvents
	ac.activity.actionEvents = nil
	ac.state.mu.Unlock()
	for _, h := range happened {
		fmt.Fprintf(&b, "%s\n", h)
	}
	if now.URL != before.URL {
		fmt.Fprintf(&b, "the address is now %s\n", text.SanitizeLine(now.URL, 200))
	}
	if now.Loading {
		b.WriteString("the page is still loading\n")
	}
	if q, open := ac.prompts.blockingPrompt(); open {
		fmt.Fprintf(&b, "the page is blocked until its %s is answered: answer it, or your next action dismisses it\n",
			q.Kind)
		return ActionResult{URL: now.URL, Title: now.Title, Changed: changeReport(b.String())}
	}
	ctx, cancel := context.WithTimeout(ctx, ac.state.m.limits.settle)
	defer cancel()
	ctx, cancelPrompts := ac.prompts.withoutPrompts(ctx)
	defer cancelPrompts(nil)
	changes, err := ac.changesSinceMark(ctx, pg)
	if err != nil {
		ac.state.markHung(err)
		fmt.Fprintf(&b, "what changed is unknown: %s\n", text.SanitizeLine(err.Error(), 200))
	} else {
		if changes == "" && b.Len() == 0 {
			changes = "nothing visible changed\n"
		}
		b.WriteString(changes)
	}
	return ActionResult{URL: now.URL, Title: now.Title, Changed: changeReport(b.String())}
}

// markState records the lines in view of the page and its frames. With asks it does not wait for
// the page, because the next call of the script runs after this one. Keys and the mouse take
// another path and could overtake it.
func (ac *Actions) markState(ctx context.Context, pg *page, asks bool) error {
	for _, view := range ac.frames.inOrder(pg) {
		if asks && view == pg && view.callScriptAsync("startDiff") {
			continue
		}
		if err := view.callScript(ctx, nil, "startDiff"); err != nil && view == pg {
			return err
		}
	}
	return nil
}

// changes holds the differences since markState.
type changes struct {
	Fresh         bool // the page shows another document
	Added         []string
	More, Removed int
	Notes         []string // what changed without a new line: order, places, drawings, scrolling
}

// isVisible reports whether the changes are more than a new state of the element with this ref.
func (c *changes) isVisible(ref string) bool {
	added := slices.ContainsFunc(c.Added, func(line string) bool {
		return ref == "" || !strings.HasPrefix(line, ref+" ")
	})
	return c.Fresh || added || c.More > 0 || c.Removed > len(c.Added)
}

// changesSinceMark returns the differences since markState.
func (ac *Actions) changesSinceMark(ctx context.Context, pg *page) (string, error) {
	var all changes
	hasSilentFrame := false
	for _, view := range ac.frames.inOrder(pg) {
		d := ac.lastChanges[view]
		if d == nil || !view.callScriptAsync("stopDiff") {
			d = &changes{}
			if err := view.callScript(ctx, d, "endDiff"); err != nil {
				if view == pg {
					return "", err
				}
				hasSilentFrame = hasSilentFrame || view.isUnresponsive(err)
				continue
			}
		}
		if view == pg {
			all.Fresh = d.Fresh
		}
		all.Added = append(all.Added, slices.DeleteFunc(d.Added, isFramePlaceholder)...)
		all.More, all.Removed = all.More+d.More, all.Removed+d.Removed
		all.Notes = append(all.Notes, d.Notes...)
	}
	ac.targets.rememberRefs(all.Added)
	changes := describeChange(all)
	if hasSilentFrame {
		changes += unresponsiveFrameText + "\n"
	}
	return changes, nil
}

func describeChange(c changes) string {
	var b strings.Builder
	if c.Fresh {
		b.WriteString("a new document:\n")
	}
	for _, line := range c.Added {
		mark := "+ "
		if c.Fresh {
			mark = ""
		}
		fmt.Fprintf(&b, "%s%s\n", mark, text.SanitizeLine(line, 200))
	}
	if c.More > 0 {
		fmt.Fprintf(&b, "+ %s\n", countLines(c.More, "more line", "more lines"))
	}
	if c.Removed > 0 {
		fmt.Fprintf(&b, "%s disappeared\n", countLines(c.Removed, "line", "lines"))
	}
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "~ %s\n", text.SanitizeLine(note, 800))
	}
	return b.String()
}

// maxChangeBytes limits the report of an action. Most pages stay below a tenth of it.
const maxChangeBytes = 4000

// changeReport returns as many whole lines of the changes as fit into maxChangeBytes.
func changeReport(changes string) string {
	return text.TruncateLines(strings.TrimSuffix(changes, "\n"), maxChangeBytes)
}

// showActionHint shows the user what the agent does, and where.
func (ac *Actions) showActionHint(words string, x, y float64) {
	ac.state.change(func() {
		ac.state.info.Acting, ac.state.info.X, ac.state.info.Y = words, x, y
		ac.setPoint(&pane.ActionPoint{Words: words, X: x, Y: y, At: time.Now()})
	})
}

// setPoint sets the point of the current action, nil for an action that begins.
func (ac *Actions) setPoint(at *pane.ActionPoint) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.point = at; at != nil {
		ac.actionCount++
	}
}

// currentPoint returns the point of the current action, nil if it has none yet, and the number of points before it.
func (ac *Actions) currentPoint() (count int, at *pane.ActionPoint) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	return ac.actionCount, ac.point
}

// clearActionHint hides the description after a while, unless another action has begun.
func (ac *Actions) clearActionHint() {
	acts, _ := ac.currentPoint()
	time.AfterFunc(actionHintDuration, func() { // on a closed pane it has no visible effect
		ac.state.change(func() {
			if now, _ := ac.currentPoint(); now == acts {
				ac.state.info.Acting = ""
			}
		})
	})
}
