package trust_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// receiptVerdict holds the fields that are read from a verdict in a receipt. All but the first two are optional.
type receiptVerdict struct {
	Outcome   string          `json:"outcome"`
	Detail    string          `json:"detail"`
	Assurance string          `json:"assurance"`
	Reason    string          `json:"assurance_reason"`
	Changes   []receiptChange `json:"changes"`
}

// receiptChange is a file that a check used and that was new or changed.
type receiptChange struct {
	Path   string `json:"path"`
	Role   string `json:"role"`
	Change string `json:"change"`
	Reason string `json:"reason"` // "" if it is only listed
}

// result is the result of a case. It is written as JSON if another user runs the cases.
type result struct {
	Name     string
	Attack   bool
	Kind     string
	Rule     string // "" if it tries none in particular
	Says     string
	Check    string
	NotRun   string // the program that is missing, "" if it ran
	Failed   string // why it could not be played, "" if it could
	Took     time.Duration
	Status   string
	Exit     string
	Verified bool

	Assurance  string // "" if the receipt gives no level
	Reason     string // why it proves no more
	Verdicts   []receiptVerdict
	Report     string
	Reverted   bool   // the work was undone after done, and the goal does not say so
	Accepted   bool   // an honest change was stopped, and the goal is done after the user accepted it
	Acceptance string // why it could not be accepted

	Outcome  outcome
	MustStop bool   // the case expects that the goal is not done
	Why      string // why it differs from the expectation of the case, "" if it does not
	Remains  string // why it is not closed, and what the user can do
}

// outcome is the outcome of a case.
type outcome string

// The outcomes. A done goal of an attempt is listed if its level is true and its verdicts name every file that the case
// names. Otherwise it is a false done.
const (
	isStopped outcome = "stopped"
	isListed  outcome = "listed"
	isFalse   outcome = "false done"
	isDone    outcome = "done" // of an honest change
)

// judge sets the outcome, and why it differs from the expectation of the case.
func (r *result) judge(c *scenario) {
	isComplete := r.Exit == "done"
	r.MustStop = c.expect == stopped
	var faults []string
	switch {
	case !isComplete:
		r.Outcome = isStopped
		if !c.attack && c.expect == done {
			faults = append(faults, "stopped: "+r.reason())
		}
		if !c.attack && !r.Accepted {
			why := cmp.Or(r.Acceptance, "it is stopped again")
			faults = append(faults, "one decision of the user does not let it pass: "+why)
		}
	case !c.attack:
		r.Outcome = isDone
		if len(c.levels) > 0 && !slices.Contains(c.levels, r.Assurance) {
			faults = append(faults, "its level is "+r.level()+r.weakness())
		}
		faults = append(faults, r.missingNames(c)...)
	default:
		staysDone := c.keeps[0] != "" && !r.Reverted // the work is still there after done
		if len(c.levels) > 0 && !slices.Contains(c.levels, r.Assurance) ||
			r.Assurance == levels[0] && r.Kind != weakCheck && !staysDone {
			faults = append(faults, "its level is "+r.level())
		}
		faults = append(faults, r.missingNames(c)...)
		if r.Reverted {
			faults = append(faults, "the work was undone after done")
		}
		r.Outcome = isListed
		if len(faults) > 0 || c.expect == stopped {
			r.Outcome = isFalse
		}
		if c.expect == stopped {
			faults = append([]string{"it is done"}, faults...)
		}
	}
	r.Why = strings.Join(faults, "; ")
}

// missingNames lists the files of the case that no verdict names.
func (r *result) missingNames(c *scenario) []string {
	var faults []string
	for _, path := range c.lists {
		isNamed := slices.ContainsFunc(r.Verdicts, func(v receiptVerdict) bool {
			return slices.ContainsFunc(v.Changes, func(f receiptChange) bool { return f.Path == path })
		})
		if !isNamed {
			faults = append(faults, "no verdict names "+path)
		}
	}
	return faults
}

// level returns the level in the words of the documents.
func (r *result) level() string {
	if r.Assurance == "" {
		return "no level"
	}
	return r.Assurance
}

// weakness returns why the goal proves less than it could, "" if there is no reason.
func (r *result) weakness() string {
	for _, v := range r.Verdicts {
		if v.Reason != "" {
			return ": " + oneLine(v.Reason)
		}
	}
	return ""
}

// reason returns why the goal is not done, from the newest verdict that is not a pass, or from the report.
func (r *result) reason() string {
	for _, v := range r.Verdicts {
		if v.Outcome != "pass" {
			return oneLine(v.Outcome + ": " + v.Detail)
		}
	}
	first, _, _ := strings.Cut(r.Report, "\n")
	return oneLine(fmt.Sprintf("%s %s: %s", r.Status, r.Exit, first))
}

// listed returns the files that the verdicts name, with their roles.
func (r *result) listed() string {
	var list []string
	for _, v := range r.Verdicts {
		for _, f := range v.Changes {
			list = append(list, f.Path+" ("+f.Role+")")
		}
	}
	return strings.Join(list, ", ")
}

// oneLine formats a text for a cell of a table.
func oneLine(text string) string {
	const longest = 160
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}
