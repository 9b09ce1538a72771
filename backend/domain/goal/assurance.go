package goal

import (
	"cmp"
	"slices"
)

// Assurance says how much the pass of a check, or a done goal, proves.
type Assurance string

// The levels, the strongest first.
const (
	Strong  Assurance = "strong"  // the agent's code could not fake the result
	Shared  Assurance = "shared"  // the agent's code ran inside the process that judges, or it was not observed
	Judged  Assurance = "judged"  // a model decided
	Claimed Assurance = "claimed" // on the word of the agent or the user
)

// Assurances lists the levels, the strongest first.
func Assurances() []Assurance { return []Assurance{Strong, Shared, Judged, Claimed} }

// IsValid reports whether a is one of the levels.
func (a Assurance) IsValid() bool { return slices.Contains(Assurances(), a) }

// AtLeast reports whether a is at least as strong as least. "" requires nothing.
func (a Assurance) AtLeast(least Assurance) bool {
	return least == "" || a.IsValid() && compareAssurance(a, least) <= 0
}

// Describe says what a done goal with this assurance proves, for users. judge is the model that decided, "" if
// unknown. An unknown level has no description.
func (a Assurance) Describe(judge string) string {
	switch a {
	case Strong:
		return "Verified"
	case Shared:
		return "Verified (the agent could have influenced the check)"
	case Judged:
		return "Judged by " + cmp.Or(judge, "a model")
	case Claimed:
		return "Claimed, not verified"
	}
	return ""
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
		best[i] = Verdict{Check: i, Type: k.Type, Outcome: Pass, Assurance: k.BestAssurance()}
	}
	if c.Any {
		slices.SortFunc(best, func(a, b Verdict) int { return compareAssurance(a.Assurance, b.Assurance) })
		best = best[:min(1, len(best))]
	}
	return c.AssuranceOf(best)
}

// AssuranceOf returns what the verdicts of a verified claim prove together. If all checks are needed, that is the
// weakest level; if one is enough, the strongest that passed. A user who accepted a result does not weaken what a
// check has proved. It returns "" if nothing passed.
func (c Criterion) AssuranceOf(verdicts []Verdict) Assurance {
	var passed, accepted []Assurance
	for _, v := range verdicts {
		if v.Outcome != Pass {
			continue
		}
		level := v.Assurance
		if v.Check < len(c.Checks) && c.Checks[v.Check].Type == Manual && c.Checks[v.Check].Wait {
			accepted = append(accepted, level)
			continue
		}
		passed = append(passed, level)
	}
	if len(passed) == 0 {
		passed = accepted
	}
	if len(passed) == 0 {
		return ""
	}
	if c.Any {
		return slices.MinFunc(passed, compareAssurance)
	}
	return slices.MaxFunc(passed, compareAssurance)
}

func compareAssurance(a, b Assurance) int {
	return slices.Index(Assurances(), a) - slices.Index(Assurances(), b)
}
