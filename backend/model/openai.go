// Package model talks to language models. OpenAI reaches any server that implements /chat/completions with streaming
// and tool calls, Retry repeats what may be repeated, Demo plays a script without any AI. All have the same method,
// Turn, which returns either a whole reply or an error: half a reply never leaves this package.
package model

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"goalpost/backend/goal"
)

// Client is one model turn. delta gets the text as it arrives, from the goroutine that called Turn; it may be nil.
// Text that delta received before an error is void.
type Client interface {
	Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error)
}

// OpenAI is a client of one server. It is safe for concurrent use.
type OpenAI struct {
	*baseClient
	endpoint string      // URL of /chat/completions
	noUsage  atomic.Bool // the server refused stream_options before
	noThink  atomic.Bool // it accepts tools only without reasoning
}

// NewOpenAI checks the options; it does not contact the server.
func NewOpenAI(o Options) (*OpenAI, error) {
	s, err := newBaseClient(o, ProtocolOpenAI, "https://api.openai.com/v1")
	if err != nil {
		return nil, err
	}
	endpoint, err := joinChatEndpoint(s.o.BaseURL)
	if err != nil {
		return nil, err
	}
	return &OpenAI{
		baseClient: s,
		endpoint:   endpoint,
	}, nil
}

// joinChatEndpoint drops the query and the fragment of a base URL.
func joinChatEndpoint(base string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(base, "/") + "/")
	if err != nil {
		return "", fmt.Errorf("joining the base URL: %w", err)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/" // the slash was part of the query or the fragment
	}
	u, err = u.Parse("chat/completions")
	if err != nil {
		return "", fmt.Errorf("joining the base URL: %w", err)
	}
	return u.String(), nil
}

// Turn asks the model once. If ctx ends, Turn returns the context's error; all other errors are *Error.
func (c *OpenAI) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	if t.Model == "" {
		t.Model = c.o.Model
	}
	if err := c.checkImages(t); err != nil {
		return goal.Reply{}, c.wrapError(ctx, err)
	}
	req, err := newChatRequest(t)
	if err != nil {
		return goal.Reply{}, err
	}
	w := openAIOptions{usage: !c.noUsage.Load(), think: !c.noThink.Load()}
	reply, err := c.attempt(ctx, req, w, delta)
	for c.dropRejected(err, &w) {
		reply, err = c.attempt(ctx, req, w, delta)
	}
	if err != nil {
		return goal.Reply{}, c.wrapError(ctx, c.imageError(t, err))
	}
	assignID(&reply, len(t.Messages))
	c.estimateTokens(t, &reply)
	return reply, nil
}

// openAIOptions are optional parts of a request that the server may refuse.
type openAIOptions struct{ usage, think bool }

// dropRejected drops the option for which the server refused a request, for this turn and later ones, and reports
// whether it did.
func (c *OpenAI) dropRejected(err error, w *openAIOptions) bool {
	e, ok := AsError(err)
	if !ok || e.Kind != BadRequest {
		return false
	}
	switch said := strings.ToLower(e.Message); {
	case w.usage && (strings.Contains(said, "stream_options") || strings.Contains(said, "include_usage")):
		w.usage = false
		c.noUsage.Store(true)
	case w.think && c.o.Effort == "" && strings.Contains(said, "reasoning_effort"):
		// OpenAI's models from GPT-5.4 on think by default, and do not accept tools in this protocol while they do.
		w.think = false
		c.noThink.Store(true)
	default:
		return false
	}
	return true
}

func (c *OpenAI) attempt(
	ctx context.Context, req chatRequest, w openAIOptions, delta func(string),
) (goal.Reply, error) {
	if w.usage {
		req.StreamOptions = &chatStreamOptions{IncludeUsage: true}
	}
	switch {
	case c.o.Effort != "": // the user's choice is not dropped for a server
		req.ReasoningEffort = c.o.Effort
	case !w.think && len(req.Tools) > 0:
		req.ReasoningEffort = "none"
	}
	body, err := req.encode()
	if err != nil {
		return goal.Reply{}, encodingError(err)
	}
	// OPENAI_* of the environment is not read: a key or an organisation for another server must not reach this one.
	header := http.Header{}
	if c.o.APIKey != "" {
		header.Set("Authorization", "Bearer "+c.o.APIKey)
	}
	resp, err := c.post(ctx, c.endpoint, header, body)
	if err != nil {
		return goal.Reply{}, err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not needed any more
	r := newOpenAIReader(delta, func(t tokenCount) float64 { return c.cost(req.Model, t) })
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "application/json": // the server ignored stream: true
		return r.parseWhole(resp.Body)
	case "text/html":
		return goal.Reply{}, webPageError(resp)
	}
	return r.read(resp.Body, c.o.Linger)
}
