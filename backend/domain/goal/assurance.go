package goal

import (
	"cmp"
	"slices"
)

// Assurance says how much the pass of a check, or a done goal, proves.
type Assurance string

// The levels, the strongest first.
const (
	Strong Assurance = "strong" // nothing of the agent ran in what judged, or was what the result was compared with
	Tested Assurance = "tested" // only the work is new, and what judged it is as at the start
	// Weakened means that something else which the agent changed or left could have made the check pass.
	Weakened Assurance = "weakened"
	Judged   Assurance = "judged"  // a model decided
	Claimed  Assurance = "claimed" // on the word of the agent or the user
)

// Assurances lists the levels, the strongest first.
func Assurances() []Assurance { return []Assurance{Strong, Tested, Weakened, Judged, Claimed} }

// IsValid reports whether a is one of the levels.
func (a Assurance) IsValid() bool { return slices.Contains(Assurances(), a) }

// AtLeast reports whether a is at least as strong as least. "" requires nothing.
func (a Assurance) AtLeast(least Assurance) bool {
	return least == "" || a.IsValid() && compareAssurance(a, least) <= 0
}

// Basis says what a pass rests on, where its level does not.
type Basis string

// The bases. The first three are those of a tested pass.
const (
	BasisTests   Basis = "tests"   // of the project ran the work
	BasisAnswers Basis = "answers" // of the work, which is a server
	BasisOutput  Basis = "output"  // of the work was examined
	BasisUser    Basis = "user"    // who accepted a claimed result, or a weakened pass
	BasisChanged Basis = "changed" // weakened: files that the checks used have changed since done
	// BasisAftermath is of a weakened goal: the user undid changes, or its checks fail now.
	BasisAftermath Basis = "aftermath"
)

// Proof says how much the pass of a check, or a done goal, proves. The zero value is that of no pass.
type Proof struct {
	Assurance Assurance `json:"assurance,omitempty"`
	Basis     Basis     `json:"assurance_basis,omitempty"`
	// AssuranceReason is the one reason why it does not prove more, for users.
	AssuranceReason string `json:"assurance_reason,omitempty"`
}

// Describe says what a done goal proves, for users. judge is the model that decided, "" if unknown. An unknown level
// has no description.
func (p Proof) Describe(judge string) string {
	if p.Basis == BasisUser {
		return "Accepted by you"
	}
	switch p.Assurance {
	case Strong:
		return "Verified"
	case Tested:
		switch p.Basis {
		case BasisAnswers:
			return "Verified by its answers"
		case BasisOutput:
			return "Verified by its output"
		case BasisTests, BasisUser, BasisChanged, BasisAftermath:
		}
		return "Verified by tests"
	case Weakened:
		if p.Basis == BasisChanged {
			return "Done, changed since"
		}
		return "Passed, look at this"
	case Judged:
		return "Judged by " + cmp.Or(judge, "a model")
	case Claimed:
		return "Claimed, not verified"
	}
	return ""
}

// AcceptedByUser returns the proof after the user has accepted it. ok is false if there is nothing to accept: the pass
// is not doubted, has been accepted, or is not about the present folder.
func (p Proof) AcceptedByUser() (accepted Proof, ok bool) {
	ok = p.Assurance == Weakened && p.Basis != BasisUser && p.Basis != BasisAftermath
	p.Basis = BasisUser
	return p, ok
}

// BestAssurance returns the most that a pass of the check can prove.
func (c Check) BestAssurance() Assurance {
	switch c.Type {
	case Visual, ModelQuestion:
		return Judged
	case Manual:
		return Claimed
	case JSONPredicate:
		if c.From == "" || c.From == FromClaim {
			return Claimed
		}
	case Shell, HTTP, File:
	}
	return Strong
}

// BestAssurance returns the most that the criterion can prove.
func (c Criterion) BestAssurance() Assurance {
	best := make([]Verdict, len(c.Checks))
	for i, k := range c.Checks {
		best[i] = Verdict{Check: i, Type: k.Type, Outcome: Pass, Proof: Proof{Assurance: k.BestAssurance()}}
	}
	if c.Any {
		slices.SortFunc(best, func(a, b Verdict) int { return compareAssurance(a.Assurance, b.Assurance) })
		best = best[:min(1, len(best))]
	}
	return c.ProofOf(best).Assurance
}

// ProofOf returns what the verdicts of a verified claim prove together. If all checks are needed, that is the weakest
// pass; if one is enough, the strongest. A user who accepted a result does not weaken what a check has proved. It
// returns the zero value if nothing passed.
func (c Criterion) ProofOf(verdicts []Verdict) Proof {
	var passed, accepted []Proof
	for _, v := range verdicts {
		if v.Outcome != Pass {
			continue
		}
		if v.Check < len(c.Checks) && c.Checks[v.Check].Type == Manual && c.Checks[v.Check].Wait {
			accepted = append(accepted, v.Proof)
			continue
		}
		passed = append(passed, v.Proof)
	}
	if len(passed) == 0 {
		passed = accepted
	}
	if len(passed) == 0 {
		return Proof{}
	}
	compare := func(a, b Proof) int { return compareAssurance(a.Assurance, b.Assurance) }
	if c.Any {
		return slices.MinFunc(passed, compare)
	}
	return slices.MaxFunc(passed, compare) // the first of the weakest
}

func compareAssurance(a, b Assurance) int {
	return slices.Index(Assurances(), a) - slices.Index(Assurances(), b)
}
