package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/goal"
)

// takeovers remembers which goals were paused because a person took a pane over.
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

// TakeOver gives a goal's page to the person. Its goal pauses: nothing is spent
// while a person drives. That comes first, since what the agent does on the page
// ends at once, and the goal would ask its model what to do next.
func (b *browsing) TakeOver(ctx context.Context, p *browser.Pane) error {
	if id := goal.ID(p.Info().GoalID); id != "" {
		switch err := b.app.Pause(ctx, id); {
		case err == nil:
			b.app.takeovers.add(id)
		case !conflict(err): // else it does not run
			return err
		}
	}
	if err := p.TakeOver(); err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	return nil
}

// HandBack gives the page back to the agent. A goal that was paused for it goes
// on, and is told to look again.
func (b *browsing) HandBack(ctx context.Context, p *browser.Pane) error {
	if err := p.HandBack(); err != nil {
		return fmt.Errorf("hand back: %w", err)
	}
	info := p.Info()
	id := goal.ID(info.GoalID)
	if !b.app.takeovers.take(id) {
		return nil
	}
	select { // the pause may still be on its way
	case <-b.app.runner.Done(id):
	case <-ctx.Done():
		return fmt.Errorf("hand back: %w", ctx.Err())
	}
	err := b.app.Resume(ctx, id, api.ResumeInput{Note: "I had taken pane " + info.ID + " over and have handed it back: look at it again before you go on."})
	if conflict(err) { // it was resumed or ended meanwhile
		return nil
	}
	return err
}

func conflict(err error) bool {
	var p *api.Problem
	return errors.As(err, &p) && p.Code == api.Conflict
}
