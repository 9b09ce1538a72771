package engine

import (
	"crypto/rand"
	"slices"
	"strings"

	"goalpost/backend/engine/acp"
	"goalpost/backend/goal"
)

// inbox holds what the agent has sent and the loop has not decided. The caller holds Session.mu.
type inbox struct {
	piece    string // of the answer, not yet reported
	thought  string // not yet reported; it is shown and not stored
	text     strings.Builder
	requests []*request          // oldest first: waiting for the loop, or given to it
	final    []goal.Call         // that end the agent's turn; they outlive a turn that is cancelled
	notes    []string            // for the agent, with the next prompt
	running  map[string]string   // titles of the agent's tools that have begun, by the id of the call
	asked    map[string]*request // permission requests of this turn
	observed map[string]bool     // calls of this turn that were reported as observed
	arrived  map[string]int      // calls of our tools in this turn that reached the host and did not yet end in the agent
}

// request is a call that waits for the loop: of one of our tools, of a permission, or observed.
type request struct {
	call  goal.Call
	given bool // to the loop

	result chan string // of our tools; has one slot
	late   bool        // the agent no longer waits for the result

	seen    acp.ToolCall        // of the agent's own tools
	answer  chan acp.Permission // of a permission; has one slot
	started bool                // it was allowed
	left    bool                // the loop did not wait for its end
	over    chan struct{}       // closed when the call has ended; nil if it had when it was reported
	isOver  bool
}

// maxOpen is how many requests may wait. An agent that makes more is answered "cancelled".
const maxOpen = 64

// maxObserved limits the steps of one turn that the agent made without asking.
const maxObserved = 2000

// reset forgets everything but the notes and the calls that end a turn.
func (b *inbox) reset() {
	b.withdrawAll()
	*b = inbox{
		running: map[string]string{}, asked: map[string]*request{}, observed: map[string]bool{},
		arrived: map[string]int{}, notes: b.notes, final: b.final,
	}
}

func (b *inbox) add(r *request) *request {
	if len(b.requests) >= maxOpen {
		r.refuse("too many calls wait")
		return r
	}
	b.requests = append(b.requests, r)
	return r
}

// addFinal replaces an earlier call of the same tool in this turn.
func (b *inbox) addFinal(c goal.Call) {
	b.final = slices.DeleteFunc(b.final, func(o goal.Call) bool { return o.Tool == c.Tool })
	b.final = append(b.final, c)
}

func (b *inbox) takeFinal() []goal.Call {
	list := b.final
	b.final = nil
	return list
}

func (b *inbox) addText(piece string) {
	if b.text.Len() < maxText {
		b.text.WriteString(piece)
		b.piece += piece
	}
}

func (b *inbox) addThought(piece string) {
	if len(b.thought) < maxText {
		b.thought += piece
	}
}

func (b *inbox) takePieces() (text, thought string) {
	text, thought = b.piece, b.thought
	b.piece, b.thought = "", ""
	return text, thought
}

func (b *inbox) takeText() string {
	t := strings.TrimSpace(b.text.String())
	b.text.Reset()
	return t
}

func (b *inbox) note(texts ...string) {
	for _, text := range texts {
		if len(b.notes) < maxOpen {
			b.notes = append(b.notes, text)
		}
	}
}

func (b *inbox) takeNotes() []string {
	n := b.notes
	b.notes = nil
	return n
}

// open returns the oldest call that the loop has not got yet. The loop gets one at a time: it skips the rest of a reply
// after a failed call, and each of these stands for itself.
func (b *inbox) open() []goal.Call {
	for _, r := range b.requests {
		if !r.given {
			r.given = true
			return []goal.Call{r.call}
		}
	}
	return nil
}

// settle gives the agent the results of the calls that the loop had. denied are the results by call.
func (b *inbox) settle(results map[string]string) {
	for _, r := range b.requests {
		if !r.given {
			continue
		}
		text := goal.UnwrapEnvelope(results[r.call.ID])
		switch {
		case r.result != nil && r.late:
			b.note("The result of " + r.call.Tool + ": " + text)
		case r.result != nil:
			r.result <- results[r.call.ID]
		case r.answer != nil && !r.started:
			r.answer <- acp.Denied
			b.note("The host refused a call of yours. " + text)
		}
	}
	b.requests = slices.DeleteFunc(b.requests, func(r *request) bool { return r.given })
}

// refuse answers a request that the loop will not decide.
func (r *request) refuse(why string) {
	switch {
	case r.result != nil && !r.late:
		select {
		case r.result <- "not executed: " + why:
		default:
		}
	case r.answer != nil && !r.started:
		select {
		case r.answer <- acp.Withdrawn:
		default:
		}
	}
}

func (b *inbox) refuseAll(why string) {
	for _, r := range b.requests {
		r.refuse(why)
	}
	b.requests = nil
}

// withdrawAll answers what waits, because the turn is over or is being cancelled.
func (b *inbox) withdrawAll() {
	b.refuseAll("the turn was cancelled")
	b.endTurn()
}

// endTurn closes what waits for a tool of the agent: with the turn, all of its tools have ended.
func (b *inbox) endTurn() {
	for _, r := range b.asked {
		r.finish()
	}
	b.running, b.asked, b.observed = map[string]string{}, map[string]*request{}, map[string]bool{}
	b.arrived = map[string]int{}
}

func (r *request) finish() {
	if !r.isOver {
		r.isOver = true
		close(r.over)
	}
}

// undecided reports whether the agent waits for something besides r, or has begun something after an observed r.
func (b *inbox) undecided(r *request) bool {
	return slices.ContainsFunc(b.requests, func(o *request) bool {
		return o != r && (o.answer != nil && !o.started || r.answer == nil && !o.given)
	})
}

func newCallID() string { return "engine_" + rand.Text() }
