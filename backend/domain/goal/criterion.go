package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/lib/fault"
)

// Criterion is how the host decides that a goal is achieved.
type Criterion struct {
	Checks []Check `json:"checks"`
	Any    bool    `json:"any,omitempty"` // one passing check is enough
	// Require is the minimum that a pass must prove; "" requires nothing.
	Require Assurance `json:"require,omitempty"`
	// Runs is how many times in a row a command must pass, at most MaxRuns; 0 and 1 mean once.
	Runs int `json:"runs,omitempty"`
}

// MaxRuns limits Criterion.Runs.
const MaxRuns = 20

// Validate refuses a criterion that cannot decide anything.
func (c Criterion) Validate() error {
	if len(c.Checks) == 0 {
		return fault.Invalid("criterion", "the goal has no check",
			"add one that passes only when the objective is reached").OnCommandLine(
			"add one that passes only when the objective is reached, such as --check 'test -f done.txt'")
	}
	for i, k := range c.Checks {
		if reason, hint := k.problem(); reason != "" {
			return fault.Invalid("criterion", fmt.Sprintf("check %d %s", i+1, reason), hint)
		}
	}
	if c.Runs < 0 || c.Runs > MaxRuns {
		return &fault.Error{
			Field:   "runs",
			Message: fmt.Sprintf("the commands cannot run %d times in a row", c.Runs),
			Hint:    fmt.Sprintf("choose 1 to %d", MaxRuns),
		}
	}
	switch best := c.BestAssurance(); {
	case c.Require != "" && !c.Require.IsValid():
		return &fault.Error{
			Field:   "require",
			Message: fmt.Sprintf("unknown assurance %q", c.Require),
			Hint:    "use strong, tested, weakened, judged or claimed",
		}
	case !best.AtLeast(c.Require):
		return &fault.Error{
			Field:   "require",
			Message: fmt.Sprintf("the goal requires %s, but its checks prove at most %s", c.Require, best),
			Hint:    "add a check that a program decides, remove those that a model or a user decides, or require less",
		}
	}
	return nil
}

// Describe describes the whole criterion in one sentence.
func (c Criterion) Describe() string {
	parts := make([]string, len(c.Checks))
	for i, k := range c.Checks {
		parts[i] = k.Describe()
	}
	word := " and "
	if c.Any {
		word = " or "
	}
	return strings.Join(parts, word)
}

// AsksUser reports whether the user has to accept the result.
func (c Criterion) AsksUser() bool {
	return slices.ContainsFunc(c.Checks, func(k Check) bool { return k.Type == Manual && k.Wait })
}

// HasDeterministicCheck reports whether a program must decide something about the goal, so that the host needs no
// reviewer. With Any, every check must be deterministic, because one passing check is enough.
func (c Criterion) HasDeterministicCheck() bool {
	if c.Any {
		return !slices.ContainsFunc(c.Checks, func(k Check) bool { return !k.Type.IsDeterministic() })
	}
	return slices.ContainsFunc(c.Checks, func(k Check) bool { return k.Type.IsDeterministic() })
}

// HasAnswerCheck reports whether a check decides about what the agent found out, so that reading may be all of the
// work: a question to a model or a user, or an expression over the result.
func (c Criterion) HasAnswerCheck() bool {
	return slices.ContainsFunc(c.Checks, func(k Check) bool {
		return k.Type == ModelQuestion || k.Type == Manual || k.Type == JSONPredicate && (k.From == "" || k.From == FromClaim)
	})
}

// isJudgedInSubstance reports whether a model decides the essence of the goal: besides its question, the other
// checks only test that a file exists or a server answers.
func (c Criterion) isJudgedInSubstance() bool {
	judged := false
	for _, k := range c.Checks {
		if k.Type == Shell || k.Type == JSONPredicate && k.BestAssurance() == Strong {
			return false
		}
		judged = judged || k.BestAssurance() == Judged
	}
	return judged
}

// Hash returns the hexadecimal SHA-256 of v's JSON. It protects criterion and policy from later changes.
func Hash(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
