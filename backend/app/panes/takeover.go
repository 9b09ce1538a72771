package panes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/store"
)

// TakeOver gives a goal's page to the user. It first pauses the goal and waits for that: the calls on the page
// fail from then on, and the agent would ask its model what to do next.
func (b *Browsing) TakeOver(ctx context.Context, p *browser.Pane) error {
	info := p.Info()
	if id := goal.ID(info.GoalID); id != "" {
		ours, err := b.Runs.PauseNow(ctx, id, "the user took pane "+info.ID+
			" over; the goal continues when it is handed back")
		if err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if ours { // otherwise it does not run
			b.takeovers.add(id)
		}
	}
	if err := p.TakeOver(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// HandBack gives the page back to the agent. A goal that was paused for it continues once the user has none of
// its pages, with a note to look at the page again.
func (b *Browsing) HandBack(ctx context.Context, p *browser.Pane) error {
	if err := p.HandBack(); err != nil {
		return fmt.Errorf("hand back: %w", err)
	}
	return b.resumeAfterTakeover(ctx, p.Info(), "have handed it back: look at it again before you continue.")
}

// onPaneClosed treats a closed page that the user had taken over as handed back, such as a window that closes
// itself after a sign-in. It runs before the pane's change is published.
func (b *Browsing) onPaneClosed(info pane.Info) {
	if info.Driver != pane.DriverUser || info.GoalID == "" || b.background.Closing.Load() {
		return
	}
	b.background.work.Go(func() {
		err := b.resumeAfterTakeover(b.background.ctx, info,
			"it is closed now: look at your other panes before you continue.")
		if err != nil && !b.background.Closing.Load() {
			b.panes.Log.Warn("a page that was taken over is gone, and its goal cannot continue", "goal", info.GoalID, "pane",
				info.ID, "error", err)
		}
	})
}

// resumeAfterTakeover continues the goal of a page that the user no longer drives, unless the goal waits for
// something else. what tells the agent what happened to the page.
func (b *Browsing) resumeAfterTakeover(ctx context.Context, info pane.Info, what string) error {
	id := goal.ID(info.GoalID)
	if b.hasAnotherPane(id) {
		return nil
	}
	note := "I had taken pane " + info.ID + " over and " + what
	switch asked, err := b.panes.waitsForPane(ctx, id, info.ID); {
	case err != nil:
		return fmt.Errorf("hand back: %w", err)
	case b.takeovers.take(id):
		if b.Runs.UndoPause(id) {
			return nil
		}
	case asked:
		note = "I have done what you asked for in pane " + info.ID + " and " + what
	default:
		b.endIdleShares(id) //nolint:contextcheck // it outlives the call
		return nil
	}
	select { // the pause may not have happened yet
	case <-b.Runs.Done(id):
	case <-ctx.Done():
		return fmt.Errorf("hand back: %w", ctx.Err())
	}
	row, err := b.panes.Store.Goal(ctx, id)
	if err != nil || row.Status != goal.Paused { // it was resumed or ended
		return err
	}
	err = b.Resume(ctx, id, api.ResumeInput{Note: note})
	if api.IsConflict(err) && !errors.Is(err, store.ErrGoalLocked) { // it was resumed in the meantime
		return nil
	}
	return err
}

// waitsForPane reports whether the goal waits for the user because its agent asked for something to be done in
// this pane.
func (p *Registry) waitsForPane(ctx context.Context, id goal.ID, name string) (bool, error) {
	row, err := p.Store.Goal(ctx, id)
	if errors.Is(err, goal.ErrNotFound) { // another agent's
		return false, nil
	}
	if err != nil {
		return false, err
	}
	asked, err := p.Store.QuestionPane(ctx, row)
	return err == nil && asked == name, err
}

// endIdleShares ends the shares of a goal that has no run in this process.
func (b *Browsing) endIdleShares(id goal.ID) {
	select {
	case <-b.Runs.Done(id):
		b.panes.endLeases(id)
	default:
	}
}

// hasAnotherPane reports whether the user has taken over a page of the goal.
func (b *Browsing) hasAnotherPane(id goal.ID) bool {
	return slices.ContainsFunc(b.panes.Browsers.List(), func(p pane.Info) bool {
		return p.GoalID == string(id) && p.Driver == pane.DriverUser
	})
}
