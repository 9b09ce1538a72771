package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Criterion is how the host decides that a goal is achieved.
type Criterion struct {
	Checks []Check `json:"checks"`
	Any    bool    `json:"any,omitempty"` // one passing check is enough
}

// CheckType names who decides and how.
type CheckType string

// The check types that this version can decide.
const (
	Shell CheckType = "shell"
)

// Check is one typed test that the host runs.
type Check struct {
	Type      CheckType `json:"type"`
	Command   string    `json:"command,omitempty"`    // shell: run by sh -c
	ExitCode  int       `json:"exit_code,omitempty"`  // shell: the wanted exit code
	Dir       string    `json:"dir,omitempty"`        // shell: relative to the goal's folder
	TimeoutMS int64     `json:"timeout_ms,omitempty"` // 0 means 120 s
}

// DefaultCheckTimeout holds where a check names none.
const DefaultCheckTimeout = 120 * time.Second

// Timeout is how long the host waits for the check.
func (c Check) Timeout() time.Duration {
	if c.TimeoutMS <= 0 {
		return DefaultCheckTimeout
	}
	return time.Duration(c.TimeoutMS) * time.Millisecond
}

// Words is the sentence for model, screen, command line and receipt.
func (c Check) Words() string {
	switch c.Type {
	case Shell:
		s := fmt.Sprintf("the command `%s` exits with %d", c.Command, c.ExitCode)
		if c.Dir != "" {
			s += " in " + c.Dir
		}
		return s
	default:
		return string(c.Type)
	}
}

// Name is the short form for lists.
func (c Check) Name() string { return strings.TrimSpace(c.Command) }

// Valid refuses a criterion that cannot decide anything.
func (c Criterion) Valid() error {
	if len(c.Checks) == 0 {
		return &Refusal{"criterion", "the goal has no check", "add one that passes only when the objective is reached, such as --check-shell 'test -f done.txt'"}
	}
	for i, k := range c.Checks {
		if k.Type != Shell {
			return &Refusal{"criterion", fmt.Sprintf("check %d has the unknown type %q", i+1, k.Type), "use shell"}
		}
		if strings.TrimSpace(k.Command) == "" {
			return &Refusal{"criterion", fmt.Sprintf("check %d has no command", i+1), "write the command whose exit code decides"}
		}
		if strings.ContainsRune(k.Command, 0) {
			return &Refusal{"criterion", fmt.Sprintf("check %d holds a NUL byte", i+1), "remove it"}
		}
	}
	return nil
}

// Words says the whole criterion in one sentence.
func (c Criterion) Words() string {
	parts := make([]string, len(c.Checks))
	for i, k := range c.Checks {
		parts[i] = k.Words()
	}
	word := " and "
	if c.Any {
		word = " or "
	}
	return strings.Join(parts, word)
}

// Hash is the hex SHA-256 of v's JSON. Criterion and policy are frozen with it.
func Hash(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Outcome is what a check came to.
type Outcome string

// The outcomes. An error is never a pass.
const (
	Pass      Outcome = "pass"
	Fail      Outcome = "fail"
	CheckErr  Outcome = "error"
	Tampered  Outcome = "tampered"
	PassesNow Outcome = "passes_already" // pre-flight only
	FailsNow  Outcome = "fails_now"      // pre-flight only
	CannotRun Outcome = "cannot_run"     // pre-flight only
)

// Verdict is the outcome of one check at one moment, with its evidence.
type Verdict struct {
	Check    int           `json:"check"` // index into Criterion.Checks
	Name     string        `json:"name"`
	Outcome  Outcome       `json:"outcome"`
	Detail   string        `json:"detail"`             // one sentence for people and model
	Tail     string        `json:"tail,omitempty"`     // last lines of the output
	Evidence string        `json:"evidence,omitempty"` // SHA-256 of the kept output: whole up to 1 MiB a stream
	Bytes    int64         `json:"bytes,omitempty"`    // of the whole output
	ExitCode int           `json:"exit_code"`
	Took     time.Duration `json:"-"`
	TookMS   int64         `json:"ms"`
	Output   []byte        `json:"-"` // at most 1 MiB, cut in the middle
}
