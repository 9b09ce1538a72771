package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Condition is the condition that Wait waits for.
type Condition = pane.WaitCondition

// Wait waits until the page fulfills the condition, or fails with ErrTimeout. It ends when a user
// takes over.
func (ac *Actions) Wait(ctx context.Context, want Condition, limit time.Duration) (ActionResult, error) {
	if want == (Condition{}) {
		return ActionResult{}, errors.New(
			"waiting: no condition was given: name a text, a text that disappears, or an address")
	}
	result, err := ac.waitFor(ctx, want, limit)
	if errors.Is(err, ErrTimeout) {
		return result, &waitTimeoutError{limit}
	}
	return result, err
}

// waitTimeoutError reports that a page did not fulfill a condition. It is an ErrTimeout, although
// the page did answer.
type waitTimeoutError struct{ limit time.Duration }

func (w *waitTimeoutError) Error() string {
	return fmt.Sprintf("the page did not fulfill the condition within %s: look at what it shows now",
		goal.FormatDuration(w.limit))
}

func (w *waitTimeoutError) Unwrap() error { return ErrTimeout }

func (ac *Actions) waitFor(ctx context.Context, want Condition, limit time.Duration) (ActionResult, error) {
	return ac.runAction(ctx, "waiting", func(ctx context.Context, pg *page) error {
		ac.showActionHint("waits", 0, 0)
		ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
		defer cancel()
		for {
			err := ac.state.wait(ctx, func() bool {
				return strings.Contains(ac.state.info.URL, want.URL) && ac.state.load.isLoaded()
			})
			if err != nil {
				return err
			}
			isMet, err := ac.isConditionMet(ctx, pg, want)
			ac.state.mu.Lock()
			isMet = isMet && strings.Contains(ac.state.info.URL, want.URL)
			changed := ac.state.changed
			ac.state.mu.Unlock()
			switch {
			case ctx.Err() != nil:
				return cdp.Cause(ctx)
			case err == nil && isMet:
				return nil
			case errorCode(err) == "bad": // about the target: waiting does not help
				return err
			case pg.alive.Err() != nil:
				return fmt.Errorf("waiting: %w", context.Cause(pg.alive)) //nolint:contextcheck // why the page is gone
			}
			// The document was replaced during the call, or did not fulfill the condition within a
			// few seconds. Try again after the next change, or after a moment.
			awaitChange(ctx, changed, 200*time.Millisecond)
		}
	})
}

// isConditionMet reports whether the page and its frames of other sites together fulfill the condition. It waits a few
// seconds for that.
func (ac *Actions) isConditionMet(ctx context.Context, pg *page, want Condition) (bool, error) {
	_, _ = pg.injectClosedRoots(ctx)
	views := ac.frames.inOrder(pg)
	timeout := 4000
	if len(views) > 1 {
		timeout = 300 // in ms, before the frames are checked too
	}
	isMet := false
	if err := pg.callScript(ctx, &isMet, "waitUntil", want.Text, want.Gone, want.Target, timeout); err != nil || isMet ||
		len(views) == 1 {
		return isMet, err
	}
	// One frame may fulfill what another one does not.
	state := func(text, absent, target string) (some, all bool) {
		all = true
		for _, view := range views {
			one := false
			err := view.callScript(ctx, &one, "waitUntil", text, absent, target, 0)
			some, all = some || err == nil && one, all && err == nil && one
		}
		return some, all
	}
	isMet = true
	if want.Text != "" {
		some, _ := state(want.Text, "", "")
		isMet = isMet && some
	}
	if want.Gone != "" {
		_, all := state("", want.Gone, "")
		isMet = isMet && all
	}
	if want.Target != "" {
		some, _ := state("", "", want.Target)
		isMet = isMet && some
	}
	return isMet, nil
}
