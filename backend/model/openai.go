// Package model talks to language models. OpenAI reaches any server that
// speaks /chat/completions with streaming and tool calls, Retry repeats what may
// be repeated, Demo plays a script without any AI. All have the same method,
// Turn, which either returns a whole reply or an error: half a reply never
// leaves this package.
package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"goalpost/backend/goal"
)

// Turner is one model turn. delta gets the text as it comes, from the goroutine
// that called Turn; it may be nil. Text that was given to delta before an error
// is void.
type Turner interface {
	Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error)
}

// Options say where a model is reached.
type Options struct {
	BaseURL string // such as http://127.0.0.1:11434/v1
	Model   string // used when a turn names none
	APIKey  string // may be empty: local servers ask for none
	KeyName string // the environment variable of the key, for hints
	// Linger is how long the end of a stream may follow its last word, for the
	// usage that comes after it. 0 means 5 s.
	Linger time.Duration
}

// OpenAI is a client of one server. It is safe for concurrent use.
type OpenAI struct {
	o       Options
	chat    openai.ChatCompletionService
	idle    interface{ CloseIdleConnections() }
	noUsage atomic.Bool // the server refused stream_options once
}

// NewOpenAI checks the options; it does not contact the server.
func NewOpenAI(o Options) (*OpenAI, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, &Error{Kind: BadRequest, Message: "the base URL is not an http address", Hint: "write something like https://api.openai.com/v1"}
	}
	o.APIKey = strings.TrimSpace(o.APIKey) // a file's last newline often comes along
	if o.Linger == 0 {
		o.Linger = 5 * time.Second
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 15 * time.Second,
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	c := &OpenAI{o: o, idle: transport}
	client := &http.Client{
		Transport: transport,
		// A redirected POST would lose its body or carry the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(o.BaseURL, "/") + "/"),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithMiddleware(c.faults),
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	// The service by itself, not openai.NewClient: that one reads OPENAI_* from
	// the environment and would send an organisation meant for another server.
	c.chat = openai.NewChatCompletionService(opts...)
	return c, nil
}

// Close lets go of idle connections. Turns under way are not touched.
func (c *OpenAI) Close() { c.idle.CloseIdleConnections() }

// Turn asks the model once. ctx bounds it; its end is returned as the context's
// error, everything else as *Error.
func (c *OpenAI) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	if t.Model == "" {
		t.Model = c.o.Model
	}
	params, err := request(t)
	if err != nil {
		return goal.Reply{}, err
	}
	reply, err := c.attempt(ctx, params, delta)
	if e, ok := AsError(err); ok && e.Kind == BadRequest && !c.noUsage.Load() && mentionsUsage(e.Message) {
		c.noUsage.Store(true)
		reply, err = c.attempt(ctx, params, delta)
	}
	if err != nil {
		return goal.Reply{}, c.explain(ctx, err)
	}
	name(&reply, len(t.Messages))
	reply.Usage.USD = c.cost(t.Model, reply.Usage)
	return reply, nil
}

// mentionsUsage recognises servers that refuse stream_options.
func mentionsUsage(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "stream_options") || strings.Contains(s, "include_usage")
}

func (c *OpenAI) attempt(ctx context.Context, params openai.ChatCompletionNewParams, delta func(string)) (goal.Reply, error) {
	if !c.noUsage.Load() {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	var resp *http.Response
	// The SDK's own stream reader takes a cut for an end: it is given the raw
	// response to fill and the events are read here.
	_, err := c.chat.New(ctx, params, option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&resp))
	if err != nil {
		return goal.Reply{}, err //nolint:wrapcheck // explained in Turn
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to lose
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "application/json": // the server ignored stream: true
		return whole(resp.Body, delta)
	case "text/html":
		return goal.Reply{}, &Error{Kind: Garbage, Status: resp.StatusCode, Message: "the server answered with a web page"}
	}
	return readStream(resp.Body, delta, c.o.Linger)
}

// faults turns every answer that is not a success into an *Error. It stands in
// front of the SDK, which would read an error's body without a bound.
func (c *OpenAI) faults(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
	if err != nil {
		body = nil // the status says enough
	}
	return nil, statusError(resp, body, c.o)
}

// explain makes every error one of ours, with a hint and without the key.
func (c *OpenAI) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("model turn: %w", ctx.Err())
	}
	e, ok := AsError(err)
	if !ok {
		e = &Error{Kind: Unreachable, Message: cause(err), Err: err}
		if strings.Contains(err.Error(), "malformed HTTP") {
			e.Kind = Garbage
		}
	}
	out := *e
	if out.Hint == "" {
		out.Hint = c.o.hint(out.Kind, out.Status)
	}
	if c.o.APIKey != "" {
		out.Message = strings.ReplaceAll(out.Message, c.o.APIKey, "[key]")
		if out.Err != nil && strings.Contains(out.Err.Error(), c.o.APIKey) {
			out.Err = nil
		}
	}
	return &out
}

// cause is the innermost part of a network error, without URL and query.
func cause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return clip(err.Error())
}

// address is the base URL without anything secret in it.
func (o Options) address() string {
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return "the base URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
