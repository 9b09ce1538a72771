package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/text"
)

// Kind says what went wrong in a turn.
type Kind string

// The kinds.
const (
	Unreachable  Kind = "unreachable"  // no connection, or no answer in time
	Auth         Kind = "auth"         // the key is missing or wrong
	RateLimited  Kind = "rate_limited" // too many requests; RetryAfter may say how long
	Overloaded   Kind = "overloaded"   // an error of the server, 5xx
	Truncated    Kind = "truncated"    // the stream broke before its end
	InvalidReply Kind = "garbage"      // the answer does not follow the protocol
	Refused      Kind = "refused"      // the provider refuses: content filter, no credit
	BadRequest   Kind = "bad_request"  // the provider does not accept what was sent
	// the conversation does not fit into the model's window; errors.Is goal.ErrContextTooLong
	TooLong  Kind = "too_long"
	NoVision Kind = "blind" // the model takes no images
)

// Error is a failed turn. It never contains the API key.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 if there was none
	RetryAfter time.Duration // requested by the provider, 0 if not
	Message    string
	Hint       string // what to do
	Err        error  // the cause, nil if the provider sent the error
}

func (e *Error) Error() string {
	s := strings.ReplaceAll(string(e.Kind), "_", " ") + ": " + e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// As lets fault.Of find the hint.
func (e *Error) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = &fault.Error{Code: fault.Unavailable, Field: "provider", Message: e.Message, Hint: e.Hint}
	}
	return ok
}

// Is lets packages that only know goal's errors recognize a conversation that is too long.
func (e *Error) Is(target error) bool { return target == goal.ErrContextTooLong && e.Kind == TooLong }

// Retryable reports whether the same turn may work later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Unreachable, RateLimited, Overloaded, Truncated:
		return true
	case Auth, InvalidReply, Refused, BadRequest, TooLong, NoVision:
	}
	return false
}

// AsError finds the Error in err's chain.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// apiError is the error object of the protocol: an object, or only a string.
type apiError struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"` // string or number
}

func parseAPIError(raw json.RawMessage) apiError {
	var c apiError
	if json.Unmarshal(raw, &c) == nil {
		return c
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return apiError{Message: s}
	}
	return apiError{Message: truncateMessage(string(raw))}
}

// codeWord is the machine-readable part, in lower case.
func (c apiError) codeWord() string {
	return strings.ToLower(strings.Trim(string(c.Code), `"`) + " " + c.Type)
}

// tooLong recognizes a conversation that does not fit. Every server has its own message, some with a misleading
// status: a request that is larger than all the tokens of a minute gets 429 and never fits by waiting.
func (c apiError) tooLong(status int) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	said := c.codeWord() + " " + strings.ToLower(c.Message)
	return slices.ContainsFunc([]string{
		"context_length", "context length", "context window", "context size", "context limit", "exceed_context",
		"prompt is too long", "prompt too long", "input is too long", "request too large", "request_too_large",
		"input token count", "reduce the length of",
	}, func(words string) bool { return strings.Contains(said, words) })
}

// statusError is the error of an HTTP answer that is not 200.
func statusError(resp *http.Response, body []byte, now time.Time) *Error {
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	c := apiError{}
	if json.Unmarshal(body, &envelope) == nil {
		switch {
		case len(envelope.Error) > 0:
			c = parseAPIError(envelope.Error)
		case envelope.Message != "":
			c.Message = envelope.Message
		case len(envelope.Detail) > 0:
			c = parseAPIError(envelope.Detail)
		}
	}
	if c.Message == "" {
		c.Message = http.StatusText(resp.StatusCode)
	}
	return &Error{
		Kind:       classifyStatus(resp.StatusCode, c),
		Status:     resp.StatusCode,
		RetryAfter: retryAfter(resp.Header, now),
		Message:    fmt.Sprintf("the server answered %d: %s", resp.StatusCode, truncateMessage(c.Message)),
	}
}

// classifyStatus classifies an answer by its status, and an error inside a stream (status 0) by its text.
func classifyStatus(status int, c apiError) Kind {
	word := c.codeWord()
	switch {
	case strings.Contains(word, "insufficient_quota"), status == http.StatusPaymentRequired:
		return Refused
	case strings.Contains(word, "content_filter"), strings.Contains(word, "billing"),
		strings.Contains(strings.ToLower(c.Message), "credit balance"):
		return Refused
	case c.tooLong(status):
		return TooLong
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == 0 &&
		(strings.Contains(word, "authentication") || strings.Contains(word, "permission")):
		return Auth
	case status == http.StatusTooManyRequests, strings.Contains(word, "rate_limit"), strings.HasPrefix(word, "429"):
		return RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		return Overloaded
	case status != 0:
		return BadRequest
	case strings.Contains(word, "invalid"), strings.HasPrefix(word, "400"):
		return BadRequest
	}
	return Overloaded
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

// truncateMessage makes a provider's message one short line.
func truncateMessage(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return text.Truncate(s, 400)
}
