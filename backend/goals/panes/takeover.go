package panes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/store"
)

// TakeOver gives a goal's page to the user. It first pauses the goal and waits for the pause. Otherwise the agent's
// calls would fail, and it would ask its model what to do next.
func (b *Browsing) TakeOver(ctx context.Context, p *browser.Pane) error {
	info := p.State.Info()
	if id := goal.ID(info.GoalID); id != "" {
		isPaused, err := b.Runs.PauseNow(ctx, id, "the user took over pane "+info.ID+
			"; the goal continues when the user hands it back")
		if err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if isPaused { // otherwise it did not run here
			b.takeovers.add(id)
		}
	}
	if err := p.Driver.TakeOver(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// HandBack gives the page back to the agent. A goal that was paused for it continues, with a note to look at the page
// again, once the user has handed back all its pages.
func (b *Browsing) HandBack(ctx context.Context, p *browser.Pane) error {
	if err := p.Driver.HandBack(); err != nil {
		return fmt.Errorf("hand back: %w", err)
	}
	return b.resumeAfterTakeover(ctx, p.State.Info(), "have handed it back: look at it again before you continue.")
}

// onPaneClosed treats a page that closes as handed back, if the user had taken it over: a window may close itself after
// a sign-in. It returns before the pane's change is published.
func (b *Browsing) onPaneClosed(info pane.Info) {
	if info.Driver != pane.DriverUser || info.GoalID == "" || b.background.Closing.Load() {
		return
	}
	b.background.work.Go(func() {
		err := b.resumeAfterTakeover(b.background.ctx, info,
			"it is closed now: look at your other panes before you continue.")
		if err != nil && !b.background.Closing.Load() {
			b.panes.Log.Warn("a page that was taken over is closed, but its goal cannot continue", "goal", info.GoalID, "pane",
				info.ID, "error", err)
		}
	})
}

// resumeAfterTakeover continues the goal of a page that the user no longer drives, unless the goal waits for something
// else. noteEnd ends the note to the agent, and says what happened to the page.
func (b *Browsing) resumeAfterTakeover(ctx context.Context, info pane.Info, noteEnd string) error {
	id := goal.ID(info.GoalID)
	if b.hasAnotherPane(id) {
		return nil
	}
	note := "I had taken pane " + info.ID + " over and " + noteEnd
	switch isWaiting, err := b.panes.waitsForPane(ctx, id, info.ID); {
	case err != nil:
		return fmt.Errorf("hand back: %w", err)
	case b.takeovers.take(id):
		if b.Runs.UndoPause(id) {
			return nil
		}
	case isWaiting:
		note = "I have done what you asked for in pane " + info.ID + " and " + noteEnd
	default:
		b.endIdleShares(id) //nolint:contextcheck // it outlives the call
		return nil
	}
	select { // the run may not have paused yet
	case <-b.Runs.Done(id):
	case <-ctx.Done():
		return fmt.Errorf("hand back: %w", ctx.Err())
	}
	row, err := b.panes.Store.Goals.Get(ctx, id)
	if err != nil || row.Status != goal.Paused { // it was resumed, or has ended
		return err
	}
	err = b.Resume(ctx, id, api.ResumeInput{Note: note})
	if api.IsConflict(err) && !errors.Is(err, store.ErrGoalLocked) { // another call has resumed it in the meantime
		return nil
	}
	return err
}

// waitsForPane reports whether the goal waits because its agent asked the user to do something in this pane.
func (r *Registry) waitsForPane(ctx context.Context, id goal.ID, name string) (bool, error) {
	row, err := r.Store.Goals.Get(ctx, id)
	if errors.Is(err, goal.ErrNotFound) { // the pane belongs to another agent
		return false, nil
	}
	if err != nil {
		return false, err
	}
	subject, err := r.Store.Questions.Subject(ctx, row)
	return err == nil && subject.Pane == name, err
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
