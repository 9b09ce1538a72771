// Package model talks to language models. OpenAI reaches any server that
// speaks /chat/completions with streaming and tool calls, Retry repeats what may
// be repeated, Demo plays a script without any AI. All have the same method,
// Turn, which either returns a whole reply or an error: half a reply never
// leaves this package.
package model

import (
	"context"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"goalpost/backend/goal"
)

// Client is one model turn. delta gets the text as it comes, from the goroutine
// that called Turn; it may be nil. Text that was given to delta before an error
// is void.
type Client interface {
	Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error)
}

// OpenAI is a client of one server. It is safe for concurrent use.
type OpenAI struct {
	*baseClient
	chat    openai.ChatCompletionService
	noUsage atomic.Bool // the server refused stream_options once
	noThink atomic.Bool // it takes tools from a model that does not think only
}

// NewOpenAI checks the options; it does not contact the server.
func NewOpenAI(o Options) (*OpenAI, error) {
	s, err := newBaseClient(o, ProtocolOpenAI, "https://api.openai.com/v1")
	if err != nil {
		return nil, err
	}
	c := &OpenAI{baseClient: s}
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(s.o.BaseURL, "/") + "/"),
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(0),
		option.WithMiddleware(c.errorMiddleware),
	}
	if s.o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(s.o.APIKey))
	}
	// The service by itself, not openai.NewClient: that one reads OPENAI_* from
	// the environment and would send an organisation meant for another server.
	c.chat = openai.NewChatCompletionService(opts...)
	return c, nil
}

// Turn asks the model once. ctx bounds it; its end is returned as the context's
// error, everything else as *Error.
func (c *OpenAI) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	if t.Model == "" {
		t.Model = c.o.Model
	}
	if err := c.checkImages(t); err != nil {
		return goal.Reply{}, c.wrapError(ctx, err)
	}
	params, err := request(t)
	if err != nil {
		return goal.Reply{}, err
	}
	w := openAIOptions{usage: !c.noUsage.Load(), think: !c.noThink.Load()}
	reply, err := c.attempt(ctx, t.Model, params, w, delta)
	for c.dropRejected(err, &w) {
		reply, err = c.attempt(ctx, t.Model, params, w, delta)
	}
	if err != nil {
		return goal.Reply{}, c.wrapError(ctx, c.imageError(t, err))
	}
	assignID(&reply, len(t.Messages))
	c.estimateTokens(t, &reply)
	return reply, nil
}

// openAIOptions are what a request asks for beyond a reply, and may be refused.
type openAIOptions struct{ usage, think bool }

// dropRejected drops the wish for which the server refused a request, for this turn and
// for later ones, and says whether it did.
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
		// OpenAI's models from GPT-5.4 on think by default, and take no tools over
		// this protocol while they do.
		w.think = false
		c.noThink.Store(true)
	default:
		return false
	}
	return true
}

func (c *OpenAI) attempt(ctx context.Context, model string, params openai.ChatCompletionNewParams, w openAIOptions, delta func(string)) (goal.Reply, error) {
	if w.usage {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	switch {
	case c.o.Effort != "": // what the user chose is not taken back for a server
		params.ReasoningEffort = openai.ReasoningEffort(c.o.Effort)
	case !w.think && len(params.Tools) > 0:
		params.ReasoningEffort = "none"
	}
	var resp *http.Response
	// The SDK's own stream reader takes a cut for an end: it is given the raw
	// response to fill and the events are read here.
	_, err := c.chat.New(ctx, params, option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&resp))
	if err != nil {
		return goal.Reply{}, err //nolint:wrapcheck // explained in Turn
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to lose
	r := newOpenAIReader(delta, func(t tokenCount) float64 { return c.cost(model, t) })
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "application/json": // the server ignored stream: true
		return r.whole(resp.Body)
	case "text/html":
		return goal.Reply{}, &Error{Kind: InvalidReply, Status: resp.StatusCode, Message: "the server answered with a web page"}
	}
	return r.read(resp.Body, c.o.Linger)
}

// errorMiddleware turns every answer that is not a success into an *Error. It stands in
// front of the SDK, which would read an error's body without a bound.
func (c *OpenAI) errorMiddleware(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	return nil, c.responseError(resp)
}
