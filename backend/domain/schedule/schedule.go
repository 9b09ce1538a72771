// Package schedule says when a goal is started again and again, and what is known about its runs.
package schedule

import (
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// ID names a schedule.
type ID string

// Mode says what a schedule does when it is due.
type Mode string

const (
	// DryRun starts the goal in a copy of its folder, with a network that it can only read.
	DryRun Mode = "dry_run"
	Active Mode = "active" // starts the goal in its folder
	Off    Mode = "off"    // starts nothing
)

// Missed says what happens with a time at which no Goalpost was running.
type Missed string

const (
	RunOnce    Missed = "once" // one run makes up for all times that were missed
	SkipMissed Missed = "skip"
)

// Overlap says what happens if the run before has not ended when the next is due.
type Overlap string

const (
	SkipOverlap Overlap = "skip"
	Queue       Overlap = "queue" // one run waits for the end of the run before
)

// MaxFailures is how many runs in a row may fail before the schedule is turned off.
const MaxFailures = 3

// Grace is how late a run may start without counting as missed.
const Grace = time.Minute

// Plan is what the user enters: a goal, and when to start it.
type Plan struct {
	Request  goal.Request `json:"request"`   // its limit of money is that of each run
	Cron     string       `json:"cron"`      // five fields: minute, hour, day of the month, month, day of the week
	Zone     string       `json:"zone"`      // such as Europe/Berlin; "" is that of the computer
	Missed   Missed       `json:"missed"`    // "" is once
	Overlap  Overlap      `json:"overlap"`   // "" is skip
	MonthUSD float64      `json:"month_usd"` // what its runs may cost in a month, in US dollars; 0 is no limit
}

// Schedule is a plan with its state.
type Schedule struct {
	Plan

	ID        ID        `json:"id"`
	Mode      Mode      `json:"mode"`
	Tried     bool      `json:"tried"`    // a dry run of this plan was done
	Failures  int       `json:"failures"` // runs in a row that failed
	CreatedAt time.Time `json:"created_at"`
	// DecidedTo is the time up to which every due time was decided.
	DecidedTo time.Time `json:"decided_to"`
}

// State says what became of a due time.
type State string

const (
	Started State = "started" // as a goal
	Waiting State = "waiting" // for the end of the run before
	Skipped State = "skipped"
	Refused State = "refused" // the goal could not be started
)

// Run is what was decided about one due time. A schedule has at most one for each.
type Run struct {
	Schedule  ID        `json:"schedule"`
	Due       time.Time `json:"due"`
	DecidedAt time.Time `json:"decided_at"`
	State     State     `json:"state"`
	Goal      goal.ID   `json:"goal"` // "" if none was started
	DryRun    bool      `json:"dry_run"`
	Why       string    `json:"why"` // it was skipped or refused
}

// Complete sets what the user left open, and refuses unknown rules. It does not read the cron expression.
func (p *Plan) Complete() error {
	if p.Missed == "" {
		p.Missed = RunOnce
	}
	if p.Overlap == "" {
		p.Overlap = SkipOverlap
	}
	switch {
	case p.Missed != RunOnce && p.Missed != SkipMissed:
		return fault.Invalid("missed", fmt.Sprintf("unknown rule %q for missed runs", p.Missed), "use once or skip")
	case p.Overlap != SkipOverlap && p.Overlap != Queue:
		return fault.Invalid("overlap", fmt.Sprintf("unknown rule %q for runs that overlap", p.Overlap), "use skip or queue")
	case p.MonthUSD < 0:
		return fault.Invalid("month_usd", "the limit of a month is negative", "use 0 for no limit")
	}
	return nil
}
