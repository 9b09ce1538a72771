// Package model talks to language models. OpenAI reaches any server that implements /chat/completions with streaming
// and tool calls, Anthropic one with the Messages API; Retry repeats failed turns; Demo plays a script without any AI.
// All have the method Turn, which returns a whole reply or an error, never half a reply.
package model

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"goalpost/backend/domain/goal"
)

// Client asks a model. delta receives the text as it arrives, in the goroutine that called Turn; it may be nil. Text
// that delta received before an error is void.
type Client interface {
	Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error)
}

// OpenAI is a client of one server. It is safe for concurrent use.
type OpenAI struct {
	*baseClient
	base *url.URL

	mu      sync.Mutex
	options requestOptions // for later turns
}

// NewOpenAI checks the options; it does not contact the server. The client speaks the chat protocol, and the Responses
// API for models that the server offers only there.
func NewOpenAI(o Options) (*OpenAI, error) { return newOpenAI(o, ProtocolOpenAI) }

// NewResponses checks the options; it does not contact the server. The client speaks the Responses API, and the chat
// protocol if the server has no such API.
func NewResponses(o Options) (*OpenAI, error) { return newOpenAI(o, ProtocolResponses) }

func newOpenAI(o Options, protocol Protocol) (*OpenAI, error) {
	s, err := newBaseClient(o, protocol, "https://api.openai.com/v1")
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(s.o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("the base URL: %w", err)
	}
	return &OpenAI{
		baseClient: s,
		base:       base,
		options:    requestOptions{isResponses: protocol == ProtocolResponses},
	}, nil
}

// joinEndpoint returns the URL of a call. It drops the query and the fragment of the base URL; only Azure's old
// addresses need a query, with the version.
func joinEndpoint(base *url.URL, call string) string {
	folder := *base
	if !strings.HasSuffix(folder.Path, "/") {
		folder.Path += "/"
		if folder.RawPath != "" {
			folder.RawPath += "/"
		}
	}
	u := folder.ResolveReference(&url.URL{Path: call})
	if isOldAzure(base) {
		version := base.Query().Get("api-version")
		if version == "" {
			version = azureVersion
		}
		u.RawQuery = url.Values{"api-version": {version}}.Encode()
	}
	return u.String()
}

// Turn asks the model once. If ctx ends, Turn returns the context's error; all other errors are *Error.
func (oa *OpenAI) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	o := oa.learnedOptions()
	return oa.askModel(ctx, t, adaptiveRequest{
		attempt: func(t goal.Turn) (goal.Reply, error) { return oa.sendTurn(ctx, t, o, delta) },
		adapt: func(t goal.Turn, err error) bool {
			changed := o.adapt(err, t, oa.o.Effort)
			if changed {
				oa.learn(o)
			}
			return changed
		},
	})
}

func (oa *OpenAI) learnedOptions() requestOptions {
	oa.mu.Lock()
	defer oa.mu.Unlock()
	return oa.options
}

// learn stores the options that the server accepts. If two turns learn concurrently, the later one wins; the server
// corrects the other again.
func (oa *OpenAI) learn(o requestOptions) {
	oa.mu.Lock()
	defer oa.mu.Unlock()
	oa.options = o
}

// requestOptions are the changes to the usual request that a server requires. The zero value is the usual request.
type requestOptions struct {
	isResponses    bool // over the Responses API
	noResponses    bool // the server has no such API
	noEncrypted    bool // the model has no encrypted reasoning
	noUsage        bool // without stream_options
	noThinking     bool // with the effort none: the server accepts tools only without reasoning
	noReasoning    bool // without the reasoning of earlier turns
	unsigned       int  // messages at the start whose reasoning the server no longer accepts
	fillReasoning  bool // with some reasoning in every assistant message
	fillSignatures bool // with a signature in the calls of every assistant message
	noCacheMarks   bool // without cache breakpoints
	shortIDs       bool // with call ids of nine letters and digits
	separateUsers  bool // with a reply before each message of the user
	simpleSchemas  bool // with the part of JSON Schema that every server understands
	// maxOutput is the output limit in tokens, 0 for the server's own limit.
	maxOutput int64
	// isOutputFixed means that the server does not accept a limit.
	isOutputFixed bool
	// isUnbounded means that bounded replies get the usual limit.
	isUnbounded bool
}

// outputLimit returns the output limit to send with a turn, in tokens; 0 for none.
func (r *requestOptions) outputLimit(t goal.Turn) int64 {
	if t.ReplyTokens <= 0 || r.isUnbounded || r.isOutputFixed {
		return r.maxOutput
	}
	return int64(boundOutput(t))
}

// raiseOutput raises the output limit once, after thinking used up a reply.
func (r *requestOptions) raiseOutput(e *Error, t goal.Turn) bool {
	isBound := t.ReplyTokens > 0 && !r.isUnbounded
	if !e.AtLimit || r.maxOutput > 0 && !isBound || r.isOutputFixed {
		return false
	}
	r.isUnbounded = r.isUnbounded || isBound
	r.maxOutput = max(r.maxOutput, maxReplyTokens, 2*e.Usage.TokensOut)
	if modelLimit := int64(lookupModel(t.Model).output); modelLimit > 0 {
		r.maxOutput = min(r.maxOutput, modelLimit)
	}
	return r.maxOutput > e.Usage.TokensOut
}

