package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"goalpost/backend/goal"
)

// bodyMax is how much of an answer is read, in bytes.
const bodyMax = 4 << 20

// answer is what a server said.
type answer struct {
	status   int
	header   http.Header
	body     []byte
	longer   bool // there was more than bodyMax
	took     time.Duration
	location string
}

// http asks a server, from inside the goal's network. A redirect is an answer
// like any other: it is not followed, since it may lead anywhere.
func (h Host) http(ctx context.Context, c check) ruling {
	a, err := h.fetch(ctx, c)
	if err != nil {
		return unanswered(ctx, err)
	}
	v := ruling{Verdict: a.verdict()}
	switch {
	case a.status != c.WantStatus():
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("it answers %d, wanted %d%s", a.status, c.WantStatus(), a.redirect())
		v.Tail = brief(string(a.body), 1000)
	case c.BodyContains != "" && !bytes.Contains(a.body, []byte(c.BodyContains)):
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("it answers %d, and %q is not in its body%s", a.status, c.BodyContains, a.partly())
		v.Tail = brief(string(a.body), 1000)
	case c.Predicate != "":
		r := h.evaluate(ctx, c.Predicate, a.json())
		v.Outcome, v.again = r.Outcome, r.again
		v.Detail = fmt.Sprintf("it answers %d, and %s", a.status, r.Detail)
	default:
		v.Outcome, v.Detail = goal.Pass, fmt.Sprintf("it answers %d", a.status)
	}
	return v
}

func (h Host) fetch(ctx context.Context, c check) (a answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout(), &late{c.Timeout()})
	defer cancel()
	method := c.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL, nil)
	if err != nil {
		return a, &unaskable{err}
	}
	request.Header.Set("User-Agent", "goalpost-check")
	request.Header.Set("Accept", "*/*")
	transport := &http.Transport{ // no proxy of the environment, and nothing stays open
		DialContext: h.Dial, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: c.Timeout(), MaxResponseHeaderBytes: 1 << 20,
	}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	from := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return a, cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	a = answer{status: response.StatusCode, header: response.Header, location: response.Header.Get("Location")}
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, bodyMax+1)); err != nil {
		return a, cause(ctx, fmt.Errorf("it answers %d, and then: %w", a.status, err))
	}
	if len(a.body) > bodyMax {
		a.body, a.longer = a.body[:bodyMax], true
	}
	a.took = time.Since(from)
	return a, nil
}

// late says that a server took longer than the check allows.
type late struct{ after time.Duration }

func (l *late) Error() string { return "no answer within " + goal.FormatDuration(l.after) }

// unaskable says that the request itself cannot be made.
type unaskable struct{ err error }

func (u *unaskable) Error() string { return "the request cannot be made: " + u.err.Error() }

// cause says why ctx ended, if it did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// unanswered is a server that is not there: whoever wants an answer of it has
// not got one, so it is a failure and not an error.
func unanswered(ctx context.Context, err error) ruling {
	var bad *unaskable
	var slow *late
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return undecided(ctx.Err())
	case errors.As(err, &bad):
		return undecidable(err.Error())
	case errors.As(err, &slow):
		return rule(goal.Fail, slow.Error())
	case errors.As(err, &dns) && dns.IsTemporary:
		return undecided(fmt.Errorf("the name %s could not be looked up: %w", dns.Name, err))
	}
	return rule(goal.Fail, "no answer: "+err.Error())
}

func (a answer) verdict() goal.Verdict {
	whole := a.text()
	return keep(goal.Verdict{Took: a.took, TookMS: a.took.Milliseconds()}, cut(whole, evidenceMax), int64(len(whole)))
}

// text is the answer as evidence: status, headers in order, body.
func (a answer) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	names := make([]string, 0, len(a.header))
	for name := range a.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
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
func (a answer) json() []byte {
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

func (a answer) redirect() string {
	if a.location == "" || a.status < 300 || a.status > 399 {
		return ""
	}
	return fmt.Sprintf(" (it leads to %s; redirects are not followed)", brief(a.location, 200))
}

func (a answer) partly() string {
	if a.longer {
		return fmt.Sprintf(" (of which the first %d MiB were read)", bodyMax>>20)
	}
	return ""
}
