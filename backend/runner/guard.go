package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// The loop guard's bounds, in calls.
const (
	guardTell     = 3  // the same call with the same result: told
	guardRefuse   = 5  // … refused
	guardRefusals = 5  // refusals in a run: stuck
	guardFailures = 3  // failures of one tool in a row: told
	guardReading  = 20 // calls in a row that only read: told
	guardRounds   = 3  // rounds of a cycle: told
)

// guard sees calls that go round in circles. It tells the agent with the way
// out, once for each circle, and refuses what is repeated all the same.
type guard struct {
	last     map[string]repeated // by callSum
	history  []string            // call and result, newest last
	failures map[string]int      // in a row, by tool
	reading  int                 // in a row
	refusals int
	told     map[string]bool
}

// opensStep is the tool that opens a step of the protocol.
const opensStep = "declare_step"

type repeated struct {
	result string // its sum
	times  int
	goesOn bool // what it looked at still works
}

func newGuard() *guard {
	return &guard{last: map[string]repeated{}, failures: map[string]int{}, told: map[string]bool{}}
}

// before refuses a call that has been made four times with the same result.
func (g *guard) before(c goal.Call, e policy.Effect) (refused, bool) {
	if last := g.last[callSum(c)]; e.Control || last.goesOn || last.times < guardRefuse-1 {
		return refused{}, false
	}
	g.refusals++
	return refuse(event.Denied, "refused: you made this same call %d times and the result was the same each time. "+
		"Do something else: change what it depends on, look from another side, or call abort_with_report.", guardRefuse-1), true
}

// stuck says whether too many calls were refused.
func (g *guard) stuck() *Stop {
	if g.refusals < guardRefusals {
		return nil
	}
	return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("the agent repeated calls without effect; %d were refused", g.refusals)}
}

// after learns how a call ended, and says what to tell the agent, "" if nothing.
func (g *guard) after(c goal.Call, e policy.Effect, o event.Outcome, result goal.Result) string {
	if e.Control {
		if c.Tool == opensStep && o == event.OK {
			g.forget(c) // a call may have been denied for want of it
		}
		return ""
	}
	if o == event.OK && changes(e) {
		g.forget(c)
	}
	notes := []string{g.same(c, result), g.cycle(c, result.Text), g.failing(c, o), g.onlyReading(e, o)}
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), " ")
}

// forget lets every other call be made again: what it depends on may have been
// changed by this one. What two calls do to each other in turn is left to the
// cycles and to the breaker, which look at what comes of it.
func (g *guard) forget(by goal.Call) {
	own := callSum(by)
	maps.DeleteFunc(g.last, func(key string, _ repeated) bool { return key != own })
}

func (g *guard) same(c goal.Call, result goal.Result) string {
	key, sum := callSum(c), sumOf(result.Text)
	r := g.last[key]
	if r.result != sum {
		r = repeated{result: sum}
	}
	r.times++
	r.goesOn = result.GoesOn
	g.last[key] = r
	if r.times != guardTell {
		return ""
	}
	if r.goesOn {
		return fmt.Sprintf("You looked %d times and it was the same each time. It goes on; one long wait is better than many short ones.", r.times)
	}
	return fmt.Sprintf("You made this same call %d times and the result was the same each time. Repeating it again will be refused soon: "+
		"change what it depends on, or try something else.", r.times)
}

// cycle finds A B A B A B and A B C A B C A B C.
func (g *guard) cycle(c goal.Call, result string) string {
	const longest = 3
	g.history = append(g.history, callSum(c)+sumOf(result))
	if most := longest * guardRounds; len(g.history) > most {
		g.history = g.history[len(g.history)-most:]
	}
	for period := 2; period <= longest; period++ {
		if !g.repeats(period) {
			continue
		}
		return g.once(fmt.Sprintf("cycle %d", period), fmt.Sprintf(
			"The last %d calls go round in a circle of %d with the same results. Step back: which assumption is wrong? Try another way.", period*guardRounds, period))
	}
	return ""
}

// repeats says whether the newest calls are rounds of a true cycle of this period.
func (g *guard) repeats(period int) bool {
	n := period * guardRounds
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

func (g *guard) failing(c goal.Call, o event.Outcome) string {
	if o == event.OK {
		delete(g.failures, c.Tool)
		return ""
	}
	g.failures[c.Tool]++
	if g.failures[c.Tool] != guardFailures {
		return ""
	}
	return g.once("failing "+c.Tool, fmt.Sprintf("%s has failed %d times in a row. Read the errors again before the next try, or use another tool.", c.Tool, guardFailures))
}

func (g *guard) onlyReading(e policy.Effect, o event.Outcome) string {
	if o != event.OK {
		return ""
	}
	if e.Risk != policy.ReadOnly {
		g.reading = 0
		return ""
	}
	if g.reading++; g.reading != guardReading {
		return ""
	}
	return g.once("reading", fmt.Sprintf("The last %d calls only read. If you know enough, act; if the goal is an answer, claim it.", guardReading))
}

func (g *guard) once(what, text string) string {
	if g.told[what] {
		return ""
	}
	g.told[what] = true
	return text
}

// callSum stands for a call, however long its arguments are.
func callSum(c goal.Call) string { return sumOf(callKey(c)) }

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// callKey is the same for calls that differ in white space and order of keys only.
func callKey(c goal.Call) string {
	var args any
	if err := json.Unmarshal([]byte(c.Arguments), &args); err == nil {
		if canonical, err := json.Marshal(args); err == nil {
			return c.Tool + string(canonical)
		}
	}
	return c.Tool + c.Arguments
}
