package calls

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/storage/store"
)

// TimeKind is what a goal's running time was spent on.
type TimeKind string

// The kinds. TimeHost is what is left: the start of the sandbox, states of the folder, comments of the critic.
const (
	TimeModel    TimeKind = "model"
	TimeCommands TimeKind = "commands"
	TimePages    TimeKind = "pages"
	TimeFiles    TimeKind = "files"
	TimeTools    TimeKind = "tools" // all others
	TimeChecks   TimeKind = "checks"
	TimeUser     TimeKind = "user" // waiting for an approval
	TimeHost     TimeKind = "host"
)

// KindTime is the running time that one kind took. Time of which several kinds are true, as a call within the call of
// a recipe, belongs to the one that began last.
type KindTime struct {
	Kind  TimeKind `json:"kind"`
	MS    int64    `json:"ms"`
	Times int      `json:"times"` // turns, calls, claims or requests; 0 for the host
}

// timedPart is a part of a goal's running time, in ms.
type timedPart struct {
	kind     TimeKind
	from, to int64
}

// buildTimes sums the running time by kind, the longest first. What is not over does not count yet.
func buildTimes(work []store.WorkTime, events []event.Event, clock runClock) []KindTime {
	parts := timedParts(work, events, clock)
	sums := map[TimeKind]*KindTime{}
	sumOf := func(kind TimeKind) *KindTime {
		if sums[kind] == nil {
			sums[kind] = &KindTime{Kind: kind}
		}
		return sums[kind]
	}
	end := clock.endedMS()
	for _, p := range parts {
		sumOf(p.kind).Times++
		end = max(end, p.to)
	}
	known := int64(0)
	for kind, ms := range ownTimes(parts) {
		sumOf(kind).MS = ms
		known += ms
	}
	if end > known {
		sumOf(TimeHost).MS = end - known
	}
	times := make([]KindTime, 0, len(sums))
	for _, sum := range sums {
		times = append(times, *sum)
	}
	slices.SortFunc(times, func(a, b KindTime) int { return cmp.Or(cmp.Compare(b.MS, a.MS), cmp.Compare(a.Kind, b.Kind)) })
	return times
}

// timedParts returns the parts in the order in which they begin; of two that begin together, the longer is first.
func timedParts(work []store.WorkTime, events []event.Event, clock runClock) []timedPart {
	kinds := map[store.WorkKind]TimeKind{store.WorkClaim: TimeChecks, store.WorkAsk: TimeUser}
	var parts []timedPart
	var begun []time.Time
	add := func(kind TimeKind, from, to time.Time) {
		parts = append(parts, timedPart{kind, clock.ms(from), max(clock.ms(from), clock.ms(to))})
	}
	for _, w := range work {
		switch w.Kind {
		case store.WorkTurn:
			begun = append(begun, w.From)
		case store.WorkCall:
			add(kindOfTool(w.Tool), w.From, w.To)
		case store.WorkClaim, store.WorkAsk:
			add(kinds[w.Kind], w.From, clock.clip(w.RunID, w.To))
		}
	}
	slices.SortFunc(begun, time.Time.Compare)
	next := 0
	for _, e := range events {
		if u, ok := e.Body.(*event.Usage); !ok || u.By != "" {
			continue
		}
		first := next
		for next < len(begun) && !begun[next].After(e.At) {
			next++
		}
		if next > first { // otherwise the clock was set back
			add(TimeModel, begun[next-1], e.At)
		}
	}
	slices.SortFunc(parts, func(a, b timedPart) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return parts
}

// ownTimes counts each moment once, for the part that began last and is not over.
func ownTimes(parts []timedPart) map[TimeKind]int64 {
	sums := map[TimeKind]int64{}
	var open []timedPart
	at := int64(0)
	countTo := func(until int64) {
		for len(open) > 0 {
			last := open[len(open)-1]
			if end := min(last.to, until); end > at {
				sums[last.kind] += end - at
				at = end
			}
			if last.to > until {
				return
			}
			open = open[:len(open)-1]
		}
	}
	for _, p := range parts {
		countTo(p.from)
		at = max(at, p.from)
		open = append(open, p)
	}
	if len(parts) > 0 {
		countTo(slices.MaxFunc(parts, func(a, b timedPart) int { return cmp.Compare(a.to, b.to) }).to)
	}
	return sums
}

// kindOfTool returns the kind of a tool's calls. The names are those of backend/agent/tools.
func kindOfTool(tool string) TimeKind {
	switch tool {
	case "run_command", "run_recipe", "wait":
		return TimeCommands
	case "fetch_url", "web_search":
		return TimePages
	case "read_file", "write_file", "edit_file", "list_files", "search_files":
		return TimeFiles
	case "verify_step":
		return TimeChecks
	case "ask_user":
		return TimeUser
	}
	switch {
	case strings.HasPrefix(tool, "terminal_"):
		return TimeCommands
	case strings.HasPrefix(tool, "browser_"):
		return TimePages
	}
	return TimeTools
}

// clip returns the time, or the end of the run if that was earlier.
func (r runClock) clip(run string, at time.Time) time.Time {
	for _, span := range r {
		if span.ID == run && !span.LastAlive.IsZero() && span.LastAlive.Before(at) {
			return span.LastAlive
		}
	}
	return at
}

// endedMS returns the running time of the runs that are over.
func (r runClock) endedMS() int64 {
	var sum time.Duration
	for _, run := range r {
		if !run.LastAlive.IsZero() {
			sum += max(0, run.LastAlive.Sub(run.Started))
		}
	}
	return sum.Milliseconds()
}
