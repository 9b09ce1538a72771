package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"goalpost/backend/domain/goal"
)

// Anthropic is a client of one server with Anthropic's Messages API. It is safe for concurrent use.
type Anthropic struct {
	*baseClient
	short     atomic.Bool // the server rejected maxReplyTokens
	unbounded atomic.Bool // thinking used up a bounded reply
	// unsigned is the number of messages at the start of the conversation that are sent without their thinking, because
	// the server rejected it.
	unsigned atomic.Int64
	simple   atomic.Bool // the server does not accept all of JSON Schema
}

const (
	// maxReplyTokens is requested if the model allows it, in tokens; a reply may end earlier.
	maxReplyTokens = 32_000
	// longReplyTokens is requested after a reply that used up maxReplyTokens for thinking.
	longReplyTokens = 64_000
	// fallbackReplyTokens is the limit that every model allows.
	fallbackReplyTokens = 4_096
)

// NewAnthropic checks the options; it does not contact the server.
func NewAnthropic(o Options) (*Anthropic, error) {
	s, err := newBaseClient(o, ProtocolAnthropic, "https://api.anthropic.com")
	if err != nil {
		return nil, err
	}
	return &Anthropic{baseClient: s}, nil
}

// Turn asks the model once. If ctx ends, Turn returns the context's error; all other errors are *Error.
func (an *Anthropic) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	a := anthropicOptions{
		allowsLong:       !an.short.Load(),
		unsigned:         int(an.unsigned.Load()),
		isUnbounded:      an.unbounded.Load(),
		hasSimpleSchemas: an.simple.Load(),
	}
	return an.askModel(ctx, t, adaptiveRequest{
		attempt: func(t goal.Turn) (goal.Reply, error) { return an.sendTurn(ctx, t, a, delta) },
		adapt:   func(t goal.Turn, err error) bool { return an.dropRejected(err, t, &a) },
	})
}

// anthropicOptions are the parts of a request that the server may reject.
type anthropicOptions struct {
	allowsLong bool
	longer     bool // thinking used up the usual limit
	unsigned   int  // messages without their thinking
	// isOutputFixed means that the server accepts no more than the usual limit.
	isOutputFixed bool
	// isUnbounded means that bounded replies get the usual limit.
	isUnbounded bool
	// hasSimpleSchemas means that tool schemas use only the part of JSON Schema that every server understands.
	hasSimpleSchemas bool
}

// dropRejected drops the option that the server rejected, and reports whether there was one.
func (an *Anthropic) dropRejected(err error, t goal.Turn, a *anthropicOptions) bool {
	messages := len(t.Messages)
	e, ok := AsError(err)
	if ok && e.AtLimit && a.allowsLong && !a.longer && !a.isOutputFixed {
		a.longer = true
		if t.ReplyTokens > 0 {
			a.isUnbounded = true
			an.unbounded.Store(true)
		}
		return true
	}
	if !ok || e.Kind != BadRequest {
		return false
	}
	switch message := strings.ToLower(e.Message); {
	case a.longer && strings.Contains(message, "max_tokens"):
		a.longer, a.isOutputFixed = false, true
	case a.allowsLong && strings.Contains(message, "max_tokens"):
		a.allowsLong = false
		an.short.Store(true)
	case a.unsigned < messages && strings.Contains(message, "thinking"):
		a.unsigned = messages
		an.unsigned.Store(int64(messages))
	case !a.hasSimpleSchemas && isAboutSchema(message):
		a.hasSimpleSchemas = true
		an.simple.Store(true)
	default:
		return false
	}
	return true
}

func (an *Anthropic) sendTurn(
	ctx context.Context, t goal.Turn, a anthropicOptions, delta func(string),
) (goal.Reply, error) {
	body, err := json.Marshal(an.encodeRequest(t, a))
	if err != nil {
		return goal.Reply{}, encodingError(err)
	}
	header := http.Header{}
	header.Set("Anthropic-Version", "2023-06-01")
	if an.o.APIKey != "" {
		header.Set("X-Api-Key", an.o.APIKey)
	}
	resp, err := an.post(ctx, an.endpoint(), header, body)
	if err != nil {
		return goal.Reply{}, err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not needed any more
	r := newBlocks(delta, func(used tokenCount) float64 { return an.cost(t.Model, used) })
	r.onReasoning = t.OnReasoning
	reply, err := r.readResponse(resp, an.o.UsageTimeout)
	if reply.Reasoning != nil {
		reply.Reasoning.Model = t.Model
	}
	return reply, err
}

// endpoint returns the URL of the Messages API, for base URLs with or without the version.
func (an *Anthropic) endpoint() string {
	base := strings.TrimSuffix(strings.TrimRight(an.o.BaseURL, "/"), "/v1")
	return base + "/v1/messages"
}

// maxTokens returns the maximum length of a reply, in tokens.
func (a anthropicOptions) maxTokens(t goal.Turn) int {
	limit, modelLimit := maxReplyTokens, lookupModel(t.Model).output
	switch {
	case !a.allowsLong:
		limit = fallbackReplyTokens
	case a.longer:
		limit = longReplyTokens
	}
	if modelLimit > 0 && a.allowsLong {
		limit = min(limit, modelLimit)
	}
	if t.ReplyTokens > 0 && !a.isUnbounded {
		limit = min(limit, boundOutput(t))
	}
	return limit
}
