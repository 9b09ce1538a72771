package goal

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// NoLimit switches off what has a default: a limit, or the critic. 0 is the default.
const NoLimit = -1

// Request is a goal as the user asks for it: the dialog and the other ways in fill it, and a goal keeps it. Its parts
// share one JSON object. Complete puts the defaults in.
type Request struct {
	Objective string `json:"objective"` // in the user's words
	Criterion
	policy.Policy // Dir "" is a new folder
	Limits
	// the provider's id, "demo" for the scripted model; in a request "" leaves the choice to Model
	Provider string `json:"provider"`
	// "" is the provider's; in a request without a provider also PROVIDER/MODEL or PROVIDER
	Model string `json:"model"`
	Options
}

// Options say how a goal is supervised and where it works.
type Options struct {
	// the external agent that drives the goal: "" is that of the settings, "model" none. In a goal, "" is none.
	Engine string `json:"engine,omitempty"`
	// the goal works in a new git worktree of Dir's repository, on a branch of its own
	NewWorktree bool   `json:"new_worktree,omitempty"`
	Persona     string `json:"persona,omitempty"` // "" is engineer
	// reasoning effort, in the words of the model's protocol; "" is the provider's default
	Effort string `json:"effort,omitempty"`
	// turns between two runs of the critic; in a goal, 0 is no critic
	CriticEvery int `json:"critic_every,omitempty"`
	// who criticises, judges and reviews: PROVIDER/MODEL, PROVIDER, or a model of the goal's provider; "" is its own
	Critic string `json:"critic,omitempty"`
	Judge  string `json:"judge,omitempty"`
	// "" is automatic: review if no deterministic check decides
	Review ReviewMode `json:"review,omitempty"`
	// goals that must be completed first; in a request also unique parts of their ids
	After     []ID     `json:"after,omitempty"`
	Panes     []string `json:"panes,omitempty"`      // panes that the user shares with the goal
	Protect   []string `json:"protect,omitempty"`    // globs protected in addition to the files found
	NoProtect []string `json:"no_protect,omitempty"` // globs left out
	OnAsk     string   `json:"on_ask,omitempty"`     // park, deny, allow; "" is park
	// what the agent and the models read of a failing check; "" is full, or exit if there is a Policy.CheckDir
	CheckOutput  CheckOutput `json:"check_output,omitempty"`
	AllowPassing bool        `json:"allow_passing,omitempty"` // a check may pass at the start
	// the program of a check may be missing: the goal is to make it
	AllowMissing bool `json:"allow_missing,omitempty"`
	// the user confirmed that checks with where: host run the agent's code outside the sandbox
	RunOutside bool `json:"run_outside,omitempty"`
}

// Origin is what the host notes about where a goal comes from and works.
type Origin struct {
	Parent  ID   `json:"parent,omitempty"`  // the goal whose agent started this one
	Outside bool `json:"outside,omitempty"` // created by an external agent, or by a goal of one
	// the git worktree that was made for the goal, nil if it works in the user's folder
	Worktree *Worktree `json:"worktree,omitempty"`
}

// Limits limit a run. In a request 0 is the default and NoLimit is none; in a goal 0 is none.
type Limits struct {
	WallClockMS    int64   `json:"wall_clock_ms"` // working time, in milliseconds
	Iterations     int     `json:"iterations"`    // turns
	ClaimsPerCheck int     `json:"claims_per_check"`
	Tokens         int64   `json:"tokens"` // in and out
	USD            float64 `json:"usd"`
}

// DefaultLimits are the limits of a goal for which the user set none.
func DefaultLimits() Limits {
	return Limits{WallClockMS: time.Hour.Milliseconds(), Iterations: 300, ClaimsPerCheck: 5}
}

// DefaultCriticEvery is the default number of turns between two runs of the critic.
const DefaultCriticEvery = 5

