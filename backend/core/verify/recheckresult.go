package verify

import "goalpost/backend/domain/goal"

// RecheckResult says what a recheck shows about a criterion.
type RecheckResult string

// The results.
const (
	RecheckPassed       RecheckResult = "met"     // the needed checks pass now
	RecheckFailed       RecheckResult = "not_met" // a check that decided no longer passes, or evidence was changed
	RecheckInconclusive RecheckResult = "open"    // nothing failed, but the checks that decided cannot run again
)

// SummarizeRecheck decides what the verdicts of a Recheck mean for the criterion. was are the verdicts of the last
// claim. Checks by a model or the user are not repeated and decide nothing here.
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
			// With Any, other checks may fail if one of them passed.
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
