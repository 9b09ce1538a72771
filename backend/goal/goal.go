// Package goal holds the words of the product: what a goal is, how the host
// decides that it is achieved, where it stands and why it stopped. It imports
// nothing but the policy words and the standard library, and does nothing.
package goal

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"goalpost/backend/fault"
	"goalpost/backend/policy"
)

// ID is a lower-case ULID. The command line accepts a unique prefix of six or more.
type ID string

// Short is the prefix that people are shown.
func (id ID) Short() string {
	const tail = 8
	if len(id) <= tail {
		return string(id)
	}
	return string(id[len(id)-tail:])
}

// ExternalAgent stands for an agent outside of this program that steers goals, where one
// of a goal would be named.
const ExternalAgent ID = "mcp"

// Status says where a goal is.
type Status string

// The statuses. Every legal arrow between them is in transition.go.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Paused    Status = "paused"
	Completed Status = "completed"
	Failed    Status = "failed"
	Aborted   Status = "aborted"
)

// Exit says why a run stopped. It is empty while a goal is pending or running.
type Exit string

// The exits.
const (
	Done               Exit = "done"
	LimitReached       Exit = "limit_reached"
	ExitError          Exit = "error"
	Stuck              Exit = "stuck"
	NeedsUser          Exit = "needs_operator"
	WaitingForProvider Exit = "parked"
	PausedByUser       Exit = "user_paused"
	Interrupted        Exit = "interrupted"
	AbortedByUser      Exit = "user_aborted"
	GaveUp             Exit = "gave_up"
)

// Goal is an objective with a criterion, a policy and limits. Criterion, policy
// and their hashes are frozen when the goal is created.
type Goal struct {
	ID              ID
	Objective       string
	Criterion       Criterion
	CriterionSHA256 string
	Policy          policy.Policy
	PolicySHA256    string
	Limits          Limits
	Provider        string // id of the provider, "demo" for the scripted model
	Model           string
	Scripted        bool // true when no AI is behind the model
	Options         CareOptions
	Status          Status
	Exit            Exit
	Verified        bool // true when a program or a model of the host decided
	RunID           string
	Spent           Spend
	Report          []string // at most five bullets, the first says why it stopped
	Account         string   // the agent's own last account, "" if it gave none
	ParkedUntil     time.Time
	TestsBefore     []int // that ran in pre-flight, by check; known while the goal is made
	CreatedAt       time.Time
	StartedAt       time.Time
	EndedAt         time.Time
	UpdatedAt       time.Time
}

// EndReport is the report of a goal that ends while none of its runs continues: why, and
// all that its last run has reported.
func (g Goal) EndReport(why string) []string {
	first := "Stopped because " + why + "."
	if len(g.Report) == 0 {
		return []string{first}
	}
	return append([]string{first + " Before that: " + g.Report[0]}, g.Report[1:]...)
}

// CareOptions is how a goal is looked after. They are chosen by the user at the
// start and frozen with the criterion.
type CareOptions struct {
	Persona        string     `json:"persona,omitempty"`         // "" is engineer
	Effort         string     `json:"effort,omitempty"`          // how much the model thinks, in its protocol's word; "" is the provider's own
	CriticEvery    int        `json:"critic_every,omitempty"`    // steps; 0 is off
	CriticProvider string     `json:"critic_provider,omitempty"` // "" is the goal's own
	JudgeProvider  string     `json:"judge_provider,omitempty"`  // "" is the goal's own
	Review         ReviewMode `json:"review,omitempty"`          // "" is automatic: when no gate decides
	After          []ID       `json:"after,omitempty"`           // goals that must be done first
	Panes          []string   `json:"panes,omitempty"`           // panes that the goal was given
	Protect        []string   `json:"protect,omitempty"`         // globs held besides those found
	NoProtect      []string   `json:"no_protect,omitempty"`      // globs left out
	OnAsk          string     `json:"on_ask,omitempty"`          // park, deny, allow; "" is park
	Parent         ID         `json:"parent,omitempty"`          // the goal whose agent started this one
	Outside        bool       `json:"outside,omitempty"`         // an agent outside of this program made it, or one whose goal that was
	AllowPassing   bool       `json:"allow_passing,omitempty"`   // a check that passes at the start is wanted so
	AllowMissing   bool       `json:"allow_missing,omitempty"`   // making the program of a check is the goal
}

