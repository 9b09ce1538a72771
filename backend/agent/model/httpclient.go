package model

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Options say how a model is reached.
type Options struct {
	BaseURL string // such as http://127.0.0.1:11434/v1
	Model   string // used when a turn names none
	Effort  string // requested in every turn, one of its protocol's Efforts; "" leaves it to the server
	APIKey  string // may be empty: local servers do not need one
	KeyName string // the environment variable of the key, for hints
	// Price is the price of Model at this server; zero means the published price.
	Price catalog.Price
	// Transport is shared by many clients; nil means one for this client alone.
	Transport *http.Transport
	// UsageTimeout is how long to wait for the usage, which some servers send after the final event of a stream. 0
	// means 5 s.
	UsageTimeout time.Duration
	// Silence limits how long the server may send nothing.
	Silence Silence
	Clock   Clock // for a Retry-After that is a date; nil means the real one
}

// NewTransport returns a transport that clients can share. The caller closes its idle connections at the end.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 15 * time.Second,
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   true,
	}
}

// baseClient is the common part of the clients of all protocols.
type baseClient struct {
	o         Options
	protocol  Protocol
	usualURL  string // a typical base URL, for hints
	http      *http.Client
	transport *http.Transport // nil when it is shared
	schemas   sync.Map        // tools' schemas as text to *toolschema.Schema
}

