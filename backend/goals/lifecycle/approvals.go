package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Answer stores the user's answer to an open approval. If the goal has paused for the approval, it resumes here,
// provided that this process is long-lived.
func (s *Service) Answer(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := s.RecordAnswer(ctx, id, o)
	if err != nil || row.Status == goal.Running { // its run reads the answer
		return err
	}
	return s.resumeIfAnswered(ctx, id)
}

// RecordAnswer stores the user's answer to an open approval, for the run of the goal or its next one. It returns the
// goal as it was then.
func (s *Service) RecordAnswer(ctx context.Context, id goal.ID, o goal.Order) (row store.GoalRow, err error) {
	open, err := s.store.Approvals.OpenApprovals(ctx, id)
	if err != nil {
		return row, fmt.Errorf("answer: %w", err)
	}
	i := slices.IndexFunc(open, func(one store.Approval) bool { return one.ID == o.Request })
	switch {
	case i < 0:
		return row, fault.New(fault.NotFound, fmt.Sprintf("the goal has no open approval %q", o.Request),
			"it may have been answered already; goalctl approvals lists the open ones")
	case open[i].Given != nil:
		return row, fault.New(fault.Conflict, fmt.Sprintf("the approval %s has already been answered", o.Request),
			"resume the goal to let it continue")
	}
	if o.Kind == goal.OrderApprove {
		if _, ok := open[i].FindOffer(o.Scope); !ok {
			return row, fault.Invalid("scope", fmt.Sprintf("the approval %s does not offer the scope %q", o.Request, o.Scope),
				"use "+scopeNames(open[i].Approval))
		}
	}
	err = s.Runs.addOrderIf(ctx, id, func(current store.GoalRow) error {
		if row = current; row.Status != goal.Running && row.Status != goal.Paused {
			return fault.New(fault.Conflict, fmt.Sprintf("the goal is already %s", row.Status),
				"reopen it with a note if it should go on")
		}
		return nil
	}, o)
	return row, err
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

// resumeIfAnswered resumes a goal after its last open approval was answered, unless another process did.
func (s *Service) resumeIfAnswered(ctx context.Context, id goal.ID) error {
	open, err := s.store.Approvals.OpenApprovals(ctx, id) // read again, because several may be answered at once
	if err != nil || slices.ContainsFunc(open, func(one store.Approval) bool { return one.Given == nil }) {
		return err
	}
	row, err := s.store.Goals.Get(ctx, id)
	if err != nil || !s.stays || row.Status != goal.Paused || row.Exit != goal.NeedsUser {
		return err
	}
	err = s.Resumption.Resume(ctx, id, api.ResumeInput{})
	var problem *fault.Error
	if errors.Is(err, store.ErrGoalLocked) || errors.As(err, &problem) && problem.Code == fault.Conflict {
		return nil
	}
	return err
}

// Revoke revokes a grant. Access ends at once, and the next call that needs the grant asks for it again.
func (s *Service) Revoke(ctx context.Context, id goal.ID, request string) error {
	grants, err := s.store.Approvals.Grants(ctx, id)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	matches := func(g policy.Grant) bool { return g.ID == request }
	if !slices.ContainsFunc(grants, matches) {
		return fault.New(fault.NotFound, fmt.Sprintf("the goal has no grant %q", request), "approvals lists its grants")
	}
	s.sessions.RevokeGrant(ctx, id, request)
	lock, err := s.store.Locks.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) { // the process that runs the goal revokes it
		return s.Runs.AddOrder(ctx, id, goal.Order{Kind: goal.OrderRevoke, Request: request})
	}
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	grants, err = s.store.Approvals.Grants(ctx, id) // no other process can end it now
	row, readErr := s.store.Goals.Get(ctx, id)
	if err = errors.Join(err, readErr); err == nil && slices.ContainsFunc(grants, matches) {
		err = s.store.Journal.Append(ctx, goal.Run{Goal: id, ID: row.RunID},
			&event.GrantEnded{Request: request, Why: "the user revoked it"})
	}
	return errors.Join(err, lock.Unlock())
}
