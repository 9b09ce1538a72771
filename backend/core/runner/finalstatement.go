package runner

import (
	"context"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

const (
	finalStatementTimeout = 60 * time.Second
	finalStatementPrompt  = "The run ends here: %. In at most 120 words and without calling a tool: what have you " +
		"done, what is open, what would you try next? " +
		"The host writes the report; this stands under it."
	// reasonPrompt asks for the reason of a change that only the user can allow.
	reasonPrompt = "The run ends here: %\nIn at most 60 words and without calling a tool: why was this changed? If you " +
		"did not change it, say so. The user reads your answer beside the change and decides."
)

// statementPrompt returns what the agent is asked when its run stops, "" for nothing.
func statementPrompt(stop *Stop) string {
	switch {
	case stop.Exit == goal.Stuck, stop.Exit == goal.LimitReached:
		return finalStatementPrompt
	case len(stop.Changed) > 0:
		return reasonPrompt
	}
	return ""
}

// askFinalStatement asks the agent for its words, without tools, if the limits allow one more turn.
func (r *Run) askFinalStatement(ctx context.Context, stop *Stop) *Stop {
	prompt := statementPrompt(stop)
	if prompt == "" || ctx.Err() != nil || !r.budget.hasLastTurn() {
		return stop
	}
	timed, cancel := context.WithTimeout(ctx, finalStatementTimeout)
	defer cancel()
	ask := goal.Message{Role: goal.User, Text: strings.Replace(prompt, "%", stop.Reason, 1)}
	messages := append(append([]goal.Message{}, r.messages.Messages()...), ask)
	reply, err := r.pauser.askModel(timed, r.session.Models().Agent, goal.Turn{
		Model:    r.goal.Model,
		System:   r.systemPrompt(),
		Messages: messages,
	}, r.delta)
	if abort := stopCause(ctx); abort != nil {
		return abort
	}
	if err != nil {
		r.cfg.Log.Info("final statement", "goal", r.goal.ID, "error", err)
		return stop
	}
	r.ended.finalStatement = text.Truncate(strings.TrimSpace(reply.Text), 2000)
	if reply.IsCutOff {
		r.ended.finalStatement += "\n(The summary was cut off at the model's output limit.)"
	}
	return firstStop(r.budget.recordUsage(ctx, reply.Usage, "account"), stop)
}
