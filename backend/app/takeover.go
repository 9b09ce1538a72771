package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

// takeovers remembers which goals were paused because a user took a pane over.
type takeovers struct {
	mu    sync.Mutex
	goals map[goal.ID]bool
}

func (t *takeovers) add(id goal.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.goals == nil {
		t.goals = map[goal.ID]bool{}
	}
	t.goals[id] = true
}

// take says whether the goal was among them, and forgets it.
func (t *takeovers) take(id goal.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.goals[id]
	delete(t.goals, id)
	return was
}

// TakeOver gives a goal's page to the user. Its goal pauses: nothing is spent
// while a user drives. That comes first and is waited for, since what the agent
// does on the page ends at once, and the goal would ask its model what to do next.
func (b *userBrowsing) TakeOver(ctx context.Context, p *browser.Pane) error {
	info := p.Info()
	if id := goal.ID(info.GoalID); id != "" {
		ours, err := b.app.runner.PauseNow(ctx, id, "the user took pane "+info.ID+" over; the goal continues when it is handed back")
		if err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if ours { // else it does not run
			b.app.takeovers.add(id)
		}
	}
	if err := p.TakeOver(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// HandBack gives the page back to the agent. A goal that was paused for it goes
// on when the user has none of its pages any more, and is told to look again.
func (b *userBrowsing) HandBack(ctx context.Context, p *browser.Pane) error {
	if err := p.HandBack(); err != nil {
		return fmt.Errorf("hand back: %w", err)
	}
	return b.resumeAfterTakeover(ctx, p.Info(), "have handed it back: look at it again before you continue.")
}

// onPaneClosed ends a take-over with its page: a window that closes itself after a sign-in,
// or that the user closes, is handed back with that. The page's news wait for it.
func (b *userBrowsing) onPaneClosed(info pane.Info) {
	a := b.app
	if info.Driver != pane.DriverUser || info.GoalID == "" || a.closing.Load() {
		return
	}
	a.background.Go(func() {
		err := b.resumeAfterTakeover(a.lifetime, info, "it is closed now: look at your other panes before you continue.")
		if err != nil && !a.closing.Load() {
			a.log.Warn("a page that was taken over is gone, and its goal cannot continue", "goal", info.GoalID, "pane", info.ID, "error", err)
		}
	})
}

// resumeAfterTakeover lets the goal of a page that the user drives no more continue, if it waits
// for that and for nothing else. what became of the page is told to the agent.
func (b *userBrowsing) resumeAfterTakeover(ctx context.Context, info pane.Info, what string) error {
	id := goal.ID(info.GoalID)
	if b.hasAnotherPane(id) {
		return nil
	}
	note := "I had taken pane " + info.ID + " over and " + what
	switch asked, err := b.app.waitsForPane(ctx, id, info.ID); {
	case err != nil:
		return fmt.Errorf("hand back: %w", err)
	case b.app.takeovers.take(id):
		if b.app.runner.UndoPause(id) {
			return nil
		}
	case asked:
		note = "I have done what you asked for in pane " + info.ID + " and " + what
	default:
		b.app.endIdleShares(id) //nolint:contextcheck // it outlives the call
		return nil
	}
	select { // the pause may still be on its way
	case <-b.app.runner.Done(id):
	case <-ctx.Done():
		return fmt.Errorf("hand back: %w", ctx.Err())
	}
	row, err := b.app.store.Goal(ctx, id)
	if err != nil || row.Status != goal.Paused { // it was resumed or ended
		return err
	}
	if err = b.app.Resume(ctx, id, api.ResumeInput{Note: note}); conflictError(err) {
		return nil
	}
	return err
}

// waitsForPane says whether the goal waits for its user because its agent asked for
// something to be done in this pane.
func (a *App) waitsForPane(ctx context.Context, id goal.ID, name string) (bool, error) {
	row, err := a.store.Goal(ctx, id)
	if errors.Is(err, goal.ErrNotFound) { // another agent's
		return false, nil
	}
	if err != nil {
		return false, err
	}
	asked, err := a.store.QuestionPane(ctx, row)
	return err == nil && asked == name, err
}

// endIdleShares ends the loans of a goal of which no run continues here.
func (a *App) endIdleShares(id goal.ID) {
	select {
	case <-a.runner.Done(id):
		a.endLeases(id)
	default:
	}
}

// hasAnotherPane says whether the user has a page of the goal.
func (b *userBrowsing) hasAnotherPane(id goal.ID) bool {
	return slices.ContainsFunc(b.app.browsers.List(), func(p pane.Info) bool {
		return p.GoalID == string(id) && p.Driver == pane.DriverUser
	})
}

func conflictError(err error) bool {
	var p *fault.Error
	return errors.As(err, &p) && p.Code == fault.Conflict
}
