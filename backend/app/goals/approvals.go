package goals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
)

// Answer gives the user's answer to an open approval. The process that runs the goal reads it. A goal that was
// paused because of it resumes here if this process follows goals.
func (s *Service) Answer(ctx context.Context, id goal.ID, o goal.Order) error {
	open, err := s.store.OpenApprovals(ctx, id)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	i := slices.IndexFunc(open, func(one store.Approval) bool { return one.ID == o.Request })
	switch {
	case i < 0:
		return fault.New(fault.NotFound, fmt.Sprintf("the goal has no open approval %q", o.Request),
			"approvals lists what waits; it may have been answered already")
	case open[i].Given != nil:
		return fault.New(fault.Conflict, fmt.Sprintf("the approval %s is answered already", o.Request),
			"resume the goal to let it continue")
	}
	if o.Kind == goal.OrderApprove {
		if _, ok := open[i].FindOffer(o.Scope); !ok {
			return fault.Invalid("scope", fmt.Sprintf("the approval %s cannot be given for the scope %q", o.Request, o.Scope),
				"use "+scopeNames(open[i].Approval))
		}
	}
	var then store.GoalRow
	err = s.addOrderIf(ctx, id, func(row store.GoalRow) error {
		if then = row; row.Status != goal.Running && row.Status != goal.Paused {
			return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s already", row.Status)}
		}
		return nil
	}, o)
	if err != nil || then.Status == goal.Running { // its run reads the answer, or the goal is resumed if it was paused
		return err
	}
	return s.resumeIfAnswered(ctx, id)
}

func scopeNames(a goal.Approval) string {
	words := []string{}
	for _, o := range a.Offers {
		words = append(words, string(o.Scope))
	}
	if len(words) > 0 && words[len(words)-1] != string(policy.ScopeOnce) {
		words = append(words, "goal")
	}
	return strings.Join(words, ", ")
}

// resumeIfAnswered resumes a goal whose last open approval was answered, unless another process was first.
func (s *Service) resumeIfAnswered(ctx context.Context, id goal.ID) error {
	open, err := s.store.OpenApprovals(ctx, id) // read again: several may be answered at once
	if err != nil || slices.ContainsFunc(open, func(one store.Approval) bool { return one.Given == nil }) {
		return err
	}
	row, err := s.store.Goal(ctx, id)
	if err != nil || !s.followOthers || row.Status != goal.Paused || row.Exit != goal.NeedsUser {
		return err
	}
	err = s.Resume(ctx, id, api.ResumeInput{})
	var problem *fault.Error
	if errors.Is(err, store.ErrGoalLocked) || errors.As(err, &problem) && problem.Code == fault.Conflict {
		return nil
	}
	return err
}

// Revoke revokes a grant. Access ends at once, and the next call that needs it asks again.
func (s *Service) Revoke(ctx context.Context, id goal.ID, request string) error {
	grants, err := s.store.Grants(ctx, id)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	named := func(g policy.Grant) bool { return g.ID == request }
	if !slices.ContainsFunc(grants, named) {
		return fault.New(fault.NotFound, fmt.Sprintf("the goal has no grant %q", request), "approvals lists what is allowed")
	}
	s.sessions.RevokeGrant(ctx, id, request)
	own, err := s.store.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) { // the process that runs the goal revokes it
		return s.AddOrder(ctx, id, goal.Order{Kind: goal.OrderRevoke, Request: request})
	}
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	grants, err = s.store.Grants(ctx, id) // no other process can end it now
	row, gone := s.store.Goal(ctx, id)
	if err = errors.Join(err, gone); err == nil && slices.ContainsFunc(grants, named) {
		err = s.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID},
			&event.GrantEnded{Request: request, Why: "the user took it back"})
	}
	return errors.Join(err, own.Unlock())
}
