package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/core/runner/prompt"
	"goalpost/backend/core/runner/startfacts"
	"goalpost/backend/core/runner/toolbox"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// askModelOnce asks the model once. A nil reply without a stop means that an order cancelled the turn, which must
// be repeated after it.
func (r *Run) askModelOnce(ctx context.Context) (*goal.Reply, *Stop) {
	contract := r.systemPrompt()
	besides := r.bytesBesides(contract)
	window := r.session.Models().Window
	if r.messages.IsFull(window, besides) {
		asked := r.turn(contract)
		if stop := r.compactor.compact(ctx, r.messages.CompactSize(window, besides), &asked); stop != nil {
			return nil, r.uncountIteration(r.exceptPause(stop))
		}
	}
	reply, stop, err := r.askWithinWindow(ctx, contract, window, besides)
	if stop != nil {
		return nil, r.uncountIteration(stop)
	}
	var mistake *goal.ModelMistake
	switch {
	case err == nil && reply.IsCutOff && len(reply.Calls) == 0:
		r.turns.mistake = "the reply was cut off at the model's output limit, before it called a tool"
	case err == nil && len(reply.Calls) == 0 && hasPrintedCall(reply.Text, r.dispatcher.offer.HasTool):
		r.turns.mistake = printedCall
	case err == nil:
		r.turns.mistake = ""
	case stopCause(ctx) == nil && errors.As(err, &mistake):
		r.turns.mistake = describeMistake(mistake)
		r.budget.addUsage(mistake.Usage)
		r.journal.queue(&event.Usage{Usage: mistake.Usage, Window: window})
		return &goal.Reply{Usage: mistake.Usage}, nil
	case stopCause(ctx) != nil:
		return nil, r.uncountIteration(stopCause(ctx))
	case errors.Is(err, goal.ErrPaused):
		return nil, r.uncountIteration(nil)
	default:
		return nil, r.uncountIteration(modelStop(err))
	}
	r.messages.uniqueCallIDs(reply.Calls, r.goal.Spent.Iterations)
	r.dispatcher.offer.NameCalls(reply.Calls)
	m := goal.Message{
		Role:      goal.Assistant,
		Text:      reply.Text,
		Calls:     reply.Calls,
		Reasoning: reply.Reasoning,
	}
	r.messages.Add(m)
	r.messages.Calibrate(reply.Usage.TokensIn, besides)
	r.dispatcher.offer.NoteCalls(reply.Calls)
	r.budget.addUsage(reply.Usage)
	// with the first call's intent
	r.journal.queue(&event.Message{Message: m}, &event.Usage{Usage: reply.Usage, Window: window})
	return &reply, nil
}

// bytesBesides returns the bytes of a request beside the conversation: the system prompt and the tools.
func (r *Run) bytesBesides(contract string) int {
	return len(contract) + toolbox.SpecBytes(r.dispatcher.offer.Offered())
}

// askWithinWindow asks the model, and compacts the conversation if the window is smaller than configured. A model that
// refuses pictures is asked without them.
func (r *Run) askWithinWindow(ctx context.Context, contract string, window, besides int) (goal.Reply, *Stop, error) {
	reply, err := r.askModel(ctx, contract)
	for before := math.MaxInt; errors.Is(err, goal.ErrContextTooLong) && r.messages.Bytes() < before; {
		before = r.messages.Bytes()
		if stop := r.compactor.compact(ctx, before/2, nil); stop != nil {
			return reply, stop, err
		}
		reply, err = r.askModel(ctx, contract)
	}
	if errors.Is(err, goal.ErrNoVision) && r.messages.RemoveImages() {
		r.dispatcher.blind = true
		r.journal.queue(&event.Warning{What: "pictures", Text: "the model does not accept pictures, so the goal goes on " +
			"without them"})
		reply, err = r.askModel(ctx, contract)
	}
	if errors.Is(err, goal.ErrRequestRefused) && r.messages.FillsWindow(window, besides, suspectAbove) {
		// Providers word this error in many ways, so a refused request may mean that the conversation is too long.
		if stop := r.compactor.compact(ctx, r.messages.Bytes()/2, nil); stop != nil {
			return reply, stop, err
		}
		reply, err = r.askModel(ctx, contract)
	}
	return reply, nil, err
}

// suspectAbove is the share of the window, in percent, above which a refused request may be too long.
const suspectAbove = 60

// describeMistake describes what was wrong with a reply, for the model and for the reason of a stop.
func describeMistake(m *goal.ModelMistake) string {
	if m.Attempt == "" {
		return m.What
	}
	return m.What + "\nYou wrote: " + m.Attempt
}

