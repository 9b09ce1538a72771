package engine

import (
	"crypto/rand"
	"slices"
	"strings"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
)

// inbox holds the agent's messages that the loop has not handled yet. The caller holds Session.mu.
type inbox struct {
	piece       string // text of the answer, not yet reported
	thought     string // not yet reported; shown but not stored
	text        strings.Builder
	requests    []*request          // oldest first: waiting for the loop, or given to it
	final       []goal.Call         // calls that end the agent's turn; they remain if the turn is cancelled
	notes       []string            // for the agent, with the next prompt
	running     map[string]string   // titles of the agent's running tools, by the id of the call
	permissions map[string]*request // permission requests of this turn
	observed    map[string]bool     // calls of this turn that were reported as observed
	arrived     map[string]int      // calls of our tools that reached the host and have not ended for the agent
}

// request is a call that waits for the loop: a call of our tools, a permission request, or an observed call.
type request struct {
	call    goal.Call
	isGiven bool // to the loop

	result      chan string // for a call of our tools; has one slot
	isAbandoned bool        // the agent no longer waits for the result

	toolCall    acp.ToolCall        // of the agent's own tools
	answer      chan acp.Permission // for a permission request; has one slot
	started     bool                // it was allowed
	isUnawaited bool                // the loop no longer waits for its end
	ended       chan struct{}       // closed when the call has ended; nil if it had already ended when it was reported
	isOver      bool
}

// maxOpen limits the requests that wait. Further ones are answered with "cancelled".
const maxOpen = 64

// maxObserved limits the observed calls of one turn.
const maxObserved = 2000

// reset removes everything but the notes and the calls that end a turn.
func (i *inbox) reset() {
	i.withdrawAll()
	*i = inbox{
		running:     map[string]string{},
		permissions: map[string]*request{},
		observed:    map[string]bool{},
		arrived:     map[string]int{},
		notes:       i.notes,
		final:       i.final,
	}
}

func (i *inbox) add(r *request) *request {
	if len(i.requests) >= maxOpen {
		r.refuse("too many calls are waiting")
		return r
	}
	i.requests = append(i.requests, r)
	return r
}

// addFinal replaces an earlier call of the same tool in this turn.
func (i *inbox) addFinal(c goal.Call) {
	i.final = slices.DeleteFunc(i.final, func(o goal.Call) bool { return o.Tool == c.Tool })
	i.final = append(i.final, c)
}

func (i *inbox) takeFinal() []goal.Call {
	list := i.final
	i.final = nil
	return list
}

// addText adds a piece of text. Before one that begins a message there is an empty line.
func (i *inbox) addText(piece string, begins bool) {
	if begins && i.text.Len() > 0 {
		piece = "\n\n" + piece
	}
	if i.text.Len() < maxText {
		i.text.WriteString(piece)
		i.piece += piece
	}
}

func (i *inbox) addThought(piece string) {
	if len(i.thought) < maxText {
		i.thought += piece
	}
}

func (i *inbox) takePieces() (text, thought string) {
	text, thought = i.piece, i.thought
	i.piece, i.thought = "", ""
	return text, thought
}

func (i *inbox) takeText() string {
	t := strings.TrimSpace(i.text.String())
	i.text.Reset()
	return t
}

func (i *inbox) addNotes(texts ...string) {
	for _, text := range texts {
		if len(i.notes) < maxOpen {
			i.notes = append(i.notes, text)
		}
	}
}

func (i *inbox) takeNotes() []string {
	n := i.notes
	i.notes = nil
	return n
}

// takeNext returns the oldest call that the loop does not have yet. The loop gets one call at a time, because it skips
// the rest of a reply after a failed call, and these calls are independent.
func (i *inbox) takeNext() []goal.Call {
	for _, r := range i.requests {
		if !r.isGiven {
			r.isGiven = true
			return []goal.Call{r.call}
		}
	}
	return nil
}

// deliver gives the agent the results of the calls that the loop has handled, by the id of the call.
func (i *inbox) deliver(results map[string]string) {
	for _, r := range i.requests {
		if !r.isGiven {
			continue
		}
		text := goal.UnwrapEnvelope(results[r.call.ID])
		switch {
		case r.result != nil && r.isAbandoned:
			i.addNotes("The result of " + r.call.Tool + ": " + text)
		case r.result != nil:
			r.result <- results[r.call.ID]
		case r.answer != nil && !r.started:
			r.answer <- acp.Denied
			i.addNotes("The host refused a call of yours. " + text)
		}
	}
	i.requests = slices.DeleteFunc(i.requests, func(r *request) bool { return r.isGiven })
}

// refuse answers a request that the loop will not handle.
func (r *request) refuse(why string) {
	switch {
	case r.result != nil && !r.isAbandoned:
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

func (i *inbox) refuseAll(why string) {
	for _, r := range i.requests {
		r.refuse(why)
	}
	i.requests = nil
}

// withdrawAll answers all waiting requests, because the turn has ended or is being cancelled.
func (i *inbox) withdrawAll() {
	i.refuseAll("the turn was cancelled")
	i.endTurn()
}

// endTurn marks all tools of the agent as ended, because they end with the turn.
func (i *inbox) endTurn() {
	for _, r := range i.permissions {
		r.finish()
	}
	i.running, i.permissions, i.observed = map[string]string{}, map[string]*request{}, map[string]bool{}
	i.arrived = map[string]int{}
}

func (r *request) finish() {
	if !r.isOver {
		r.isOver = true
		close(r.ended)
	}
}

// hasOthers reports whether the agent waits for another request than r, or has begun another call after an observed r.
func (i *inbox) hasOthers(r *request) bool {
	return slices.ContainsFunc(i.requests, func(o *request) bool {
		return o != r && (o.answer != nil && !o.started || r.answer == nil && !o.isGiven)
	})
}

func newCallID() string { return "engine_" + rand.Text() }
