// Package loopguard detects tool calls of a run that repeat without effect.
package loopguard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Limits of the loop guard, in calls.
const (
	warnAfter          = 3  // identical calls with the same result before a warning
	refuseAfter        = 5  // … before they are refused
	stuckAfterRefusals = 5  // refusals in a run before it is stuck
	warnAfterFailures  = 3  // failures of one tool in a row before a warning
	warnAfterReads     = 20 // calls in a row that only read before a warning
	cycleRounds        = 3  // rounds of a cycle before a warning
)

// Guard detects repeated calls. It warns the agent once for each loop and says how to leave it, and it refuses
// calls that are still repeated. It is for one goroutine.
type Guard struct {
	last     map[string]repeatEntry // by hash of the call
	history  []string               // call and result, newest last
	failures map[string]int         // in a row, by tool
	reading  int                    // in a row
	refusals int
	warned   map[string]bool
}

// DeclareStepTool is the tool that opens a step of the protocol.
const DeclareStepTool = "declare_step"

type repeatEntry struct {
	result    string // its hash
	times     int
	isOngoing bool // what it observes is still running
}

// Call identifies a call: equal calls have the same Hash.
type Call struct{ Tool, Hash string }

// NewCall returns the Call of a tool. key is the digest.CallKey of the call.
func NewCall(tool, key string) Call { return Call{Tool: tool, Hash: digest.HashText(key)} }

// New returns a Guard without any calls.
func New() *Guard {
	return &Guard{last: map[string]repeatEntry{}, failures: map[string]int{}, warned: map[string]bool{}}
}

// Check refuses a call that has been made four times with the same result. It returns the reason for the agent, ""
// if the call may be made.
func (g *Guard) Check(c Call, e policy.Effect) (refusal string) {
	if last := g.last[c.Hash]; e.Control || last.isOngoing || last.times < refuseAfter-1 {
		return ""
	}
	g.refusals++
	warning := ""
	if g.refusals == stuckAfterRefusals-1 {
		warning = " With one more such call the host stops this goal as stuck."
	}
	return fmt.Sprintf("refused: you made this same call %d times and the result was the same each time. "+
		"Do something else: change what it depends on, look from another side, or call abort_with_report.%s",
		refuseAfter-1, warning)
}

// StuckReason returns why the run must stop, "" unless too many calls were refused.
func (g *Guard) StuckReason() string {
	if g.refusals < stuckAfterRefusals {
		return ""
	}
	return fmt.Sprintf("the agent kept repeating calls with the same result; %d were refused", g.refusals)
}

// Record records how a call ended. It returns a note for the agent, "" if there is none.
func (g *Guard) Record(c Call, e policy.Effect, o event.Outcome, result goal.Result) string {
	if e.Control {
		if c.Tool == DeclareStepTool && o == event.OK {
			g.resetOthers(c) // calls may have been denied for the lack of a step
		}
		return ""
	}
	if o == event.OK && e.Risk != policy.ReadOnly {
		g.resetOthers(c)
	}
	notes := []string{g.recordRepeat(c, result), g.findCycle(c, result.Text), g.countFailures(c, o), g.countReads(e, o)}
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), " ")
}

// resetOthers allows every other call again, because this one may have changed what they depend on. The cycle
// detection and the progress detector handle two calls that undo each other in turn.
func (g *Guard) resetOthers(by Call) {
	hash := by.Hash
	maps.DeleteFunc(g.last, func(key string, _ repeatEntry) bool { return key != hash })
}

func (g *Guard) recordRepeat(c Call, result goal.Result) string {
	key, sum := c.Hash, digest.HashText(result.Text)
	r := g.last[key]
	if r.result != sum {
		r = repeatEntry{result: sum}
	}
	r.times++
	r.isOngoing = result.IsOngoing
	g.last[key] = r
	if r.times != warnAfter {
		return ""
	}
	if r.isOngoing {
		return fmt.Sprintf(
			"You looked %d times and it was the same each time. It continues; one long wait is better than many short ones.",
			r.times)
	}
	return fmt.Sprintf(
		"You made this same call %d times and the result was the same each time. Repeating it again will be refused soon: "+
			"change what it depends on, or try something else.", r.times)
}

// findCycle finds A B A B A B and A B C A B C A B C.
func (g *Guard) findCycle(c Call, result string) string {
	const maxPeriod = 3
	g.history = append(g.history, c.Hash+digest.HashText(result))
	if limit := maxPeriod * cycleRounds; len(g.history) > limit {
		g.history = g.history[len(g.history)-limit:]
	}
	for period := 2; period <= maxPeriod; period++ {
		if !g.isCycle(period) {
			continue
		}
		return g.warnOnce(fmt.Sprintf("cycle %d", period), fmt.Sprintf(
			"The last %d calls go round in a circle of %d with the same results. Step back: which assumption is wrong? Try "+
				"another way.", period*cycleRounds, period))
	}
	return ""
}

// isCycle reports whether the newest calls repeat with this period.
func (g *Guard) isCycle(period int) bool {
	n := period * cycleRounds
	if len(g.history) < n {
		return false
	}
	recent := g.history[len(g.history)-n:]
	differ := false
	for i := period; i < n; i++ {
		if recent[i] != recent[i-period] {
			return false
		}
		differ = differ || recent[i] != recent[i-1]
	}
	return differ
}

func (g *Guard) countFailures(c Call, o event.Outcome) string {
	if o == event.OK {
		delete(g.failures, c.Tool)
		return ""
	}
	g.failures[c.Tool]++
	if g.failures[c.Tool] != warnAfterFailures {
		return ""
	}
	return g.warnOnce("failing "+c.Tool,
		fmt.Sprintf("%s has failed %d times in a row. Read the errors again before the next try, or use another tool.",
			c.Tool, warnAfterFailures))
}

func (g *Guard) countReads(e policy.Effect, o event.Outcome) string {
	if o != event.OK {
		return ""
	}
	if e.Risk != policy.ReadOnly {
		g.reading = 0
		return ""
	}
	if g.reading++; g.reading != warnAfterReads {
		return ""
	}
	return g.warnOnce("reading",
		fmt.Sprintf("The last %d calls only read. If you know enough, act; if the goal is an answer, claim it.",
			warnAfterReads))
}

func (g *Guard) warnOnce(what, text string) string {
	if g.warned[what] {
		return ""
	}
	g.warned[what] = true
	return text
}
