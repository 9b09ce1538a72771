package model

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"goalpost/backend/goal"
)

// Anthropic is a client of one server with the Messages API. It is safe for concurrent use.
type Anthropic struct {
	*baseClient
	thoughts thinkingCache
	short    atomic.Bool // the server refused our maximum reply length
}

const (
	// maxReplyTokens is requested if the model allows it, in tokens; a reply may end earlier.
	maxReplyTokens = 32_000
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
	if t.Model == "" {
		t.Model = c.o.Model
	}
	if err := c.checkImages(t); err != nil {
		return goal.Reply{}, c.wrapError(ctx, err)
	}
	a := anthropicOptions{long: !c.short.Load(), thoughts: true}
	reply, r, err := c.attempt(ctx, t, a, delta)
	for c.dropRejected(err, &a) {
		reply, r, err = c.attempt(ctx, t, a, delta)
	}
	if err != nil {
		return goal.Reply{}, c.wrapError(ctx, c.imageError(t, err))
	}
	assignID(&reply, len(t.Messages))
	c.estimateTokens(t, &reply)
	c.thoughts.keep(t.Model, reply, r.rawReply(reply))
	return reply, nil
}

// anthropicOptions are parts of a request that the server may refuse.
type anthropicOptions struct{ long, thoughts bool }

// dropRejected drops the option for which the server refused a request, and reports whether it did.
func (c *Anthropic) dropRejected(err error, a *anthropicOptions) bool {
	e, ok := AsError(err)
	if !ok || e.Kind != BadRequest {
		return false
	}
	switch said := strings.ToLower(e.Message); {
	case a.long && strings.Contains(said, "max_tokens"):
		a.long = false
		c.short.Store(true)
	case a.thoughts && strings.Contains(said, "thinking"):
		a.thoughts = false
		c.thoughts.forget()
	default:
		return false
	}
	return true
}

func (c *Anthropic) attempt(
	ctx context.Context, t goal.Turn, a anthropicOptions, delta func(string),
) (goal.Reply, *anthropicReader, error) {
	body, err := json.Marshal(c.encodeRequest(t, a))
	if err != nil {
		return goal.Reply{}, nil, encodingError(err)
	}
	header := http.Header{}
	header.Set("Anthropic-Version", "2023-06-01")
	if c.o.APIKey != "" {
		header.Set("X-Api-Key", c.o.APIKey)
	}
	resp, err := c.post(ctx, c.endpoint(), header, body)
	if err != nil {
		return goal.Reply{}, nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not needed any more
	r := newBlocks(delta, func(used tokenCount) float64 { return c.cost(t.Model, used) })
	var reply goal.Reply
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "application/json": // the server ignored stream: true
		reply, err = r.readFull(resp.Body)
	case "text/html":
		err = webPageError(resp)
	default:
		reply, err = r.read(resp.Body, c.o.Linger)
	}
	return reply, r, err
}

// endpoint accepts base URLs with and without the version.
func (c *Anthropic) endpoint() string {
	base := strings.TrimSuffix(strings.TrimRight(c.o.BaseURL, "/"), "/v1")
	return base + "/v1/messages"
}

// maxTokens is the maximum length of a reply, in tokens.
func (a anthropicOptions) maxTokens(model string) int {
	if !a.long {
		return fallbackReplyTokens
	}
	if most := lookupModel(model).output; most > 0 {
		return min(most, maxReplyTokens)
	}
	return maxReplyTokens
}
