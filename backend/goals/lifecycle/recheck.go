package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Recheck runs the checks of a goal again in its folder, with the protected files that the goal stores, and compares
// the evidence of every claim with its hashes. It does not ask a judge again. For a goal that is done, the journal
// says what it found.
func (s *Service) Recheck(ctx context.Context, id goal.ID) (out api.RecheckOutput, err error) {
	row, err := s.store.Goals.Get(ctx, id)
	if err != nil {
		return out, fmt.Errorf("recheck: %w", err)
	}
	if _, err := os.Stat(row.Policy.Dir); err != nil {
		return out, fault.New(fault.Conflict, "the goal's folder is gone: "+row.Policy.Dir, "restore it, then try again")
	}
	if !slices.ContainsFunc(row.Criterion.Checks, func(c goal.Check) bool { return c.Type.IsDeterministic() }) {
		return out, fault.New(fault.Conflict, "no program decides this goal, so nothing can be run again",
			"read the verdicts in the receipt")
	}
	claims, err := s.store.History.Claims(ctx, id)
	if err != nil {
		return out, fmt.Errorf("recheck: %w", err)
	}
	claim, was := lastClaim(claims)
	out.Verdicts, out.Faults = []goal.Verdict{}, s.evidenceFaults(claims)
	err = s.sandboxes.WithTrial(ctx, row.Policy, nil, goalsandbox.HostsOf(row.Goal), func(h verify.CheckRunner) error {
		var err error
		if h.Folder, err = s.savedWorkspace(ctx, row.Goal); err != nil {
			return err
		}
		same, isKnown, err := h.IsVerifiedTree(ctx, was) // before a check writes anything
		if err != nil {
			return err
		}
		out.TreeChanged = isKnown && !same
		return h.Recheck(ctx, row.Goal, claim, was, func(v goal.Verdict) error {
			out.Verdicts = append(out.Verdicts, v)
			return nil
		})
	})
	if err != nil {
		return out, fmt.Errorf("recheck: %w", err)
	}
	found := verify.SummarizeRecheck(row.Criterion, was, out.Verdicts)
	out.Passed = found == goal.RecheckPassed && len(out.Faults) == 0
	out.Open = found == goal.RecheckInconclusive && len(out.Faults) == 0
	return out, s.recordRecheck(ctx, row, found, was, out.Verdicts)
}

// recordRecheck journals what a recheck of a done goal found, unless the goal or its folder changed in the meantime.
func (s *Service) recordRecheck(
	ctx context.Context, row store.GoalRow, found goal.RecheckResult, was, now []goal.Verdict,
) error {
	if row.Exit != goal.Done {
		return nil
	}
	body := &event.Rechecked{Result: found}
	outcomes := map[int]goal.Outcome{}
	if row.Aftermath.Undone.Count == 0 {
		for _, v := range was { // what cannot run again is as it was
			outcomes[v.Check] = v.Outcome
		}
	}
	for _, v := range now {
		if v.Outcome != goal.NotRepeatable {
			outcomes[v.Check] = v.Outcome
		}
		body.Verdicts = append(body.Verdicts, goal.Verdict{
			Check: v.Check, Type: v.Type, Name: v.Name, Outcome: v.Outcome, Detail: v.Detail, Tail: v.Tail,
			ExitCode: v.ExitCode, TookMS: v.Took.Milliseconds(),
		})
	}
	for _, o := range outcomes {
		if o == goal.Pass {
			body.Passed++
		}
	}
	present, err := s.store.Goals.Get(ctx, row.ID)
	if err != nil || present.Seq != row.Seq {
		return err
	}
	if err := s.store.Journal.Append(ctx, goal.Run{Goal: row.ID, ID: row.RunID}, body); err != nil {
		return fmt.Errorf("recheck: %w", err)
	}
	return nil
}

// evidenceFaults lists the evidence that is missing or has changed since its claim.
func (s *Service) evidenceFaults(claims []store.Claim) []string {
	faults := []string{}
	for _, c := range claims {
		for _, fault := range verify.VerifyEvidence(c.Verdicts, s.store.Artifacts) {
			faults = append(faults, fmt.Sprintf("claim %d: %s", c.N, fault))
		}
	}
	return faults
}

// lastClaim returns the newest claim and its verdicts.
func lastClaim(claims []store.Claim) (goal.Claim, []goal.Verdict) {
	if len(claims) == 0 {
		return goal.Claim{}, nil
	}
	last := claims[len(claims)-1]
	return goal.Claim{N: last.N, Rationale: last.Rationale, Result: last.Result}, last.Verdicts
}

// savedWorkspace opens the goal's folder for comparison with its baseline. It returns nil without a baseline, because
// a recheck must not create one.
func (s *Service) savedWorkspace(ctx context.Context, g goal.Goal) (*verify.FolderState, error) {
	if _, err := os.Stat(s.store.GoalDir(g.ID)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s.sessions.OpenWorkspace(ctx, g)
}
