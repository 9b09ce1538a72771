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

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// maxBodyBytes limits how much of a response body is read, in bytes.
const maxBodyBytes = 4 << 20

// DialFunc connects to an address (host:port) as the goal's own programs would.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// httpReply is a server's response.
type httpReply struct {
	status      int
	header      http.Header
	body        []byte
	isTruncated bool // there was more than maxBodyBytes
	took        time.Duration
	location    string
}

// checkHTTP sends a request from the goal's network. It follows no redirect, because it may lead anywhere: a
// redirect is a response like any other.
func (e Environment) checkHTTP(ctx context.Context, c Item) Result {
	a, err := e.fetch(ctx, c)
	if err != nil {
		return connectionFailure(ctx, err)
	}
	v := Result{Verdict: a.verdict()}
	switch {
	case a.status != c.WantStatus():
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("it answered %d, expected %d%s", a.status, c.WantStatus(), a.redirect())
		v.Tail = text.SanitizeLine(string(a.body), 1000)
	case c.BodyContains != "" && !bytes.Contains(a.body, []byte(c.BodyContains)):
		v.Outcome, v.Detail = goal.Fail,
			fmt.Sprintf("it answers %d, and %q is not in its body%s", a.status, c.BodyContains, a.truncationNote())
		v.Tail = text.SanitizeLine(string(a.body), 1000)
	case c.Predicate != "":
		r := e.evaluate(ctx, c.Predicate, a.json())
		v.Outcome, v.Retryable = r.Outcome, r.Retryable
		v.Detail = fmt.Sprintf("it answers %d, and %s", a.status, r.Detail)
	default:
		v.Outcome, v.Detail = goal.Pass, fmt.Sprintf("it answers %d", a.status)
	}
	return v
}

func (e Environment) fetch(ctx context.Context, c Item) (a httpReply, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout(), &timeoutError{c.Timeout()})
	defer cancel()
	method := c.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := curlRequest(ctx, method, c.URL)
	if err != nil {
		return a, err
	}
	encrypted := &http.Transport{ // no proxy from the environment
		DialContext: e.Dial, DisableCompression: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: c.Timeout(), MaxResponseHeaderBytes: maxHeaderBytes,
	}
	defer encrypted.CloseIdleConnections()
	client := http.Client{
		Transport:     encrypted,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if curl := (curlTransport{e.Dial}); curl.canSend(request.URL) {
		client.Transport = curl
	}
	from := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return a, contextCause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	a = httpReply{status: response.StatusCode, header: response.Header, location: response.Header.Get("Location")}
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, maxBodyBytes+1)); err != nil {
		return a, contextCause(ctx, fmt.Errorf("it answers %d, but reading the body failed: %w", a.status, err))
	}
	if len(a.body) > maxBodyBytes {
		a.body, a.isTruncated = a.body[:maxBodyBytes], true
	}
	a.took = time.Since(from)
	return a, nil
}

// timeoutError says that a server took longer to answer than the check allows.
type timeoutError struct{ after time.Duration }

func (t *timeoutError) Error() string { return "no answer within " + goal.FormatDuration(t.after) }

// requestError says that the request is invalid.
type requestError struct{ err error }

func (r *requestError) Error() string { return "the request cannot be made: " + r.err.Error() }

// contextCause returns why ctx ended, or err if it did not.
func contextCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// connectionFailure returns the verdict when a server did not answer: the check expects an answer, so it fails and
// is not an error.
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

func (h httpReply) verdict() goal.Verdict {
	content := h.text()
	return attachEvidence(goal.Verdict{Took: h.took, TookMS: h.took.Milliseconds()},
		text.TruncateMiddle(content, maxEvidenceBytes), int64(len(content)))
}

// text formats the response as evidence: status, sorted headers, body.
func (h httpReply) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", h.status, http.StatusText(h.status))
	for _, name := range slices.Sorted(maps.Keys(h.header)) {
		for _, value := range h.header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	b.WriteByte('\n')
	b.Write(h.body)
	return b.Bytes()
}

// json returns the response in the form that a predicate sees: status, headers by lower-case name, and body. The body
// is the parsed JSON if it is JSON, otherwise the text.
func (h httpReply) json() []byte {
	headers := map[string]string{}
	for name, values := range h.header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	var body any = text.ToUTF8(string(h.body))
	if json.Valid(h.body) {
		body = json.RawMessage(h.body)
	}
	b, err := json.Marshal(map[string]any{"status": h.status, "headers": headers, "body": body})
	if err != nil { // cannot happen: all parts are text or JSON that was just found valid
		return []byte("null")
	}
	return b
}

func (h httpReply) redirect() string {
	if h.location == "" || h.status < 300 || h.status > 399 {
		return ""
	}
	return fmt.Sprintf(" (it leads to %s; redirects are not followed)", text.SanitizeLine(h.location, 200))
}

func (h httpReply) truncationNote() string {
	if h.isTruncated {
		return fmt.Sprintf(" (of which the first %d MiB were read)", maxBodyBytes>>20)
	}
	return ""
}
