package goal

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Outcome is the outcome of a check.
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
	// NotRepeatable means that a deterministic check that runs again after the goal's end needs a process of the
	// goal.
	NotRepeatable Outcome = "not_repeatable"
)

// Verdict is the outcome of one check at one moment, with its evidence.
type Verdict struct {
	Check   int       `json:"check"` // index into Criterion.Checks
	Type    CheckType `json:"check_type,omitempty"`
	Name    string    `json:"name"`
	Outcome Outcome   `json:"outcome"`
	Detail  string    `json:"detail"` // one sentence for users and the model
	// last lines of the output, or the diff of a protected file that was changed
	Tail  string `json:"tail,omitempty"`
	Reply string `json:"reply,omitempty"` // of the judge, whole
	// JudgeFailed says that no judge gave an answer that could be read: an error that the agent cannot repair.
	JudgeFailed bool `json:"judge_failed,omitempty"`
	// SHA-256 of the stored output or picture; output is complete up to 1 MiB per stream
	Evidence string `json:"evidence,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"` // of the whole output
	ExitCode int    `json:"exit_code"`
	Tries    int    `json:"tries,omitempty"` // 2 if the check was retried after an error
	Tests    int    `json:"tests,omitempty"` // number of tests that ran, if a known test runner reports it
	Fewer    int    `json:"fewer,omitempty"` // how many fewer tests ran than before the first turn
	Usage    Usage  `json:"usage,omitzero"`  // of the judge
	Proof           // of a pass
	// Observed reports whether the file accesses of the check's program were traced; "" if the check runs no program.
	Observed ObservationStatus `json:"observed,omitempty"`
	// Changes are files that the check used and that were created or changed since the goal's start. Those with a
	// reason make the verdict tampered.
	Changes []FileChange `json:"changes,omitempty"`
	// Reruns are the runs that followed a doubted pass, with files as they were at the start.
	Reruns []Rerun `json:"reruns,omitempty"`
	// Grounds are what a pass rests on; nil if the check was not observed.
	Grounds *Grounds `json:"grounds,omitempty"`
	// Tree is, in the last verdict, a hash of the goal's folder when the criterion passed; "" in others, and if the
	// folder is too large.
	Tree        string        `json:"tree,omitempty"`
	Observation *Observation  `json:"-"` // pre-flight: what it used; nil if not observed
	Missing     string        `json:"-"` // pre-flight: the missing program that the check needs
	Took        time.Duration `json:"-"`
	TookMS      int64         `json:"ms"`
	Output      []byte        `json:"-"` // the content of Evidence: at most 1 MiB of text, cut in the middle, or a PNG
}

// Rerun is one more run of a check that passed, with files as they were at the start.
type Rerun struct {
	AsAtStart []string `json:"as_at_start"` // files of the goal's folder; a new one was absent
	// TestsOf are files of the work of which only the tests inside were as at the start.
	TestsOf []string `json:"tests_of,omitempty"`
	Passed  bool     `json:"passed"`
	Detail  string   `json:"detail"`
}

// Describe says in a clause what the run shows.
func (r Rerun) Describe() string {
	const shown = 3
	what := slices.Clone(r.AsAtStart)
	for _, file := range r.TestsOf {
		what = append(what, "the tests in "+file)
	}
	files := strings.Join(what[:min(shown, len(what))], ", ")
	if more := len(what) - shown; more > 0 {
		files += fmt.Sprintf(" and %d more", more)
	}
	if r.Passed {
		return "it also passes with " + files + " as at the start"
	}
	return "it does not pass with " + files + " as at the start"
}

// VerificationResult is the outcome of a whole verification.
type VerificationResult string

// The results. Waiting means that only the user's decision is missing.
const (
	Verified    VerificationResult = "verified"
	NotVerified VerificationResult = "not_verified"
	Waiting     VerificationResult = "waiting"
)

// Claim is what the agent or the user asks the host to verify. It proves nothing.
type Claim struct {
	N         int
	By        string // user; "" is the agent
	Rationale string
	Result    string
	// Accepted is the user's decision about pending manual checks: nil if there is none, false after the goal was
	// sent back.
	Accepted   *bool
	Note       string // of the user
	Steps      []Step // the newest steps, oldest first, for judges
	Background        // before this claim, for judges
	// Unjudged are the checks that the user's decision is about because no judge gave an answer that could be read.
	Unjudged []int
}

// Step is one tool call with its result, for critics and judges.
type Step struct {
	N         int
	Tool      string
	Arguments string
	Outcome   string
	Result    string
}

// Review is the reviewer's answer about a claim that passed its checks.
type Review struct {
	Confirmed bool   `json:"confirmed"`
	Reason    string `json:"reason"`
	Reply     string `json:"reply,omitempty"` // whole
	Error     bool   `json:"error,omitempty"` // the reviewer was unavailable or its answer could not be parsed: not a pass
	Usage     Usage  `json:"usage,omitzero"`
}

// ObservationStatus says whether the file accesses of a check were traced.
type ObservationStatus string

// The values.
const (
	WasObserved    ObservationStatus = "yes"
	NotObserved    ObservationStatus = "no"
	PartlyObserved ObservationStatus = "partly" // such a check verifies nothing
)