// adapt changes the option that the server rejected, and reports whether there was one. effort is the user's choice,
// which is never dropped.
func (r *requestOptions) adapt(err error, t goal.Turn, effort string) bool {
	e, ok := AsError(err)
	if !ok {
		return false
	}
	message := strings.ToLower(e.Message)
	switch {
	case e.Kind == Mistaken:
		return r.raiseOutput(e, t)
	case e.Kind == TooLong && t.ReplyTokens > 0 && !r.isUnbounded && !r.isOutputFixed && namesOutputLimit(message):
		r.isUnbounded = true // the request fits into the window, but not with this much output
		return true
	case e.Kind == TooLong && !r.shortIDs && isAboutCallID(message): // OpenAI has the same code for a too long text
		r.shortIDs = true
		return true
	case e.Kind != BadRequest:
		return false
	case r.changeProtocol(e):
		return true
	}
	says := func(words ...string) bool { return containsAny(message, words...) }
	switch {
	case r.outputLimit(t) > 0 && namesOutputLimit(message):
		r.maxOutput, r.isOutputFixed = 0, true
	case !r.noUsage && says("stream_options", "include_usage"):
		r.noUsage = true
	case !r.fillSignatures && !r.noReasoning && says("thought_signature", "thought signature"):
		r.fillSignatures = true
	case !r.fillReasoning && !r.noReasoning && says("reasoning_content") &&
		says("missing", "must be", "required", "passed back"):
		r.fillReasoning = true
	case r.unsigned < len(t.Messages) && isAboutSeal(message):
		r.unsigned = len(t.Messages)
	case !r.noReasoning && says("reasoning_content", "reasoning_details", "extra_content", "thought_signature",
		"'reasoning'", `"reasoning"`, "`reasoning`"):
		r.noReasoning, r.fillReasoning, r.fillSignatures = true, false, false
	case r.isResponses && !r.noEncrypted && says("encrypted"):
		r.noEncrypted = true
	case !r.noThinking && !r.isResponses && effort == "" && says("reasoning_effort"):
		// OpenAI's models from GPT-5.4 on think by default, and accept no tools in this protocol unless thinking is
		// off.
		r.noThinking = true
	default:
		return r.changeForm(message, t.Model)
	}
	return true
}

// withoutSeals returns the options for a message, without reasoning if the server rejects the message's own.
func (r requestOptions) withoutSeals(message int) requestOptions {
	r.noReasoning = r.noReasoning || message < r.unsigned
	return r
}

// isAboutSeal reports whether a server rejects signed or encrypted reasoning: it comes from another account, or the
// conversation was changed.
func isAboutSeal(message string) bool {
	return containsAny(message, "could not be verified", "could not be decrypted", "invalid_encrypted_content",
		"required following item", "duplicate item found") ||
		strings.Contains(message, "signature") && strings.Contains(message, "thinking")
}

// namesOutputLimit reports whether a server's message, in lower case, is about the output limit.
func namesOutputLimit(message string) bool {
	return containsAny(message, "max_tokens", "max_completion_tokens", "max_output_tokens")
}

// changeProtocol switches to the protocol that the server offers for the model, and reports whether it did.
func (r *requestOptions) changeProtocol(e *Error) bool {
	message := strings.ToLower(e.Message)
	switch {
	case r.isResponses && (e.Status == http.StatusMethodNotAllowed ||
		e.Status == http.StatusNotFound && !strings.Contains(message, "model")):
		r.isResponses, r.noResponses = false, true
	case !r.isResponses && !r.noResponses && e.cause == otherAPI:
		r.isResponses = true
	default:
		return false
	}
	return true
}

// sendTurn sends one request and reads the reply.
func (oa *OpenAI) sendTurn(
	ctx context.Context, t goal.Turn, o requestOptions, delta func(string),
) (goal.Reply, error) {
	price := func(used tokenCount) float64 { return oa.cost(t.Model, used) }
	call, r := "chat/completions", newOpenAIReader(delta, price)
	request := oa.encodeChat
	if o.isResponses {
		call, r, request = "responses", newResponsesReader(delta, price), oa.encodeResponses
	}
	body, err := request(t, o)
	if err != nil {
		return goal.Reply{}, err
	}
	// OPENAI_* variables are not read: a key or an organisation for another server must not reach this one.
	header := http.Header{}
	SetKey(header, oa.base, oa.o.APIKey)
	resp, err := oa.post(ctx, joinEndpoint(oa.base, call), header, body)
	if err != nil {
		return goal.Reply{}, err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not needed any more
	r.onReasoning = t.OnReasoning
	reply, err := r.readResponse(resp, oa.o.UsageTimeout)
	if reply.Reasoning != nil {
		reply.Reasoning.Model = t.Model
	}
	return reply, err
}

// encodeChat encodes a request of the chat protocol.
func (oa *OpenAI) encodeChat(t goal.Turn, o requestOptions) ([]byte, error) {
	req, err := newChatRequest(t, o)
	if err != nil {
		return nil, err
	}
	if !o.noUsage {
		req.StreamOptions = &chatStreamOptions{IncludeUsage: true}
	}
	if oa.isOpenAIHost() {
		req.MaxCompletionTokens = o.outputLimit(t) // OpenAI's reasoning models reject the older name
	} else {
		req.MaxTokens = o.outputLimit(t)
	}
	switch {
	case oa.o.Effort != "":
		req.ReasoningEffort = oa.o.Effort
	case o.noThinking && len(req.Tools) > 0:
		req.ReasoningEffort = "none"
	}
	body, err := encodeJSON(req)
	if err != nil {
		return nil, encodingError(err)
	}
	return body, nil
}
