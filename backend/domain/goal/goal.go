// Package goal holds the types of the product: what a goal is, how the host decides that it is achieved, its
// status, and why it stopped. It has no side effects and keeps no state.
package goal

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

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
	// WaitingForCondition pauses a goal until the host finds that a condition is met.
	WaitingForCondition Exit = "waiting"
	PausedByUser        Exit = "user_paused"
	Interrupted         Exit = "interrupted"
	AbortedByUser       Exit = "user_aborted"
	GaveUp              Exit = "gave_up"
)

// Goal is an objective with a criterion, a policy and limits. Criterion, policy and their hashes are frozen when
// the goal is created.
type Goal struct {
	ID ID
	Request
	Origin
	CriterionSHA256 string
	PolicySHA256    string
	Scripted        bool // true when no AI is behind the model
	Status          Status
	Exit            Exit
	Verified        bool // true when a program or a model of the host decided
	RunID           string
	Spent           Spend
	Report          []string // at most eight bullets, the first says why it stopped
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

// ReviewMode says whether a claim that passed is reviewed.
type ReviewMode string

// The modes. ReviewAuto lets the host decide.
const (
	ReviewAuto   ReviewMode = ""
	ReviewAlways ReviewMode = "always"
	ReviewNever  ReviewMode = "never"
)

// NeedsReview reports whether a reviewer must confirm claims that passed.
func (g Goal) NeedsReview() bool {
	if g.Options.Review == ReviewAuto {
		return !g.Criterion.HasDeterministicCheck() || g.Criterion.isJudgedInSubstance()
	}
	return g.Options.Review == ReviewAlways
}

// JudgeName returns the names of the providers or models that decide the goal's checks.
func (g Goal) JudgeName() string {
	names := []string{}
	for _, k := range g.Criterion.Checks {
		if name := g.JudgeOf(k); !k.Type.IsDeterministic() && k.Type != Manual && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, " and "), g.JudgeOf(Check{}))
}

// JudgeOf returns the name of the provider or model that decides a check.
func (g Goal) JudgeOf(k Check) string {
	vision := ""
	if k.Type == Visual {
		vision = g.Options.Vision
	}
	return cmp.Or(vision, g.Options.Judge, g.Model, g.Provider)
}

// Roles returns the models that do what the goal's own does not do.
func (g Goal) Roles() map[string]string {
	roles := map[string]string{
		"critic": g.Options.Critic, "judge": g.Options.Judge, "reviewer": g.Options.Reviewer,
		"vision": g.Options.Vision, "summaries": g.Options.Summary, "fallback": strings.Join(g.Options.Fallbacks, ", "),
	}
	maps.DeleteFunc(roles, func(_, name string) bool { return name == "" })
	return roles
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

// ErrNotFound means that no goal has the given id or prefix.
var ErrNotFound error = fault.Kind(fault.NotFound, "", "no such goal", "goalctl list shows all goals")