// firstMessage returns the first message of the user, with what the host adds for the model.
func (r *Run) firstMessage(ctx context.Context) goal.Message {
	m := goal.Message{Role: goal.User, Text: prompt.FirstMessage(r.goal)}
	reader, ok := r.session.(StartReader)
	if ok && r.goal.Options.Engine == "" { // an external agent reads its folder itself
		m.Facts = r.secrets.redact(prompt.AtStart(r.goal, reader.ReadStart(ctx), r.maxInstructions()))
	}
	return m
}

// maxInstructions limits the project's instructions to an eighth of the model's window, in bytes.
func (r *Run) maxInstructions() int {
	window := r.session.Models().Window
	if window == 0 {
		return startfacts.MaxInstructions
	}
	return min(startfacts.MaxInstructions, conversation.BytesForTokens(window/8))
}

func (r *Run) systemPrompt() string {
	if r.rules != "" {
		return r.rules
	}
	var e prompt.Environment
	if describer, ok := r.session.(EnvironmentDescriber); ok {
		e = describer.Environment()
	}
	e.Tools = r.dispatcher.more
	if r.goal.Options.Engine != "" {
		return prompt.Engine(r.goal, e)
	}
	return prompt.System(r.goal, e)
}

// exceptPause returns nil for the user's pause, which the next pass of the loop handles together with earlier notes.
func (r *Run) exceptPause(stop *Stop) *Stop {
	if stop == r.pauser.stop() {
		return nil
	}
	return stop
}

// uncountIteration takes back the count of a turn that is repeated after a pause.
func (r *Run) uncountIteration(stop *Stop) *Stop {
	if stop == nil || goal.StatusForExit(stop.Exit) == goal.Paused {
		r.goal.Spent.Iterations--
		r.turns.uncounted = true
	}
	return stop
}

// withFacts returns the messages with the facts that the host added, as the model reads them.
func withFacts(messages []goal.Message) []goal.Message {
	messages = slices.Clone(messages)
	for i, m := range messages {
		messages[i].Text, messages[i].Facts = m.Text+m.Facts, ""
	}
	return messages
}

// turn returns the next request to the model.
func (r *Run) turn(contract string) goal.Turn {
	return goal.Turn{
		Model:    r.goal.Model,
		System:   contract,
		Messages: withFacts(r.messages.Messages()),
		Tools:    r.dispatcher.offer.Offered(),

		OnReasoning: func(text string) { r.publishDelta(event.Delta{Reasoning: text}) },
	}
}

func (r *Run) askModel(ctx context.Context, contract string) (goal.Reply, error) {
	asked := r.cfg.Clock.Now()
	reply, err := r.pauser.askModel(ctx, r.session.Models().Agent, r.turn(contract), r.delta)
	var later *goal.Unavailable
	if errors.As(err, &later) { // waiting for a model is not working
		r.budget.idle.add(r.cfg.Clock.Now().Sub(asked))
	}
	if err != nil {
		return reply, fmt.Errorf(goal.ModelPrefix+"%w", err)
	}
	return reply, nil
}

// modelStop parks a goal whose model will answer again. Any other failure is the user's to end: a key, an address, a
// quota.
func modelStop(err error) *Stop {
	var later *goal.Unavailable
	if errors.As(err, &later) {
		return parkedStop(later, err.Error())
	}
	return &Stop{Exit: goal.NeedsUser, Reason: err.Error()}
}

// parkedStop parks a goal. The reason of a daily limit is the same wherever it was noticed.
func parkedStop(later *goal.Unavailable, reason string) *Stop {
	if later.DailyLimit {
		reason = later.Error()
	}
	return &Stop{Exit: later.Exit(), Reason: reason, Until: later.Until}
}

// MinContextWindow estimates how many tokens a context window must have for a goal with these tools. The system
// prompt, the first tools and the objective are sent with every turn; the largest group of tools may join; and the
// conversation must fit, too.
func MinContextWindow(g goal.Goal, specs []goal.ToolSpec) int {
	tools := toolbox.New(specs, g)
	return conversation.MinWindow(len(prompt.System(g, prompt.Environment{})) + toolbox.SpecBytes(tools.Offered()) +
		tools.LargestWaiting() + len(g.Objective))
}

func (r *Run) delta(text string) { r.publishDelta(event.Delta{Text: text}) }

func (r *Run) publishDelta(d event.Delta) {
	r.cfg.Publish(event.Event{GoalID: r.id.Goal, RunID: r.id.ID, At: r.cfg.Clock.Now(), Body: &d})
}