// ReviewMode says whether something is done.
type ReviewMode string

// The choices; Automatic leaves it to the host.
const (
	ReviewAuto   ReviewMode = ""
	ReviewAlways ReviewMode = "always"
	ReviewNever  ReviewMode = "never"
)

// DefaultCriticEvery is how often the critic looks when the user says nothing, in steps.
const DefaultCriticEvery = 5

// NeedsReview says whether a cold reviewer looks at claims that passed.
func (g Goal) NeedsReview() bool {
	if g.Options.Review == ReviewAuto {
		return !g.Criterion.HasDeterministicCheck()
	}
	return g.Options.Review == ReviewAlways
}

// Spend counts what a goal has used so far, over all of its runs.
type Spend struct {
	WallClock  time.Duration // paused time does not count
	Iterations int
	Steps      int
	Claims     int // claims made
	TokensIn   int64
	TokensOut  int64
	USD        float64
}

// Add is what both used that counts against one limit. Goals that work side by side
// share a wall clock, and steps and claims are each one's own.
func (s Spend) Add(o Spend) Spend {
	s.Iterations, s.TokensIn, s.TokensOut, s.USD = s.Iterations+o.Iterations, s.TokensIn+o.TokensIn, s.TokensOut+o.TokensOut, s.USD+o.USD
	return s
}

// Limits bound a run; zero means none.
type Limits struct {
	WallClock      time.Duration
	Iterations     int
	ClaimsPerCheck int `json:"ClaimsPerGate"` // the name under which goals are stored
	Tokens         int64
	USD            float64
}

// DefaultLimits are what a goal gets when the user says nothing.
func DefaultLimits() Limits {
	return Limits{WallClock: time.Hour, Iterations: 300, ClaimsPerCheck: 5}
}

// ErrNotFound means that no goal has the given id or prefix.
var ErrNotFound error = fault.Kind(fault.NotFound, "", "no such goal", "list shows what there is")

// ValidateInput refuses a goal that could not be decided: no objective, no check,
// a negative limit, an unknown risk.
func ValidateInput(objective string, c Criterion, p policy.Policy, l Limits) error {
	if strings.TrimSpace(objective) == "" {
		return &fault.Error{Field: "objective", Message: "the goal has no objective", Hint: "say in a sentence what should be true at the end"}
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if !p.Risk.IsValid() {
		return &fault.Error{Field: "risk", Message: fmt.Sprintf("unknown risk %q", p.Risk), Hint: "use one of " + policy.RiskNames()}
	}
	for _, end := range []string{"claim_complete", "abort_with_report"} {
		if slices.Contains(p.DenyTools, end) {
			return &fault.Error{Field: "deny_tools", Message: "without " + end + " the agent could not end the run honestly", Hint: "deny other tools; a claim proves nothing, and the host decides"}
		}
	}
	return l.Validate()
}

// Validate refuses limits that mean nothing.
func (l Limits) Validate() error {
	if l.WallClock < 0 || l.Iterations < 0 || l.ClaimsPerCheck < 0 || l.Tokens < 0 || l.USD < 0 {
		return &fault.Error{Field: "limits", Message: "a limit is negative", Hint: "use 0 for no limit"}
	}
	if math.IsNaN(l.USD) || math.IsInf(l.USD, 0) { // nothing is ever over it
		return &fault.Error{Field: "limits", Message: "the limit of money is not a number", Hint: "use an amount such as 2.50, or 0 for no limit"}
	}
	return nil
}
