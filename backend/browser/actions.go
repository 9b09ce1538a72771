package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// actions runs an action of the agent, waits until the page is quiet and reports what changed.
// lastClickActivity and lastChanges are guarded by the agent's turn, actionCount by the state's
// mutex.
type actions struct {
	state    *state
	activity *activity
	prompts  *prompts
	frames   *frames
	turns    *turns
	targets  *targets

	actionCount int               // counts the agent's actions
	point       *pane.ActionPoint // of the current action, guarded by the state's mutex
	// Of the current action, for the caller that has the turn: what the last click reported about the
	// page, and what had changed when the page came to rest.
	lastClickActivity map[*page]*frameActivity
	lastChanges       map[*page]*changes
}

// actionHintDuration is how long the description of an action stays visible to the user.
const actionHintDuration = 1500 * time.Millisecond

// Acted is the result of an action.
type Acted = pane.ActionResult

// targetPoint is a point on an element.
type targetPoint struct {
	Ref   string  `json:"ref"`
	Words string  `json:"words"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// runAction wraps an action that changes the page: it observes the page, waits until it is quiet,
// and reports what changed.
func (ac *actions) runAction(ctx context.Context, what string, f func(context.Context, *page) error) (Acted, error) {
	return ac.runOn(ctx, what, func(*page) bool { return false }, f)
}

// runOn is runAction on a known page; asks reports whether f begins with a call of the page's
// script.
func (ac *actions) runOn(
	ctx context.Context, what string, asks func(*page) bool, f func(context.Context, *page) error,
) (Acted, error) {
	var acted Acted
	err := ac.turns.withTurn(ctx, what, func(ctx context.Context, pg *page) error {
		before := ac.state.Info()
		ac.state.change(func() { ac.state.loadNotice, ac.prompts.dialogsInARow, ac.point = "", 0, nil })
		if err := ac.markState(ctx, pg, asks(pg)); err != nil {
			return err
		}
		var err error
		if acted, err = ac.actAndSettle(ctx, pg, before, f); err != nil {
			return err
		}
		ac.state.mu.Lock()
		acted.Point = ac.point
		ac.state.mu.Unlock()
		return nil
	})
	return acted, err
}

// runDuringDialog is runAction while the page waits for an answer, which f gives.
func (ac *actions) runDuringDialog(
	ctx context.Context, what string, f func(context.Context, *page) error,
) (Acted, error) {
	var acted Acted
	err := ac.turns.withDialogTurn(ctx, what, func(ctx context.Context, pg *page) (err error) {
		acted, err = ac.actAndSettle(ctx, pg, ac.state.Info(), f)
		return err
	})
	return acted, err
}

// actAndSettle acts, waits until the page is quiet or opens a prompt, and reports what changed.
func (ac *actions) actAndSettle(
	ctx context.Context, pg *page, before pane.Info, f func(context.Context, *page) error,
) (Acted, error) {
	if err := ac.act(ctx, pg, f); err != nil && !errors.Is(err, errPromptOpen) {
		return Acted{}, err
	}
	return ac.actionResult(ctx, pg, before), nil
}

// act acts and waits until the page is quiet or opens a prompt.
func (ac *actions) act(ctx context.Context, pg *page, f func(context.Context, *page) error) error {
	ac.lastClickActivity, ac.lastChanges = map[*page]*frameActivity{}, map[*page]*changes{}
	ac.state.trackNetwork(pg, true)
	defer ac.state.trackNetwork(pg, false)
	defer ac.clearActionHint()
	if err := f(ctx, pg); err != nil {
		return err
	}
	ctx, calm := ac.prompts.withoutPrompts(ctx)
	defer calm(nil)
	ac.waitUntilSettled(ctx, pg)
	if ctx.Err() == nil {
		ac.notePendingNavigation()
	}
	return nil
}

// notePendingNavigation adds to the result what the page has announced and not done yet.
func (ac *actions) notePendingNavigation() {
	ac.state.mu.Lock()
	net := ac.state.network
	ac.state.mu.Unlock()
	if !net.leaving.IsZero() {
		ac.activity.noteDuringAction("the page is about to go elsewhere")
	}
	if !net.opening.IsZero() {
		ac.activity.noteDuringAction("it asks for a new window, which is not there yet")
	}
}

// actionResult never fails: the action is done, whatever the state of the page is now.
func (ac *actions) actionResult(ctx context.Context, pg *page, before pane.Info) Acted {
	var b strings.Builder
	ac.state.mu.Lock()
	now, happened := ac.state.info, ac.activity.actionEvents
	ac.activity.actionEvents = nil
	ac.state.mu.Unlock()
	for _, h := range happened {
		fmt.Fprintf(&b, "%s\n", h)
	}
	if now.URL != before.URL {
		fmt.Fprintf(&b, "the address is now %s\n", sanitize.Line(now.URL, 200))
	}
	if now.Loading {
		b.WriteString("the page is still loading\n")
	}
	if q, open := ac.prompts.blockingPrompt(); open {
		fmt.Fprintf(&b, "the page stands still until its %s is answered: answer it, or your next action dismisses it\n",
			q.Kind)
		return Acted{URL: now.URL, Title: now.Title, Changed: truncateChanges(b.String())}
	}
	ctx, cancel := context.WithTimeout(ctx, ac.state.m.limits.settle)
	defer cancel()
	ctx, calm := ac.prompts.withoutPrompts(ctx)
	defer calm(nil)
	told, err := ac.changesSinceMark(ctx, pg)
	if err != nil {
		ac.state.markHung(err)
		fmt.Fprintf(&b, "what changed is unknown: %s\n", sanitize.Line(err.Error(), 200))
	} else {
		if told == "" && b.Len() == 0 {
			told = "nothing visible changed\n"
		}
		b.WriteString(told)
	}
	return Acted{URL: now.URL, Title: now.Title, Changed: truncateChanges(b.String())}
}

// markState notes what is in view on the page and in its frames. With asks it does not wait for
// the page, because the next call of the script comes after this one. Keys and the mouse reach
// the page another way and could overtake it.
func (ac *actions) markState(ctx context.Context, pg *page, asks bool) error {
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

// changes are the differences since markState.
type changes struct {
	Fresh         bool // the page shows another document
	Added         []string
	More, Removed int
	Notes         []string // what changed without a new line: order, places, drawings, scrolling
}

// isVisible reports that the changes are more than a new state of the element with this ref.
func (c *changes) isVisible(ref string) bool {
	added := slices.ContainsFunc(c.Added, func(line string) bool {
		return ref == "" || !strings.HasPrefix(line, ref+" ")
	})
	return c.Fresh || added || c.More > 0 || c.Removed > len(c.Added)
}

// changesSinceMark returns the differences since markState.
func (ac *actions) changesSinceMark(ctx context.Context, pg *page) (string, error) {
	var all changes
	silent := false
	for _, view := range ac.frames.inOrder(pg) {
		d := ac.lastChanges[view]
		if d == nil || !view.callScriptAsync("stopDiff") {
			d = &changes{}
			if err := view.callScript(ctx, d, "endDiff"); err != nil {
				if view == pg {
					return "", err
				}
				silent = silent || view.isUnresponsive(err)
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
	told := describeChange(all)
	if silent {
		told += unresponsiveFrameText + "\n"
	}
	return told, nil
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
		fmt.Fprintf(&b, "%s%s\n", mark, sanitize.Line(line, 200))
	}
	if c.More > 0 {
		fmt.Fprintf(&b, "+ %s\n", countLines(c.More, "more line", "more lines"))
	}
	if c.Removed > 0 {
		fmt.Fprintf(&b, "%s went\n", countLines(c.Removed, "line", "lines"))
	}
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "~ %s\n", sanitize.Line(note, 800))
	}
	return b.String()
}

// maxChangeBytes limits what an action reports. A usual page stays below a tenth of it.
const maxChangeBytes = 4000

// truncateChanges returns as many whole lines as fit into maxChangeBytes.
func truncateChanges(text string) string {
	text = strings.TrimSuffix(text, "\n")
	if len(text) <= maxChangeBytes {
		return text
	}
	if i := strings.LastIndexByte(text[:maxChangeBytes-3], '\n'); i > 0 {
		return text[:i] + "\n…"
	}
	return sanitize.Line(text, maxChangeBytes-3)
}

// showActionHint shows the user what the agent does, and where.
func (ac *actions) showActionHint(words string, x, y float64) {
	ac.state.change(func() {
		ac.actionCount++
		ac.state.info.Acting, ac.state.info.X, ac.state.info.Y = words, x, y
		ac.point = &pane.ActionPoint{Words: words, X: x, Y: y, At: time.Now()}
	})
}

// clearActionHint hides the description after a while, unless another action has begun.
func (ac *actions) clearActionHint() {
	ac.state.mu.Lock()
	acts := ac.actionCount
	ac.state.mu.Unlock()
	time.AfterFunc(actionHintDuration, func() { // on a closed pane it has no visible effect
		ac.state.change(func() {
			if ac.actionCount == acts {
				ac.state.info.Acting = ""
			}
		})
	})
}
