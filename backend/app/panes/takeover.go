package panes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/store"
)

// paneRuns are the runs of goals in this process, as a take-over needs them.
type paneRuns interface {
	PauseNow(ctx context.Context, id goal.ID, reason string) (bool, error)
	UndoPause(id goal.ID) bool
	Done(id goal.ID) <-chan struct{}
}

// background is the work beside calls that ends with the program: links to servers,
// the saving of the workspace, goals that continue because a page was closed.
type background struct {
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	// closing: what ends now ends with the program, and nothing continues for it.
	Closing atomic.Bool
}

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
func (b *Browsing) TakeOver(ctx context.Context, p *browser.Pane) error {
	info := p.Info()
	if id := goal.ID(info.GoalID); id != "" {
		ours, err := b.Runs.PauseNow(ctx, id, "the user took pane "+info.ID+
			" over; the goal continues when it is handed back")
		if err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if ours { // else it does not run
			b.takeovers.add(id)
		}
	}
	if err := p.TakeOver(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// HandBack gives the page back to the agent. A goal that was paused for it goes
// on when the user has none of its pages any more, and is told to look again.
func (b *Browsing) HandBack(ctx context.Context, p *browser.Pane) error {
	if err := p.HandBack(); err != nil {
		return fmt.Errorf("hand back: %w", err)
	}
	return b.resumeAfterTakeover(ctx, p.Info(), "have handed it back: look at it again before you continue.")
}

// onPaneClosed ends a take-over with its page: a window that closes itself after a sign-in,
// or that the user closes, is handed back with that. The page's news wait for it.
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

// resumeAfterTakeover lets the goal of a page that the user drives no more continue, if it waits
// for that and for nothing else. what became of the page is told to the agent.
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
	select { // the pause may still be on its way
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

// waitsForPane says whether the goal waits for its user because its agent asked for
// something to be done in this pane.
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

// endIdleShares ends the loans of a goal of which no run continues here.
func (b *Browsing) endIdleShares(id goal.ID) {
	select {
	case <-b.Runs.Done(id):
		b.panes.endLeases(id)
	default:
	}
}

// hasAnotherPane says whether the user has a page of the goal.
func (b *Browsing) hasAnotherPane(id goal.ID) bool {
	return slices.ContainsFunc(b.panes.Browsers.List(), func(p pane.Info) bool {
		return p.GoalID == string(id) && p.Driver == pane.DriverUser
	})
}
