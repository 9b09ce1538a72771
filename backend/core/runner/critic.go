package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// critic is a second model that reviews the agent's steps at intervals, in parallel with the agent's next turn. It
// belongs to the goroutine of the loop; the goroutine of a request only asks the model.
type critic struct {
	goal     *goal.Goal
	clock    Clock
	log      *slog.Logger
	journal  *journalWriter
	messages *messageLog
	pauser   *pauser
	budget   *budget
	plan     *plan
	recent   *recentSteps
	history  History

	model  Model  // nil if the goal has none
	name   string // of the model, as its provider calls it
	window int    // of the model, in tokens; 0 if unknown
	every  int    // turns; 0 turns the critic off

	turns    int  // with actions of the agent since the last request
	acted    bool // the agent acted in this turn
	unparsed int  // in a row
	offTrack int  // in a row

	looked  int    // the newest step that it has seen
	comment string // its last one
	cost    criticCost
	request *criticRequest // nil if none is in progress
}

// attach sets the model of the critic. Without a model, the critic is off.
func (c *critic) attach(m Models) {
	c.model, c.name, c.window = m.Critic, m.CriticModel, m.CriticWindow
	c.every = c.goal.Options.CriticEvery
	if c.model == nil {
		c.every = 0
	}
}

// restore counts what the critic said since the user last saw the goal, and the turns since the last request.
func (c *critic) restore(past goal.RunHistory, messages []goal.Message) {
	for _, word := range past.Critic {
		c.record(event.CriticVerdict(word))
	}
	if c.unparsed >= maxUnparsed {
		c.every = 0
	}
	c.cost.tokens, c.looked = past.CriticTokens, past.Looked
	newSteps := map[int]bool{}
	for _, s := range past.Steps {
		newSteps[s.N] = s.N > past.Looked
	}
	counted := true // results before the first turn belong to no turn
	for _, m := range messages {
		switch {
		case m.Role == goal.Assistant:
			counted = false
		case m.Role == goal.ToolRole && newSteps[m.Step] && !counted:
			counted = true
			c.turns++
		}
	}
}

func (c *critic) record(v event.CriticVerdict) {
	c.unparsed = countInARow(c.unparsed, v == event.CriticUnparsed)
	c.offTrack = countInARow(c.offTrack, v == event.CriticOffTrack)
}

// maxUnparsed is the number of unreadable replies in a row that turn the critic off.
const maxUnparsed = 3

// maxCriticReplyTokens limits the critic's reply: a word and its reason.
const maxCriticReplyTokens = 1000

// criticGrace is how long the run waits, once, for a critic that has not replied by the end of the turn in which it
// was asked.
const criticGrace = 5 * time.Second

// criticRequest is a request to the critic that is in progress.
type criticRequest struct {
	cancel  context.CancelFunc
	step    int // the newest step in it
	awaited bool

	done  chan struct{} // closed after the fields below are set
	sent  string
	reply goal.Reply
	err   error
}

// finishTurn acts on the critic's reply, counts the turn, and asks the critic if it is due.
func (c *critic) finishTurn(ctx context.Context) *Stop {
	if c.acted {
		c.turns++
		c.acted = false
	}
	if stop := c.takeReply(ctx); stop != nil {
		return stop
	}
	if c.every > 0 && c.turns >= c.every && c.request == nil && c.budget.exhaustedLimit() == "" {
		if stop := c.ask(ctx); stop != nil {
			return stop
		}
	}
	return stopCause(ctx)
}

// ask sends the steps to the critic in parallel with the next turn, if the critic's share of the goal's tokens
// allows it. If not, the request stays due.
func (c *critic) ask(ctx context.Context) *Stop {
	bytes := min(conversation.ShrinkableHalf(conversation.BytesForTokens(c.window)), maxCriticBytes,
		c.cost.bytesLeft(c.goal.Spent)-len(criticSystemPrompt))
	if bytes < minCriticBytes {
		return nil
	}
	background, err := c.history.Background(ctx, c.goal.ID)
	if err != nil {
		return c.pauser.stopForError(ctx, "reading what the critic sees", err)
	}
	view := criticView{
		objective: c.goal.Objective, criterion: c.goal.Criterion.Describe(), background: background,
		steps: slices.Clone(c.recent.steps), said: c.messages.wordsBySteps(), looked: c.looked, comment: c.comment,
	}
	c.turns = 0
	ctx, cancel := context.WithCancel(ctx)
	r := &criticRequest{cancel: cancel, step: c.recent.newest(), done: make(chan struct{})}
	c.request = r
	go func() {
		defer close(r.done)
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("asking the critic panicked: %v", p)
				c.log.Error("panic in critic", "goal", c.goal.ID, "panic", p)
			}
		}()
		for range 3 { // the window may be smaller than configured
			r.sent = view.format(bytes)
			r.reply, r.err = c.pauser.askModel(ctx, c.model, goal.Turn{
				Model:       c.name,
				System:      criticSystemPrompt,
				Messages:    []goal.Message{{Role: goal.User, Text: r.sent}},
				ReplyTokens: maxCriticReplyTokens,
			}, func(string) {})
			if !errors.Is(r.err, goal.ErrContextTooLong) {
				return
			}
			bytes = len(r.sent) / 2
		}
	}()
	return nil
}