func newBaseClient(o Options, protocol Protocol, usualURL string) (*baseClient, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, &Error{
			Kind:    BadRequest,
			Message: "the base URL is not an HTTP address",
			Hint:    "use one like " + usualURL,
		}
	}
	if err := protocol.validateEffort(o.Effort); err != nil {
		return nil, err
	}
	o.APIKey = strings.TrimSpace(o.APIKey) // a file often ends with a line break
	if o.UsageTimeout == 0 {
		o.UsageTimeout = 5 * time.Second
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	s := &baseClient{o: o, protocol: protocol, usualURL: usualURL}
	if o.Transport == nil {
		s.transport = NewTransport()
		o.Transport = s.transport
	}
	s.http = &http.Client{
		Transport: o.Transport,
		// A redirected POST would lose its body or send the key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// Close closes idle connections that are not shared. Running turns are not affected.
func (b *baseClient) Close() {
	if b.transport != nil {
		b.transport.CloseIdleConnections()
	}
}

// isOpenAIHost reports whether the server is OpenAI's own or Azure's.
func (b *baseClient) isOpenAIHost() bool {
	u, err := url.Parse(b.o.BaseURL)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "api.openai.com" || strings.HasSuffix(host, ".openai.com") || isAzureHost(host)
}

// isLoopback reports whether the server is on this computer.
func (b *baseClient) isLoopback() bool {
	u, err := url.Parse(b.o.BaseURL)
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// discardedUsage returns the usage of a failed turn, as far as it is known.
func discardedUsage(err error) goal.Usage {
	if e, ok := AsError(err); ok {
		return e.Usage
	}
	return goal.Usage{}
}

// addUsage adds the usage of earlier attempts of a turn to an error.
func addUsage(err error, usage goal.Usage) error {
	e, ok := AsError(err)
	if !ok || usage == (goal.Usage{}) {
		return err
	}
	out := *e
	out.Usage = out.Usage.Plus(usage)
	return &out
}

// adaptiveRequest is a request that is sent again in another form as long as the server rejects it.
type adaptiveRequest struct {
	attempt func(goal.Turn) (goal.Reply, error)
	// adapt changes the form of the request after an error, and reports whether to try again. It is nil for a fixed
	// form.
	adapt func(goal.Turn, error) bool
}

// askModel returns one reply of the model, after as many attempts as necessary. The usage includes that of discarded
// replies.
func (b *baseClient) askModel(ctx context.Context, t goal.Turn, r adaptiveRequest) (goal.Reply, error) {
	if t.Model == "" {
		t.Model = b.o.Model
	}
	if err := b.checkImages(t); err != nil {
		return goal.Reply{}, b.wrapError(ctx, err)
	}
	tools, err := b.fitTools(&t)
	if err != nil {
		return goal.Reply{}, b.wrapError(ctx, err)
	}
	var usage goal.Usage // on discarded replies
	reply, err := r.attempt(t)
	for r.adapt(t, err) {
		usage = usage.Plus(discardedUsage(err))
		reply, err = r.attempt(t)
	}
	if err := addUsage(err, usage); err != nil {
		return goal.Reply{}, b.wrapError(ctx, b.imageError(t, err))
	}
	tools.restore(&reply)
	assignID(&reply, len(t.Messages))
	b.estimateTokens(t, &reply)
	reply.Usage = reply.Usage.Plus(usage)
	return reply, nil
}

// checkImages returns an error for images if the model is known not to accept them.
func (b *baseClient) checkImages(t goal.Turn) error {
	if hasImages(t) && !SupportsImages(t.Model) {
		return &Error{Kind: NoVision, Message: fmt.Sprintf("the model %s does not accept images", t.Model)}
	}
	return nil
}

// imageError changes the error of a turn with images to NoVision if the server rejected the images; servers use various
// messages.
func (b *baseClient) imageError(t goal.Turn, err error) error {
	e, ok := AsError(err)
	if !ok || e.Status == 0 || e.Kind != BadRequest && e.Kind != Overloaded || !hasImages(t) {
		return err
	}
	if !containsAny(strings.ToLower(e.Message), "image", "vision", "multimodal", "mmproj") {
		return err
	}
	out := *e
	out.Kind, out.Hint, out.cause = NoVision, "", unknownCause
	return &out
}

func hasImages(t goal.Turn) bool {
	return slices.ContainsFunc(t.Messages, func(m goal.Message) bool { return len(m.Images) > 0 })
}

// post sends a request for a stream of events. It returns a successful response, whose body the caller closes. post
// sets more fields in header, which must not be nil.
func (b *baseClient) post(
	ctx context.Context, endpoint string, header http.Header, body []byte,
) (*http.Response, error) {
	ctx, watch := b.watchSilence(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		watch.end()
		return nil, fmt.Errorf("model turn: %w", err)
	}
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "text/event-stream")
	req.Header = header
	resp, err := b.http.Do(req)
	if err != nil {
		watch.end()
		if silent, ok := AsError(context.Cause(ctx)); ok {
			return nil, silent
		}
		return nil, err //nolint:wrapcheck // wrapError reduces it to its innermost cause
	}
	watch.ReadCloser, resp.Body = resp.Body, watch
	if resp.StatusCode/100 != 2 {
		return nil, b.responseError(resp)
	}
	return resp, nil
}

// isWhole reports whether a response contains one JSON object instead of a stream of events, and returns its body. Some
// servers label streams as JSON, so the first byte decides then.
func isWhole(resp *http.Response) (io.ReadCloser, bool, error) {
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "text/html":
		return nil, false, webPageError(resp)
	case "application/json":
	default:
		return resp.Body, false, nil
	}
	r := bufio.NewReaderSize(resp.Body, 512)
	body := struct {
		io.Reader
		io.Closer
	}{r, resp.Body}
	for n := 1; n <= 64; n++ {
		begin, err := r.Peek(n)
		if err != nil || len(bytes.TrimSpace(begin)) > 0 {
			return body, err != nil || isJSON(begin), nil
		}
	}
	return body, true, nil
}

// encodingError returns the error for a request that cannot be encoded as JSON.
func encodingError(err error) error {
	return &Error{
		Kind:    BadRequest,
		Message: "the request cannot be encoded: " + text.SanitizeLine(err.Error(), maxMessage),
		Hint:    "this is a bug in the program or in an MCP server",
		Err:     err,
	}
}

// webPageError returns an error if the response is an HTML page.
func webPageError(resp *http.Response) error {
	return &Error{
		Kind:    InvalidReply,
		Status:  resp.StatusCode,
		Message: "the server answered with a web page",
		Hint:    "if the network asks you to sign in, do that; otherwise check the base URL",
	}
}

// responseError returns the error for an unsuccessful response, and closes it. It reads the body up to a limit.
func (b *baseClient) responseError(resp *http.Response) error {
	const maxBody = 64 << 10
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	_ = resp.Body.Close() // the body is not needed any more
	if err != nil {
		body = nil // the status is enough
	}
	e := statusError(resp, body, b.o.Clock.Now())
	e.Hint = cmp.Or(e.Hint, b.hintFor(e))
	return e
}

// wrapError converts every error to an *Error with a hint and without the key.
func (b *baseClient) wrapError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("model turn: %w", ctx.Err())
	}
	e, ok := AsError(err)
	if !ok {
		e = connectionError(err, b.o.Clock.Now())
	}
	out := *e
	if out.Kind == BadRequest && b.o.Effort != "" && strings.Contains(strings.ToLower(out.Message), "effort") {
		out.Hint = fmt.Sprintf("the goal requests the effort %q: start it again with another effort, or without one",
			b.o.Effort)
	}
	out.Hint = cmp.Or(out.Hint, b.hintFor(&out))
	if isMaskable(b.o.APIKey) {
		out.Message = strings.ReplaceAll(out.Message, b.o.APIKey, "[key]")
		if out.Err != nil && strings.Contains(out.Err.Error(), b.o.APIKey) {
			out.Err = nil
		}
		out.Attempt = strings.ReplaceAll(out.Attempt, b.o.APIKey, "[key]")
	}
	return &out
}

// isMaskable reports whether a key can be a secret. Users give local servers words such as "ollama" as the key; masking
// those would hide ordinary text.
func isMaskable(key string) bool {
	const short, long = 8, 24
	return len(key) >= long || len(key) >= short && strings.ContainsAny(key, "0123456789")
}

// publicURL returns the base URL without secrets.
func (b *baseClient) publicURL() string {
	u, err := url.Parse(b.o.BaseURL)
	if err != nil {
		return "the base URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
