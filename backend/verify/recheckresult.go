package verify

import "goalpost/backend/goal"

// RecheckResult is what running the gates again has shown of a criterion.
type RecheckResult string

// The findings.
const (
	RecheckPassed       RecheckResult = "met"     // the gates that are needed pass now
	RecheckFailed       RecheckResult = "not_met" // one that decided does not pass, or evidence is not what was kept
	RecheckInconclusive RecheckResult = "open"    // nothing failed, but what decided cannot be run again
)

// SummarizeRecheck finds what the verdicts of a Recheck say of the criterion; was are those
// of the last claim. Judgements are not asked again, and decide nothing here.
func SummarizeRecheck(c goal.Criterion, was, now []goal.Verdict) RecheckResult {
	passed, decided := map[int]bool{}, false
	for _, v := range was {
		passed[v.Check] = v.Outcome == goal.Pass
		decided = decided || passed[v.Check]
	}
	passes, failed := 0, false
	for _, v := range now {
		switch v.Outcome {
		case goal.Pass:
			passes++
		case goal.NotRepeatable:
		case goal.Fail, goal.CheckErr, goal.Tampered, goal.AlreadyPasses, goal.FailsAsExpected, goal.CheckUnrunnable:
			// Of a criterion of which one check is enough, the others may fail: if one passed.
			failed = failed || !c.Any || !decided || passed[v.Check] || v.Outcome == goal.Tampered
		}
	}
	switch {
	case c.Any && passes > 0, !c.Any && !failed && passes == len(now) && passes > 0:
		return RecheckPassed
	case failed:
		return RecheckFailed
	}
	return RecheckInconclusive
}
