package calls

import (
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

func buildReceipt(r store.GoalRow, f goalFacts) ReceiptView {
	v := ReceiptView{
		GoalID:          string(r.ID),
		Objective:       r.Objective,
		Criterion:       r.Criterion.Describe(),
		CriterionSHA256: r.CriterionSHA256,
		PolicySHA256:    r.PolicySHA256,
		Work:            r.Policy.Work,
		CheckDir:        r.Policy.CheckDir,
		Worktree:        r.Origin.Worktree,
		MergeCommand:    mergeCommand(r.Goal),
		Status:          r.Status,
		Exit:            r.Exit,
		Verified:        r.Verified,
		Judged:          r.Judged,
		Model:           r.Model,
		Effort:          r.Options.Effort,
		Scripted:        r.Scripted,
		Result:          resultOf(r, f),
		Report:          append([]string{}, r.Report...),
		Claims:          []ReceiptClaim{},
	}
	v.Proof, v.AssuranceWords = f.card.proof.After(r.Aftermath, r.JudgeName())
	for i, c := range f.claims {
		claim := ReceiptClaim{
			N: c.N, At: formatTime(c.At), By: c.By, Rationale: c.Rationale, Result: c.Result,
			Deciding: r.Exit == goal.Done && i == len(f.claims)-1, Verdicts: append([]goal.Verdict{}, c.Verdicts...),
		}
		for _, o := range f.reviews {
			if o.Review != nil && o.Review.Claim == c.N {
				claim.Review, claim.ReviewReason = reviewLabel(o.Review), o.Review.Reason
			}
		}
		v.Reviewed = v.Reviewed || claim.Deciding && claim.Review == ReviewConfirmed
		v.Claims = append(v.Claims, claim)
	}
	for _, e := range f.protected {
		if w, ok := e.Body.(*event.Warning); ok {
			v.Protected = append(v.Protected, ProtectedRecord{At: formatTime(e.At), Text: w.Text})
		}
	}
	return v
}