// Complete puts the defaults into a request: after it, 0 means none.
func (r *Request) Complete() error {
	r.Objective, r.Hidden = strings.TrimSpace(r.Objective), nil // only the host hides paths
	if r.Risk == "" {
		r.Risk = policy.WriteLocal
	}
	r.Limits = DefaultLimits().With(r.Limits)
	switch {
	case r.CriticEvery == 0:
		r.CriticEvery = DefaultCriticEvery
	case r.CriticEvery == NoLimit:
		r.CriticEvery = 0
	case r.CriticEvery < 0:
		return fault.Invalid("critic_every", fmt.Sprintf("the critic cannot run every %d turns", r.CriticEvery),
			"give a positive number of turns, or 0 for no critic")
	}
	return r.Validate()
}

// Validate refuses a complete request that could not be decided: no objective, no check, a negative limit or an
// unknown choice.
func (r *Request) Validate() error {
	if r.Objective == "" {
		return fault.Invalid("objective", "the goal has no objective", "say in a sentence what should be true at the end")
	}
	if err := r.Criterion.Validate(); err != nil {
		return err
	}
	if !r.Risk.IsValid() {
		return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", r.Risk), "use one of "+policy.RiskNames())
	}
	for _, end := range []string{"claim_complete", "abort_with_report"} {
		if slices.Contains(r.DenyTools, end) {
			return fault.Invalid("deny_tools", "without "+end+", the agent cannot end the run honestly",
				"deny other tools; a claim proves nothing, and the host decides")
		}
	}
	if err := r.Options.validate(); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Where == "host" }) && !r.RunOutside {
		return fault.Invalid("run_outside", RunOutsideWarning,
			"confirm it (--allow outside), or let the check run in the sandbox")
	}
	return r.Limits.Validate()
}

// validate refuses unknown choices. The host's prompts know the personas.
func (o *Options) validate() error {
	if !slices.Contains([]ReviewMode{ReviewAuto, ReviewAlways, ReviewNever}, o.Review) {
		return fault.Invalid("review", fmt.Sprintf("unknown choice %q", o.Review),
			"use always or never, or leave it out to let the host decide")
	}
	if o.CheckOutput != CheckOutputDefault && !slices.Contains(CheckOutputs(), o.CheckOutput) {
		return fault.Invalid("check_output", fmt.Sprintf("unknown choice %q", o.CheckOutput), "use exit, names or full")
	}
	if !slices.Contains([]string{"", "park", "deny", "allow"}, o.OnAsk) {
		return fault.Invalid("on_ask", fmt.Sprintf("unknown choice %q", o.OnAsk), "use park, deny or allow")
	}
	return nil
}

// WallClock returns the limit of working time, 0 for none.
func (l Limits) WallClock() time.Duration { return time.Duration(l.WallClockMS) * time.Millisecond }

// With returns l with the limits of changed that are not 0. NoLimit removes a limit; Validate refuses other negative
// numbers.
func (l Limits) With(changed Limits) Limits {
	return Limits{
		WallClockMS:    changedLimit(l.WallClockMS, changed.WallClockMS),
		Iterations:     changedLimit(l.Iterations, changed.Iterations),
		ClaimsPerCheck: changedLimit(l.ClaimsPerCheck, changed.ClaimsPerCheck),
		Tokens:         changedLimit(l.Tokens, changed.Tokens),
		USD:            changedLimit(l.USD, changed.USD),
	}
}

func changedLimit[N int | int64 | float64](before, changed N) N {
	switch changed {
	case 0:
		return before
	case NoLimit:
		return 0
	}
	return changed
}

// Validate refuses negative limits and amounts that are not numbers.
func (l Limits) Validate() error {
	if l.WallClockMS < 0 || l.Iterations < 0 || l.ClaimsPerCheck < 0 || l.Tokens < 0 || l.USD < 0 {
		return fault.Invalid("limits", "a limit is negative", "use 0 for no limit")
	}
	if math.IsNaN(l.USD) || math.IsInf(l.USD, 0) { // no amount exceeds it
		return fault.Invalid("limits", "the spending limit is not a number", "use an amount such as 2.50, or 0 for no limit")
	}
	return nil
}
