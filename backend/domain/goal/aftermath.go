package goal

import (
	"fmt"
	"strings"
)

// Undone names the changes of a goal that the user has undone.
type Undone struct {
	Files []string `json:"files,omitempty"` // the first of them, as they are shown
	Count int      `json:"count,omitempty"`
	All   bool     `json:"all,omitempty"` // nothing that the goal changed is left
}

// RecheckResult says what checks that ran again show about a criterion.
type RecheckResult string

// The results. "" means that they did not run since the folder was changed by an undo or a redo.
const (
	RecheckPassed       RecheckResult = "met"     // the needed checks pass now
	RecheckFailed       RecheckResult = "not_met" // a check that decided no longer passes, or evidence was changed
	RecheckInconclusive RecheckResult = "open"    // nothing failed, but the checks that decided cannot run again
)

// Aftermath is what became of a goal after it stopped: what the user undid, and what its checks say since.
type Aftermath struct {
	Undone Undone        `json:"undone,omitzero"`
	Checks RecheckResult `json:"checks,omitempty"`
	Passed int           `json:"passed,omitempty"` // checks that pass now, if Checks is set
	// Verdicts are those of the checks that ran again.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// DescribeRecheck says how checks that ran again ended: "1 passed, 1 failed".
func DescribeRecheck(verdicts []Verdict) string {
	counts := map[string]int{}
	for _, v := range verdicts {
		switch v.Outcome {
		case Pass:
			counts["passed"]++
		case NotRepeatable:
			counts["cannot run again"]++
		default:
			counts["failed"]++
		}
	}
	var words []string
	for _, what := range []string{"passed", "failed", "cannot run again"} {
		if counts[what] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[what], what))
		}
	}
	return strings.Join(words, ", ")
}

// IsStale reports whether the verdicts of the claim are not about the present folder.
func (a Aftermath) IsStale() bool { return a.Undone.Count > 0 || a.Checks != "" }

// Describe says what is no longer true of the state in which the goal stopped, "" if nothing is known: "cart.py undone:
// checks fail".
func (a Aftermath) Describe() string {
	undone := ""
	switch {
	case a.Undone.All:
		undone = "changes undone"
	case a.Undone.Count == 1 && len(a.Undone.Files) == 1:
		undone = a.Undone.Files[0] + " undone"
	case a.Undone.Count > 0:
		undone = FormatCount(a.Undone.Count, "file") + " undone"
	case a.Checks == RecheckFailed:
		return "checks fail now"
	}
	switch {
	case undone == "":
	case a.Checks == RecheckFailed:
		undone += ": checks fail"
	case a.Checks == RecheckPassed:
		undone += ": checks pass"
	}
	return undone
}

// After returns what a done goal proves, and the words for it, with regard to what became of it. judge is the model
// that decided, "" if unknown.
func (p Proof) After(a Aftermath, judge string) (Proof, string) {
	if words := a.Describe(); words != "" {
		return Proof{Assurance: Weakened, Basis: BasisAftermath}, "Done, " + words
	}
	return p, p.Describe(judge)
}
