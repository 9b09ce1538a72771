package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

const (
	// requestTimeout bounds one request, with its answer.
	requestTimeout = 10 * time.Second
	// maxAttempts is how often a message is sent before it has failed.
	maxAttempts = 3
	// firstPause is the pause after the first attempt; each further one is five times as long.
	firstPause = 2 * time.Second
	// maxPause is the longest pause that a service may ask for.
	maxPause = 5 * time.Minute
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 1 << 10
)

// Clock is the source of time; tests replace it.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Sender sends messages. Its methods may be called concurrently.
type Sender struct {
	clock     Clock
	timeout   time.Duration
	encrypted http.Client
	plain     http.Client // reaches this computer and private networks only
}

// NewSender makes a sender.
func NewSender(c Clock) *Sender {
	near := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err != nil || ip == nil || !isNear(ip) {
			return errNotPrivate
		}
		return nil
	}}
	transport := func() *http.Transport { // connections are rare, so none is kept
		return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	}
	plain := transport()
	plain.Proxy, plain.DialContext = nil, near.DialContext
	return &Sender{
		clock: c, timeout: requestTimeout,
		encrypted: http.Client{Transport: transport(), CheckRedirect: sameHost},
		plain:     http.Client{Transport: plain, CheckRedirect: sameHost},
	}
}

// What no further attempt changes.
var (
	errRedirect   = errors.New("it redirects to another address")
	errNotPrivate = errors.New("an address without encryption must be of this computer or its private network")
)

// sameHost follows a redirect only on the same server, and only as the same request: another host would learn what is
// sent, and a GET would say nothing.
func sameHost(next *http.Request, earlier []*http.Request) error {
	first, maxRedirects := earlier[0], 3
	if next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme || next.Method != first.Method ||
		len(earlier) > maxRedirects {
		return errRedirect
	}
	next.Header.Del("Referer") // the address
	return nil
}

// Attempt is the outcome of one request.
type Attempt struct {
	Status  int // of the answer, 0 if there was none
	Elapsed time.Duration
	// Err is why the message did not arrive; nil if it did. It has no address.
	Err error

	canRetry bool
	pause    time.Duration // that the service asked for, 0 if it did not
}

// Send sends a message, and tries again if the service or the network has a problem. It returns the last outcome.
func (s *Sender) Send(ctx context.Context, t Target, m Message) Attempt {
	pause := firstPause
	for n := 1; ; n++ {
		a := s.Try(ctx, t, m)
		if a.Err == nil || !a.canRetry || n == maxAttempts {
			return a
		}
		if a.pause > maxPause {
			a.Err = unavailable(fmt.Sprintf("it wants no message for %s", a.pause.Round(time.Second)),
				"send less to it, or choose fewer events")
			return a
		}
		select {
		case <-s.clock.After(max(pause, a.pause)):
		case <-ctx.Done():
			return a
		}
		pause *= 5
	}
}

// Try sends a message once.
func (s *Sender) Try(ctx context.Context, t Target, m Message) Attempt {
	if err := t.Validate(); err != nil {
		return Attempt{Err: err}
	}
	address, body, err := t.encode(m)
	if err != nil {
		return Attempt{Err: err}
	}
	began := s.clock.Now()
	a := s.post(ctx, address, body)
	a.Elapsed = s.clock.Now().Sub(began)
	return a
}

func (s *Sender) post(ctx context.Context, address string, body []byte) Attempt {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Attempt{Err: fault.Invalid("url", "this is not the address of a webhook", "copy it again from the service")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "goalpost")
	client := &s.encrypted
	if req.URL.Scheme == "http" {
		client = &s.plain
	}
	answer, err := client.Do(req)
	if err != nil {
		isFinal := errors.Is(err, errRedirect) || errors.Is(err, errNotPrivate)
		return Attempt{Err: s.unreachable(ctx, err), canRetry: !isFinal}
	}
	defer func() { _ = answer.Body.Close() }()
	return s.judge(answer)
}

// unreachable describes why there was no answer. The error of the client has the address, and its cause does not.
func (s *Sender) unreachable(ctx context.Context, err error) error {
	var withAddress *url.Error
	if errors.As(err, &withAddress) {
		err = withAddress.Err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", s.timeout)
	}
	return unavailable(text.SanitizeLine(err.Error(), 200), "check the address and your connection")
}

// judge decides from an answer whether the message has arrived.
func (s *Sender) judge(answer *http.Response) Attempt {
	a := Attempt{Status: answer.StatusCode}
	if a.Status >= 200 && a.Status < 300 {
		return a
	}
	words := fmt.Sprintf("it answered %d %s", a.Status, http.StatusText(a.Status))
	if said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)); len(said) > 0 {
		words += ": " + text.SanitizeLine(string(said), 100)
	}
	hint := "check the address; the service may have removed it"
	a.canRetry = a.Status == http.StatusTooManyRequests || a.Status == http.StatusRequestTimeout || a.Status >= 500
	if a.canRetry {
		a.pause = s.retryAfter(answer.Header.Get("Retry-After"))
		hint = "the service has a problem, or receives too much; try a test later"
	}
	a.Err = unavailable(strings.TrimSpace(words), hint)
	return a
}

// retryAfter reads seconds or a date.
func (s *Sender) retryAfter(value string) time.Duration {
	if n, err := strconv.Atoi(value); err == nil {
		const day = 24 * 60 * 60
		return time.Duration(min(max(n, 0), day)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(s.clock.Now()), 0)
	}
	return 0
}

func unavailable(message, hint string) error {
	return &fault.Error{Code: fault.Unavailable, Message: message, Hint: hint}
}
