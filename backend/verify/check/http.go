package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/text"
)

// bodyMax is how much of an answer is read, in bytes.
const bodyMax = 4 << 20

// DialFunc connects to an address, host:port, as the goal's own programs would.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// httpReply is what a server said.
type httpReply struct {
	status   int
	header   http.Header
	body     []byte
	longer   bool // there was more than bodyMax
	took     time.Duration
	location string
}

// checkHTTP asks a server, from inside the goal's network. A redirect is an answer
// like any other: it is not followed, since it may lead anywhere.
func (e Environment) checkHTTP(ctx context.Context, c Indexed) Result {
	a, err := e.fetch(ctx, c)
	if err != nil {
		return connectionFailure(ctx, err)
	}
	v := Result{Verdict: a.verdict()}
	switch {
	case a.status != c.WantStatus():
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("it answered %d, expected %d%s", a.status, c.WantStatus(), a.redirect())
		v.Tail = text.OneLine(string(a.body), 1000)
	case c.BodyContains != "" && !bytes.Contains(a.body, []byte(c.BodyContains)):
		v.Outcome, v.Detail = goal.Fail,
			fmt.Sprintf("it answers %d, and %q is not in its body%s", a.status, c.BodyContains, a.truncationNote())
		v.Tail = text.OneLine(string(a.body), 1000)
	case c.Predicate != "":
		r := e.evaluate(ctx, c.Predicate, a.json())
		v.Outcome, v.Retryable = r.Outcome, r.Retryable
		v.Detail = fmt.Sprintf("it answers %d, and %s", a.status, r.Detail)
	default:
		v.Outcome, v.Detail = goal.Pass, fmt.Sprintf("it answers %d", a.status)
	}
	return v
}

func (e Environment) fetch(ctx context.Context, c Indexed) (a httpReply, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout(), &timeoutError{c.Timeout()})
	defer cancel()
	method := c.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL, nil)
	if err != nil {
		return a, &requestError{err}
	}
	request.Header.Set("User-Agent", "goalpost-check")
	request.Header.Set("Accept", "*/*")
	transport := &http.Transport{ // no proxy of the environment, and nothing stays open
		DialContext: e.Dial, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: c.Timeout(), MaxResponseHeaderBytes: 1 << 20,
	}
	defer transport.CloseIdleConnections()
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	from := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return a, contextCause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	a = httpReply{status: response.StatusCode, header: response.Header, location: response.Header.Get("Location")}
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, bodyMax+1)); err != nil {
		return a, contextCause(ctx, fmt.Errorf("it answers %d, and then: %w", a.status, err))
	}
	if len(a.body) > bodyMax {
		a.body, a.longer = a.body[:bodyMax], true
	}
	a.took = time.Since(from)
	return a, nil
}

// timeoutError says that a server took longer than the check allows.
type timeoutError struct{ after time.Duration }

func (l *timeoutError) Error() string { return "no answer within " + goal.FormatDuration(l.after) }

// requestError says that the request itself cannot be made.
type requestError struct{ err error }

func (u *requestError) Error() string { return "the request cannot be made: " + u.err.Error() }

// contextCause says why ctx ended, if it did.
func contextCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// connectionFailure is a server that is not there: whoever wants an answer of it has
// not got one, so it is a failure and not an error.
func connectionFailure(ctx context.Context, err error) Result {
	var bad *requestError
	var slow *timeoutError
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return RetryableError(ctx.Err())
	case errors.As(err, &bad):
		return permanentError(err.Error())
	case errors.As(err, &slow):
		return NewResult(goal.Fail, slow.Error())
	case errors.As(err, &dns) && dns.IsTemporary:
		return RetryableError(fmt.Errorf("the name %s could not be looked up: %w", dns.Name, err))
	}
	return NewResult(goal.Fail, "no answer: "+err.Error())
}

func (a httpReply) verdict() goal.Verdict {
	whole := a.text()
	return attachEvidence(goal.Verdict{Took: a.took, TookMS: a.took.Milliseconds()},
		text.TruncateMiddle(whole, evidenceMax), int64(len(whole)))
}

// text is the answer as evidence: status, headers in order, body.
func (a httpReply) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		for _, value := range a.header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	b.WriteByte('\n')
	b.Write(a.body)
	return b.Bytes()
}

// json is the answer as a predicate sees it: status, headers by lower-case
// name, and body, which is the parsed JSON where it is JSON and else the text.
func (a httpReply) json() []byte {
	headers := map[string]string{}
	for name, values := range a.header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	var body any = strings.ToValidUTF8(string(a.body), "\uFFFD")
	if json.Valid(a.body) {
		body = json.RawMessage(a.body)
	}
	b, err := json.Marshal(map[string]any{"status": a.status, "headers": headers, "body": body})
	if err != nil { // none of the parts can fail: text, and JSON that was just found valid
		return []byte("null")
	}
	return b
}

func (a httpReply) redirect() string {
	if a.location == "" || a.status < 300 || a.status > 399 {
		return ""
	}
	return fmt.Sprintf(" (it leads to %s; redirects are not followed)", text.OneLine(a.location, 200))
}

func (a httpReply) truncationNote() string {
	if a.longer {
		return fmt.Sprintf(" (of which the first %d MiB were read)", bodyMax>>20)
	}
	return ""
}
