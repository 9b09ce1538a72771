// Package goal holds the types of the product: what a goal is, how the host decides that it is achieved, its
// status, and why it stopped. It has no side effects and keeps no state.
package goal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// ID is a lower-case ULID. The command line accepts a unique prefix of six or more.
type ID string

// Short returns the part of the id that users see.
func (id ID) Short() string {
	const tail = 8
	return string(id[max(0, len(id)-tail):])
}

// ExternalAgent takes the place of a goal's id for an agent outside of this program that controls goals.
const ExternalAgent ID = "mcp"

// Status is the state of a goal in its life cycle.
type Status string

// The statuses. transition.go lists every legal transition.
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
	NeedsUser          Exit = "needs_user"
	WaitingForProvider Exit = "parked"
	// DailyLimitReached pauses a goal until the next day, or until the user raises the limit.
	DailyLimitReached Exit = "daily_limit"
	PausedByUser      Exit = "user_paused"
	Interrupted       Exit = "interrupted"
	AbortedByUser     Exit = "user_aborted"
	GaveUp            Exit = "gave_up"
)

// Goal is an objective with a criterion, a policy and limits. Criterion, policy and their hashes are frozen when
// the goal is created.
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
	Report          []string // at most six bullets, the first says why it stopped
	Account         string   // the agent's own summary, "" if it gave none
	ParkedUntil     time.Time
	TestsBefore     []int // number of tests that ran in pre-flight, by check; set while the goal is being created
	// Observations are what checks did in pre-flight, by check; nil if not observed. They are set while the goal is
	// being created.
	Observations []*Observation
	CreatedAt    time.Time
	StartedAt    time.Time
	EndedAt      time.Time
	UpdatedAt    time.Time
}

// EndReport returns the report of a goal that ends while it is not running: the reason, then the report of its last
// run.
func (g Goal) EndReport(why string) []string {
	first := DescribeStop(why)
	if len(g.Report) == 0 {
		return []string{first}
	}
	return append([]string{first + " Before that: " + g.Report[0]}, g.Report[1:]...)
}

// CareOptions say how a goal is supervised. The user chooses them at the start. They are frozen with the criterion.
type CareOptions struct {
	Persona string `json:"persona,omitempty"` // "" is engineer
	// the external agent that drives the goal; "" is a model in Goalpost's own loop
	Engine string `json:"engine,omitempty"`
	// reasoning effort, in the words of the model's protocol; "" is the provider's default
	Effort         string `json:"effort,omitempty"`
	CriticEvery    int    `json:"critic_every,omitempty"`    // turns; 0 is off
	CriticProvider string `json:"critic_provider,omitempty"` // "" is the goal's own
	JudgeProvider  string `json:"judge_provider,omitempty"`  // "" is the goal's own
	// "" is automatic: review if no deterministic check decides
	Review    ReviewMode `json:"review,omitempty"`
	After     []ID       `json:"after,omitempty"`      // goals that must be done first
	Panes     []string   `json:"panes,omitempty"`      // panes that the user shared with the goal
	Protect   []string   `json:"protect,omitempty"`    // globs protected in addition to the files found
	NoProtect []string   `json:"no_protect,omitempty"` // globs left out
	OnAsk     string     `json:"on_ask,omitempty"`     // park, deny, allow; "" is park
	// what the agent and the models read of a failing check; "" is full, or exit if there is a Policy.CheckDir
	CheckOutput  CheckOutput `json:"check_output,omitempty"`
	Parent       ID          `json:"parent,omitempty"`        // the goal whose agent started this one
	Outside      bool        `json:"outside,omitempty"`       // created by an external agent, or by a goal of one
	AllowPassing bool        `json:"allow_passing,omitempty"` // a check may pass at the start
	// the program of a check may be missing: the goal is to make it
	AllowMissing bool `json:"allow_missing,omitempty"`
	// the git worktree that was made for the goal, nil if it works in the user's folder
	Worktree *Worktree `json:"worktree,omitempty"`
}

// ReviewMode says whether a claim that passed is reviewed.
type ReviewMode string

// The modes. ReviewAuto lets the host decide.
const (
	ReviewAuto   ReviewMode = ""
	ReviewAlways ReviewMode = "always"
	ReviewNever  ReviewMode = "never"
)

// DefaultCriticEvery is the default number of turns between two runs of the critic.
const DefaultCriticEvery = 5

// NeedsReview reports whether a reviewer must confirm claims that passed.
func (g Goal) NeedsReview() bool {
	if g.Options.Review == ReviewAuto {
		return !g.Criterion.HasDeterministicCheck() || g.Criterion.isJudgedInSubstance()
	}
	return g.Options.Review == ReviewAlways
}

// JudgeName returns the name of the provider or model that answers the goal's questions.
func (g Goal) JudgeName() string {
	return cmp.Or(g.Options.JudgeProvider, g.Model, g.Provider)
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

// Add returns the spending of two goals under a common limit. Goals that run in parallel share the wall clock; each
// goal counts its own steps and claims.
func (s Spend) Add(o Spend) Spend {
	s.Iterations, s.TokensIn, s.TokensOut, s.USD = s.Iterations+o.Iterations, s.TokensIn+o.TokensIn, s.TokensOut+
		o.TokensOut, s.USD+o.USD
	return s
}

// Limits limit a run; zero means no limit.
type Limits struct {
	WallClock      time.Duration
	Iterations     int
	ClaimsPerCheck int
	Tokens         int64
	USD            float64
}

// DefaultLimits are the limits of a goal for which the user set none.
func DefaultLimits() Limits {
	return Limits{WallClock: time.Hour, Iterations: 300, ClaimsPerCheck: 5}
}

// ErrNotFound means that no goal has the given id or prefix.
var ErrNotFound error = fault.Kind(fault.NotFound, "", "no such goal", "goalctl list shows all goals")

// ValidateInput refuses a goal that could not be decided: no objective, no check, a negative limit or an unknown
// risk level.
func ValidateInput(objective string, c Criterion, p policy.Policy, l Limits) error {
	if strings.TrimSpace(objective) == "" {
		return fault.Invalid("objective", "the goal has no objective", "say in a sentence what should be true at the end")
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if !p.Risk.IsValid() {
		return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", p.Risk), "use one of "+policy.RiskNames())
	}
	for _, end := range []string{"claim_complete", "abort_with_report"} {
		if slices.Contains(p.DenyTools, end) {
			return fault.Invalid("deny_tools", "without "+end+", the agent cannot end the run honestly",
				"deny other tools; a claim proves nothing, and the host decides")
		}
	}
	return l.Validate()
}

// Validate refuses negative limits and amounts that are not numbers.
func (l Limits) Validate() error {
	if l.WallClock < 0 || l.Iterations < 0 || l.ClaimsPerCheck < 0 || l.Tokens < 0 || l.USD < 0 {
		return fault.Invalid("limits", "a limit is negative", "use 0 for no limit")
	}
	if math.IsNaN(l.USD) || math.IsInf(l.USD, 0) { // no amount exceeds it
		return fault.Invalid("limits", "the spending limit is not a number", "use an amount such as 2.50, or 0 for no limit")
	}
	return nil
}
