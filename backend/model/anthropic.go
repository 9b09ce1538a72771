package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"goalpost/backend/goal"
)

// Anthropic is a client of one server with the Messages API. It is safe for concurrent use.
type Anthropic struct {
	*baseClient
	short     atomic.Bool // the server refused our maximum reply length
	unbounded atomic.Bool // a reply with a bound used up its limit for thinking
	// unsigned is how many messages at the beginning of the conversation go back without their thinking, because the
	// server refused it.
	unsigned atomic.Int64
	simple   atomic.Bool // the server does not accept all of JSON Schema
}

const (
	// maxReplyTokens is requested if the model allows it, in tokens; a reply may end earlier.
	maxReplyTokens = 32_000
	// longReplyTokens is requested after a reply that used up maxReplyTokens for thinking.
	longReplyTokens = 64_000
	// fallbackReplyTokens is what every model allows.
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
func (c *Anthropic) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	a := anthropicOptions{
		long:             !c.short.Load(),
		unsigned:         int(c.unsigned.Load()),
		isUnbounded:      c.unbounded.Load(),
		hasSimpleSchemas: c.simple.Load(),
	}
	return c.turn(ctx, t, adaptiveRequest{
		attempt: func(t goal.Turn) (goal.Reply, error) { return c.attempt(ctx, t, a, delta) },
		adapt:   func(t goal.Turn, err error) bool { return c.dropRejected(err, t, &a) },
	})
}

// anthropicOptions are parts of a request that the server may refuse.
type anthropicOptions struct {
	long     bool
	longer   bool // a reply used up the usual limit for thinking
	unsigned int  // messages without their thinking
	// isOutputFixed means that the server does not accept more than the usual limit.
	isOutputFixed bool
	// isUnbounded means that replies with a bound get the limit of others.
	isUnbounded bool
	// hasSimpleSchemas means that tools have the part of JSON Schema that every server understands.
	hasSimpleSchemas bool
}

// dropRejected drops the option for which the server refused a turn, and reports whether it did.
func (c *Anthropic) dropRejected(err error, t goal.Turn, a *anthropicOptions) bool {
	messages := len(t.Messages)
	e, ok := AsError(err)
	if ok && e.AtLimit && a.long && !a.longer && !a.isOutputFixed {
		a.longer = true
		if t.ReplyTokens > 0 {
			a.isUnbounded = true
			c.unbounded.Store(true)
		}
		return true
	}
	if !ok || e.Kind != BadRequest {
		return false
	}
	switch said := strings.ToLower(e.Message); {
	case a.longer && strings.Contains(said, "max_tokens"):
		a.longer, a.isOutputFixed = false, true
	case a.long && strings.Contains(said, "max_tokens"):
		a.long = false
		c.short.Store(true)
	case a.unsigned < messages && strings.Contains(said, "thinking"):
		a.unsigned = messages
		c.unsigned.Store(int64(messages))
	case !a.hasSimpleSchemas && isAboutSchema(said):
		a.hasSimpleSchemas = true
		c.simple.Store(true)
	default:
		return false
	}
	return true
}

func (c *Anthropic) attempt(
	ctx context.Context, t goal.Turn, a anthropicOptions, delta func(string),
) (goal.Reply, error) {
	body, err := json.Marshal(c.encodeRequest(t, a))
	if err != nil {
		return goal.Reply{}, encodingError(err)
	}
	header := http.Header{}
	header.Set("Anthropic-Version", "2023-06-01")
	if c.o.APIKey != "" {
		header.Set("X-Api-Key", c.o.APIKey)
	}
	resp, err := c.post(ctx, c.endpoint(), header, body)
	if err != nil {
		return goal.Reply{}, err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not needed any more
	r := newBlocks(delta, func(used tokenCount) float64 { return c.cost(t.Model, used) })
	r.onReasoning = t.OnReasoning
	reply, err := r.readResponse(resp, c.o.Linger)
	if reply.Reasoning != nil {
		reply.Reasoning.Model = t.Model
	}
	return reply, err
}

// endpoint accepts base URLs with and without the version.
func (c *Anthropic) endpoint() string {
	base := strings.TrimSuffix(strings.TrimRight(c.o.BaseURL, "/"), "/v1")
	return base + "/v1/messages"
}

// maxTokens is the maximum length of a reply, in tokens.
func (a anthropicOptions) maxTokens(t goal.Turn) int {
	limit, most := maxReplyTokens, lookupModel(t.Model).output
	switch {
	case !a.long:
		limit = fallbackReplyTokens
	case a.longer:
		limit = longReplyTokens
	}
	if most > 0 && a.long {
		limit = min(limit, most)
	}
	if t.ReplyTokens > 0 && !a.isUnbounded {
		limit = min(limit, boundOutput(t))
	}
	return limit
}
