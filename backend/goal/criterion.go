package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"goalpost/backend/fault"
)

// Criterion is how the host decides that a goal is achieved.
type Criterion struct {
	Checks []Check `json:"checks"`
	Any    bool    `json:"any,omitempty"` // one passing check is enough
}

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
	gates := 0
	for _, k := range c.Checks {
		if k.Type.IsDeterministic() {
			gates++
		}
	}
	if c.Any {
		return gates == len(c.Checks)
	}
	return gates > 0
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
