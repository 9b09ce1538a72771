package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind says what went wrong in a turn.
type Kind string

// The kinds.
const (
	Unreachable Kind = "unreachable"  // no connection, or no answer in time
	Auth        Kind = "auth"         // the key is missing or wrong
	RateLimited Kind = "rate_limited" // too many requests; RetryAfter may say how long
	Overloaded  Kind = "overloaded"   // the server's own fault, 5xx
	Truncated   Kind = "truncated"    // the stream broke before its end
	Garbage     Kind = "garbage"      // the answer does not follow the protocol
	Refused     Kind = "refused"      // the provider does not want to: content filter, no credit
	BadRequest  Kind = "bad_request"  // the provider does not accept what was sent
)

// Error is a turn that failed. It never holds the API key.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 if there was none
	RetryAfter time.Duration // what the provider asked for, 0 if nothing
	Message    string
	Hint       string // what to do
	Err        error  // the cause, nil if the provider said it
}

func (e *Error) Error() string {
	s := strings.ReplaceAll(string(e.Kind), "_", " ") + ": " + e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether the same turn may work later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Unreachable, RateLimited, Overloaded, Truncated:
		return true
	case Auth, Garbage, Refused, BadRequest:
	}
	return false
}

// AsError finds the Error in err's chain.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// complaint is the error object of the protocol: an object, or only a string.
type complaint struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"` // string or number
}

func parseComplaint(raw json.RawMessage) complaint {
	var c complaint
	if json.Unmarshal(raw, &c) == nil {
		return c
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return complaint{Message: s}
	}
	return complaint{Message: clip(string(raw))}
}

// codeWord is the machine-readable part, in lower case.
func (c complaint) codeWord() string {
	return strings.ToLower(strings.Trim(string(c.Code), `"`) + " " + c.Type)
}

// statusError is the error of an HTTP answer that is not 200.
func statusError(resp *http.Response, body []byte, o Options) *Error {
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	c := complaint{}
	if json.Unmarshal(body, &envelope) == nil {
		switch {
		case len(envelope.Error) > 0:
			c = parseComplaint(envelope.Error)
		case envelope.Message != "":
			c.Message = envelope.Message
		case len(envelope.Detail) > 0:
			c = parseComplaint(envelope.Detail)
		}
	}
	if c.Message == "" {
		c.Message = http.StatusText(resp.StatusCode)
	}
	e := &Error{
		Kind:       kindOf(resp.StatusCode, c),
		Status:     resp.StatusCode,
		RetryAfter: retryAfter(resp.Header, time.Now()),
		Message:    fmt.Sprintf("the server answered %d: %s", resp.StatusCode, clip(c.Message)),
	}
	e.Hint = o.hint(e.Kind, resp.StatusCode)
	return e
}

// kindOf sorts an answer by its status, and a complaint inside a stream
// (status 0) by its words.
func kindOf(status int, c complaint) Kind {
	word := c.codeWord()
	switch {
	case strings.Contains(word, "insufficient_quota"), status == http.StatusPaymentRequired:
		return Refused
	case strings.Contains(word, "content_filter"):
		return Refused
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Auth
	case status == http.StatusTooManyRequests, strings.Contains(word, "rate_limit"), strings.HasPrefix(word, "429"):
		return RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		return Overloaded
	case status != 0:
		return BadRequest
	case strings.Contains(word, "invalid"), strings.Contains(word, "context_length"), strings.HasPrefix(word, "400"):
		return BadRequest
	}
	return Overloaded
}

// hint says what the person can do about a fault.
func (o Options) hint(k Kind, status int) string {
	switch k {
	case Unreachable:
		return "is the server running at " + o.address() + "?"
	case Auth:
		if o.KeyName == "" {
			return "give the provider the name of the environment variable that holds its key"
		}
		if o.APIKey == "" {
			return "set " + o.KeyName
		}
		return "check the key in " + o.KeyName
	case RateLimited, Overloaded:
		return "it is tried again; otherwise wait or choose another provider"
	case Truncated:
		return "it is tried again"
	case Garbage:
		return "does " + o.address() + " speak the OpenAI protocol? The base URL usually ends with /v1"
	case Refused:
		return "check the credit and the rules of the provider's account"
	case BadRequest:
		if status == http.StatusNotFound {
			return "check the model's name and the base URL, which usually ends with /v1"
		}
		return "check the model's name, and that it can call tools"
	}
	return ""
}

// retryAfter reads Retry-After-Ms and Retry-After (seconds or a date), at most a day.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	bounded := func(v float64, unit time.Duration) time.Duration {
		if !(v > 0) { // also NaN
			return 0
		}
		if v > float64(most/unit) {
			return most
		}
		return time.Duration(v * float64(unit))
	}
	if v, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(v, time.Millisecond)
	}
	s := h.Get("Retry-After")
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return bounded(v, time.Second)
	}
	if t, err := http.ParseTime(s); err == nil {
		return min(max(t.Sub(now), 0), most)
	}
	return 0
}

// clip keeps a provider's words short and on one line.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	const most = 400
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
