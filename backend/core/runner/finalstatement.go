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
)

// askFinalStatement asks the agent for a summary, without tools, when it was stuck or reached a limit that allows one
// more turn.
func (r *Run) askFinalStatement(ctx context.Context, stop *Stop) *Stop {
	if stop.Exit != goal.Stuck && stop.Exit != goal.LimitReached || ctx.Err() != nil || !r.budget.hasLastTurn() {
		return stop
	}
	timed, cancel := context.WithTimeout(ctx, finalStatementTimeout)
	defer cancel()
	ask := goal.Message{Role: goal.User, Text: strings.Replace(finalStatementPrompt, "%", stop.Reason, 1)}
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
