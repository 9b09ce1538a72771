package verify

import "goalpost/backend/domain/goal"

// SummarizeRecheck decides what the verdicts of a Recheck mean for the criterion. was are the verdicts of the last
// claim. Checks by a model or the user are not repeated and decide nothing here.
func SummarizeRecheck(c goal.Criterion, was, now []goal.Verdict) goal.RecheckResult {
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
		return goal.RecheckPassed
	case failed:
		return goal.RecheckFailed
	}
	return goal.RecheckInconclusive
}
