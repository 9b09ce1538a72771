package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// compactor replaces the older part of a conversation by one message. The model writes what it knows, and the host adds
// what must not be lost in other words: what the user said, the plan, the notes, and why claims failed.
type compactor struct {
	goal     *goal.Goal
	log      *slog.Logger
	journal  *journalWriter
	messages *messageLog
	pauser   *pauser
	budget   *budget
	plan     *plan
	claims   *claimHistory
	history  History

	model Model // nil if no model can be asked for a summary
}

// attach sets the model. An external agent has its own conversation, and its answers are not only text.
func (c *compactor) attach(m Models) {
	if c.goal.Options.Engine == "" {
		c.model = cmp.Or(m.Summary, m.Agent)
	}
}

// Shares of a compacted conversation, as divisors, and the bytes of a summary and of excerpts.
const (
	recentShare   = 4 // for the newest turns, which stay as they are, together with the host's part
	excerptsShare = 2
	summaryShare  = 4

	maxSummary  = 16 << 10
	maxExcerpts = 64 << 10
	minSummary  = 200 // of a conversation of minAsked; a shorter one cannot contain what is known
	minAsked    = 8 << 10
)

// compact shortens the conversation to about the given bytes. With asked, the model writes the summary, in a request
// that begins like the one before, so that prompt caches hit.
func (c *compactor) compact(ctx context.Context, bytes int, asked *goal.Turn) *Stop {
	background, err := c.history.Background(ctx, c.goal.ID)
	if err != nil {
		return c.pauser.stopForError(ctx, "reading what the conversation must keep", err)
	}
	hostPart := c.formatHostPart(background, bytes)
	old := c.messages.Old(max(0, bytes/recentShare-len(hostPart)))
	var reply goal.Reply
	if asked != nil && c.model != nil {
		var stop *Stop
		if reply, stop = c.askSummary(ctx, *asked, old, min(maxSummary, bytes/summaryShare)); stop != nil {
			return stop
		}
	}
	summary, whose := reply.Text, ownSummary
	if summary == "" {
		summary, whose = conversation.Excerpts(old, min(maxExcerpts, bytes/excerptsShare)), excerpts
	}
	m := goal.Message{Role: goal.User, Text: compactionPrefix + hostPart + whose.format(summary)}
	begin := conversation.Size(c.messages.Messages()[:1])
	how := c.messages.Compaction(old, begin+len(m.Text), bytes)
	how.Summary = summary
	m.Compaction = &how
	c.messages.Add(m)
	bodies := []event.Body{&event.Message{Message: m}}
	if reply.Usage != (goal.Usage{}) {
		c.budget.addUsage(reply.Usage)
		bodies = append(bodies, &event.Usage{Usage: reply.Usage, By: event.BySummary})
	}
	return c.journal.append(ctx, bodies...)
}

// askSummary asks the model for a summary of the old messages, of at most the given bytes. The reply has no text if
// the model could not write one.
func (c *compactor) askSummary(ctx context.Context, t goal.Turn, old []goal.Message, bytes int) (goal.Reply, *Stop) {
	if c.budget.exhaustedLimit() != "" || conversation.Size(old) < minAsked {
		return goal.Reply{}, nil
	}
	t.Messages = append(append([]goal.Message{}, t.Messages[:1+len(old)]...), goal.Message{
		Role: goal.User, Text: fmt.Sprintf(summaryPrompt, bytes/bytesPerWord),
	})
	t.OnReasoning = nil // no ReplyTokens: some servers refuse a request that, with its bound, exceeds the window
	began := c.budget.clock.Now()
	reply, err := c.pauser.askModel(ctx, c.model, t, func(string) {})
	var later *goal.Unavailable
	var mistake *goal.ModelMistake
	switch {
	case stopCause(ctx) != nil:
		return reply, stopCause(ctx)
	case errors.Is(err, goal.ErrPaused):
		return reply, c.pauser.stop()
	case errors.As(err, &later): // waiting for a model is not working
		c.budget.idle.add(c.budget.clock.Now().Sub(began))
		return reply, modelStop(err)
	case errors.As(err, &mistake):
		reply.Usage = mistake.Usage
	case err == nil && !reply.IsCutOff && len(reply.Text) <= bytes && len(strings.TrimSpace(reply.Text)) >= minSummary:
		reply.Text = strings.TrimSpace(reply.Text)
		return reply, nil
	}
	c.log.Info("the model wrote no summary", "goal", c.goal.ID, "error", err, "bytes", len(reply.Text), "limit", bytes)
	return goal.Reply{Usage: reply.Usage}, nil
}
