package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/fault"
)

// Criterion is how the host decides that a goal is achieved.
type Criterion struct {
	Checks []Check `json:"checks"`
	Any    bool    `json:"any,omitempty"` // one passing check is enough
	// Require is the least that a pass must prove; "" asks for nothing.
	Require Assurance `json:"require,omitempty"`
	// Runs is how often in a row a command has to pass, at most MaxRuns; 0 and 1 are once.
	Runs int `json:"runs,omitempty"`
}

// MaxRuns bounds Criterion.Runs.
const MaxRuns = 20

// Validate refuses a criterion that cannot decide anything.
func (c Criterion) Validate() error {
	if len(c.Checks) == 0 {
		return fault.Invalid("criterion", "the goal has no check",
			"add one that passes only when the objective is reached, such as --check-shell 'test -f done.txt'")
	}
	for i, k := range c.Checks {
		if reason, hint := k.validate(); reason != "" {
			return fault.Invalid("criterion", fmt.Sprintf("check %d %s", i+1, reason), hint)
		}
	}
	if c.Runs < 0 || c.Runs > MaxRuns {
		return &fault.Error{
			Field:   "runs",
			Message: fmt.Sprintf("the commands cannot run %d times", c.Runs),
			Hint:    fmt.Sprintf("choose 1 to %d", MaxRuns),
		}
	}
	switch best := c.BestAssurance(); {
	case c.Require != "" && !c.Require.IsValid():
		return &fault.Error{
			Field:   "require",
			Message: fmt.Sprintf("there is no assurance %q", c.Require),
			Hint:    "use strong, shared, judged or claimed",
		}
	case !best.AtLeast(c.Require):
		return &fault.Error{
			Field:   "require",
			Message: fmt.Sprintf("the goal requires %s, and its checks prove %s at most", c.Require, best),
			Hint:    "add a check that a program decides, take out what a model or a word decides, or require less",
		}
	}
	return nil
}

// Describe says the whole criterion in one sentence.
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

// HasDeterministicCheck reports whether a program decides something about the goal: the host then needs no reviewer.
// With Any, every check must be deterministic, because one passing check is enough.
func (c Criterion) HasDeterministicCheck() bool {
	if c.Any {
		return !slices.ContainsFunc(c.Checks, func(k Check) bool { return !k.Type.IsDeterministic() })
	}
	return slices.ContainsFunc(c.Checks, func(k Check) bool { return k.Type.IsDeterministic() })
}

// isJudgedInSubstance reports whether a model decides what the goal is about: beside its question, the other checks
// only look whether a file is there or a server answers.
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

// Hash returns the hex SHA-256 of v's JSON. It protects criterion and policy from later changes.
func Hash(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