// takeReply journals a reply that has arrived, and acts on it.
func (c *critic) takeReply(ctx context.Context) *Stop {
	r := c.request
	if r == nil {
		return nil
	}
	if !r.wait(ctx, c.clock) {
		return stopCause(ctx)
	}
	c.request = nil
	if r.err != nil {
		if stop := stopCause(ctx); stop != nil {
			return stop
		}
		if errors.Is(r.err, goal.ErrPaused) {
			return c.pauser.stop()
		}
		r.reply = goal.Reply{Text: "the critic could not be asked: " + r.err.Error()}
	} else {
		if r.reply.IsCutOff {
			r.reply.Text = "the critic's reply was cut off at its output limit: " + r.reply.Text
		}
		c.cost.add(r.reply.Usage, len(criticSystemPrompt)+len(r.sent))
	}
	verdict, reason := parseCriticReply(r.reply.Text)
	c.looked, c.comment = r.step, fmt.Sprintf("%s, %s", verdict, text.SanitizeLine(reason, maxCriticLine))
	body := &event.Critic{Verdict: verdict, Reason: reason, Reply: r.reply.Text, Step: r.step}
	if stop := c.journal.append(ctx, body); stop != nil {
		return stop
	}
	if stop := c.budget.recordUsage(ctx, r.reply.Usage, "critic"); stop != nil {
		return stop
	}
	return c.applyCriticVerdict(ctx, verdict, reason, r.step)
}

// wait reports whether the reply has arrived. The first call waits for it, up to criticGrace.
func (c *criticRequest) wait(ctx context.Context, clock Clock) bool {
	if !c.awaited {
		c.awaited = true
		select {
		case <-c.done:
		case <-ctx.Done():
		case <-clock.After(criticGrace):
		}
	}
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close cancels a request that is in progress when the run ends. If the critic has already replied, only the cost
// is recorded.
func (c *critic) close(ctx context.Context) {
	r := c.request
	if r == nil {
		return
	}
	c.request = nil
	r.cancel()
	<-r.done
	if r.err != nil {
		return
	}
	if stop := c.budget.recordUsage(ctx, r.reply.Usage, "critic"); stop != nil {
		c.log.Warn("record the critic's cost", "goal", c.goal.ID, "error", stop.Reason)
	}
}

// applyCriticVerdict warns, stops or continues the run according to the critic's verdict.
func (c *critic) applyCriticVerdict(ctx context.Context, verdict event.CriticVerdict, reason string, step int) *Stop {
	c.record(verdict)
	heading := fmt.Sprintf("A critic looked at your work up to step %d and says that ", step)
	switch verdict {
	case event.Progressing:
		return nil
	case event.CriticStuck:
		text := heading + "you are stuck: " + reason +
			"\nTry a different approach, or call abort_with_report if it cannot be done."
		if len(c.plan.todos) > 0 {
			text += newPlanRequest
		}
		return c.messages.addUserMessage(ctx, text)
	case event.CriticOffTrack:
		if c.offTrack > 1 {
			return &Stop{
				Exit:   goal.NeedsUser,
				Reason: "the critic said twice in a row that the agent works on something other than the goal: " + reason,
			}
		}
		return c.messages.addUserMessage(ctx, heading+"you have left the goal: "+reason+
			"\nThis is the goal: "+c.goal.Objective)
	case event.Achieved:
		return c.messages.addUserMessage(ctx, heading+"the goal is achieved: "+reason+
			"\nIf you agree, call claim_complete now, with the result if the user asked for an answer. "+
			"If not, say what is missing and do it.")
	case event.CriticUnparsed:
		if c.unparsed >= maxUnparsed {
			c.every = 0
			return c.journal.append(ctx, &event.Warning{
				What: "critic",
				Text: fmt.Sprintf("the critic gave %d unreadable replies in a row and is turned off", maxUnparsed),
			})
		}
	}
	return nil
}

func countInARow(n int, isRepeat bool) int {
	if isRepeat {
		return n + 1
	}
	return 0
}
