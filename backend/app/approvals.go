package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
)

// Answer gives the person's answer to an open approval. Whoever runs the goal
// takes it; a goal that paused for it goes on here, if this program stays.
func (a *App) Answer(ctx context.Context, id goal.ID, o goal.Order) error {
	open, err := a.store.OpenApprovals(ctx, id)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	i := slices.IndexFunc(open, func(one store.Approval) bool { return one.ID == o.Request })
	switch {
	case i < 0:
		return &api.Problem{Code: api.NotFound, Message: fmt.Sprintf("the goal has no open approval %q", o.Request), Hint: "approvals lists what waits; it may have been answered already"}
	case open[i].Given != nil:
		return &api.Problem{Code: api.Conflict, Message: fmt.Sprintf("the approval %s is answered already", o.Request), Hint: "resume the goal to let it go on"}
	}
	if o.Kind == goal.OrderApprove {
		if _, ok := open[i].Offer(o.Scope); !ok {
			return &api.Problem{Code: api.Refused, Message: fmt.Sprintf("the approval %s cannot be given for the scope %q", o.Request, o.Scope), Hint: "use " + scopes(open[i].Approval), Field: "scope"}
		}
	}
	if err := a.order(ctx, id, o); err != nil {
		return err
	}
	return a.answered(ctx, id, open, o.Request)
}

func scopes(a goal.Approval) string {
	words := []string{}
	for _, o := range a.Offers {
		words = append(words, string(o.Scope))
	}
	if len(words) > 0 && words[len(words)-1] != string(policy.Once) {
		words = append(words, "goal")
	}
	return strings.Join(words, ", ")
}

// answered resumes a goal whose last open approval was answered. Another process may
// have been first.
func (a *App) answered(ctx context.Context, id goal.ID, open []store.Approval, request string) error {
	for _, one := range open {
		if one.ID != request && one.Given == nil {
			return nil
		}
	}
	row, err := a.store.Goal(ctx, id)
	if err != nil || !a.watch || row.Status != goal.Paused || row.Exit != goal.NeedsOperator {
		return err
	}
	err = a.Resume(ctx, id, api.ResumeInput{})
	var problem *api.Problem
	if errors.Is(err, store.ErrOwned) || errors.As(err, &problem) && problem.Code == api.Conflict {
		return nil
	}
	return err
}

// Revoke takes a grant back: what it opened is closed at once, and the next call
// that needs it asks again.
func (a *App) Revoke(ctx context.Context, id goal.ID, request string) error {
	grants, err := a.store.Grants(ctx, id)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	if !slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.ID == request }) {
		return &api.Problem{Code: api.NotFound, Message: fmt.Sprintf("the goal has no grant %q", request), Hint: "approvals lists what is allowed"}
	}
	a.withdraw(ctx, id, request)
	own, err := a.store.Own(id)
	if errors.Is(err, store.ErrOwned) { // whoever runs it takes it back
		return a.order(ctx, id, goal.Order{Kind: goal.OrderRevoke, Request: request})
	}
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	row, err := a.store.Goal(ctx, id)
	if err == nil {
		err = a.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.GrantEnded{Request: request, Why: "the person took it back"})
	}
	return errors.Join(err, own.Release())
}
