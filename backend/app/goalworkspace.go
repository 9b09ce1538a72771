package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"goalpost/backend/goal"
	"goalpost/backend/sandbox"
	"goalpost/backend/verify"
	"goalpost/backend/verify/judge"
)

// openWorkspace is what the goal can change. What it was at the goal's start is kept
// in a private folder, out of the goal's reach, as long as the goal.
func (a *App) openWorkspace(ctx context.Context, g goal.Goal) (*verify.Workspace, error) {
	o := a.workspaceOptions(g)
	o.Pages = func(ctx context.Context) (string, error) { return a.pagesFingerprint(ctx, g.ID) }
	w, err := verify.OpenWorkspace(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("what the goal can change: %w", err)
	}
	return w, nil
}

func (a *App) workspaceOptions(g goal.Goal) verify.Options {
	return verify.Options{
		Dir: g.Policy.Dir, Private: a.goalStateDir(g.ID), Criterion: g.Criterion, Protect: g.Options.Protect, NoProtect: g.Options.NoProtect,
		Tests: g.TestsBefore,
	}
}

// saveBaseline keeps what decides about a goal as it is when the goal is made: another
// goal may work in its folder before it.
func (a *App) saveBaseline(ctx context.Context, g goal.Goal) error {
	if err := verify.RecordProtected(ctx, a.workspaceOptions(g)); err != nil {
		return &goal.InvalidError{Field: "protect", Reason: "what decides about the goal cannot be kept: " + err.Error(), Hint: "leave files out with --no-protect, or choose a smaller folder"}
	}
	return nil
}

// goalStateDir is the folder of what this program keeps of a goal besides the journal.
func (a *App) goalStateDir(id goal.ID) string { return a.store.GoalDir(id) }

// removeGoalState removes it.
func (a *App) removeGoalState(id goal.ID) error {
	if err := errors.Join(os.RemoveAll(a.goalStateDir(id)), sandbox.RemoveLayer(a.sandboxDir(id))); err != nil {
		return fmt.Errorf("removing what is kept of the goal: %w", err)
	}
	return nil
}

// judgeOf is the model that judges a goal; nil where there is none: nobody asks
// a script for its opinion.
func (a *App) judgeOf(ctx context.Context, provider, judge string) judge.Model {
	if judge != "" {
		provider = judge
	}
	p, err := a.provider(provider)
	if err != nil || p.ID == demoProvider {
		return nil
	}
	m, err := a.newClient(ctx, providerChoice{Provider: p})
	if err != nil {
		return nil
	}
	return m
}
