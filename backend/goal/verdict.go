package goal

import "time"

// Outcome is what a check came to.
type Outcome string

// The outcomes. An error is never a pass.
const (
	Pass            Outcome = "pass"
	Fail            Outcome = "fail"
	CheckErr        Outcome = "error"
	Tampered        Outcome = "tampered"
	AlreadyPasses   Outcome = "passes_already" // pre-flight only
	FailsAsExpected Outcome = "fails_now"      // pre-flight only
	CheckUnrunnable Outcome = "cannot_run"     // pre-flight only
	// NotRepeatable is said of a gate that is run again after the goal's end and
	// needed a process of the goal.
	NotRepeatable Outcome = "not_repeatable"
)

// Verdict is the outcome of one check at one moment, with its evidence.
type Verdict struct {
	Check    int           `json:"check"` // index into Criterion.Checks
	Type     CheckType     `json:"check_type,omitempty"`
	Name     string        `json:"name"`
	Outcome  Outcome       `json:"outcome"`
	Detail   string        `json:"detail"`             // one sentence for people and model
	Tail     string        `json:"tail,omitempty"`     // last lines of the output, the diff of what was tampered with
	Reply    string        `json:"reply,omitempty"`    // of the judge, whole
	Evidence string        `json:"evidence,omitempty"` // SHA-256 of the kept output or picture: whole up to 1 MiB a stream
	Bytes    int64         `json:"bytes,omitempty"`    // of the whole output
	ExitCode int           `json:"exit_code"`
	Tries    int           `json:"tries,omitempty"` // 2 when an error was tried once more
	Tests    int           `json:"tests,omitempty"` // that ran, where a known test runner says so
	Fewer    int           `json:"fewer,omitempty"` // by how many there were more before the first turn
	Usage    Usage         `json:"usage,omitzero"`  // of the judge
	Missing  string        `json:"-"`               // pre-flight: the program that is not there, by which it cannot run
	Took     time.Duration `json:"-"`
	TookMS   int64         `json:"ms"`
	Output   []byte        `json:"-"` // what Evidence names: at most 1 MiB of text, cut in the middle, or a PNG
}

// VerificationResult is what a whole verification came to.
type VerificationResult string

// The findings. Waiting means that all but the user has decided.
const (
	Verified    VerificationResult = "verified"
	NotVerified VerificationResult = "not_verified"
	Waiting     VerificationResult = "waiting"
)

// Claim is what the agent, or the critic, asks the host to verify. It proves nothing.
type Claim struct {
	N         int
	By        string // critic, person; "" is the agent
	Rationale string
	Result    string
	// Accepted is the user's word about the manual checks that wait: nil while
	// there is none, false after the goal was sent back.
	Accepted *bool
	Note     string // of the user
	Steps    []Step // the newest steps, oldest first, for those who judge
}

// Step is one tool call and what came of it, for critics and judges.
type Step struct {
	N         int
	Tool      string
	Arguments string
	Outcome   string
	Result    string
}

// Review is what the cold reviewer said about a claim that passed its checks.
type Review struct {
	Confirmed bool   `json:"confirmed"`
	Reason    string `json:"reason"`
	Reply     string `json:"reply,omitempty"` // whole
	Error     bool   `json:"error,omitempty"` // it could not be asked, or gave no answer that can be read: not a pass
	Usage     Usage  `json:"usage,omitzero"`
}
