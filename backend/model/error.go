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
	// the model answered with something that is not a reply; errors.As *goal.ModelMistake
	Mistaken Kind = "mistake"
)

// Error is a failed turn. It never contains the API key.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 if there was none
	RetryAfter time.Duration // requested by the provider, 0 if not
	Message    string
	Hint       string // what to do
	Err        error  // the cause, nil if the provider sent the error
	// Attempt is what the model wrote, if Kind is Mistaken and the provider reported it.
	Attempt string
	// Usage is what a Mistaken turn cost.
	Usage goal.Usage
	// AtLimit means that the model used up its output before it said anything.
	AtLimit bool
}

func (e *Error) Error() string {
	s := strings.ReplaceAll(string(e.Kind), "_", " ") + ": " + e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// As lets fault.Of find the hint, and packages that only know goal's errors a mistake of the model.
func (e *Error) As(target any) bool {
	switch target := target.(type) {
	case **fault.Error:
		*target = &fault.Error{
			Code:    fault.Unavailable,
			Field:   "provider",
			Message: e.Message,
			Hint:    e.Hint,
		}
		return true
	case **goal.ModelMistake:
		if e.Kind == Mistaken {
			*target = &goal.ModelMistake{
				What:    e.Message,
				Attempt: e.Attempt,
				Usage:   e.Usage,
			}
			return true
		}
	}
	return false
}

// Is lets packages that only know goal's errors recognize a conversation that is too long, and one that the provider
// refused for a reason that is not known.
func (e *Error) Is(target error) bool {
	switch target {
	case goal.ErrContextTooLong:
		return e.Kind == TooLong
	case goal.ErrRequestRefused:
		return e.Kind == BadRequest && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
	}
	return false
}

// Retryable reports whether the same turn may work later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Unreachable, RateLimited, Overloaded, Truncated:
		return true
	case Auth, InvalidReply, Refused, BadRequest, TooLong, NoVision, Mistaken:
	}
	return false
}

// AsError finds the Error in err's chain.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// statusError is the error of an HTTP answer that is not 200.
func statusError(resp *http.Response, body []byte, now time.Time) *Error {
	c := parseErrorBody(body)
	if c.Message == "" {
		c.Message = http.StatusText(resp.StatusCode)
	}
	e := &Error{
		Kind:       classifyStatus(resp.StatusCode, c),
		Status:     resp.StatusCode,
		RetryAfter: max(retryAfter(resp.Header, now), c.retryDelay()),
		Message:    fmt.Sprintf("the server answered %d: %s", resp.StatusCode, truncateMessage(c.Message)),
		Attempt:    text.Truncate(sanitizeText(c.FailedGeneration), maxAttempt),
	}
	if target := redirectTarget(resp); target != "" {
		e.Message = fmt.Sprintf("the server answered %d: it redirects to %s", resp.StatusCode, target)
		e.Hint = "write the new address as the base URL"
	}
	return e
}

// redirectTarget is where a response redirects, without anything secret; "" if it does not.
func redirectTarget(resp *http.Response) string {
	if resp.StatusCode/100 != 3 {
		return ""
	}
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return truncateMessage(u.String())
}

// streamErrorEvent is an error that the server put into its stream. A number as its code is an HTTP status.
func streamErrorEvent(raw json.RawMessage) *Error {
	c := parseAPIError(raw)
	status := c.status()
	return &Error{
		Kind:       classifyStatus(status, c),
		Status:     status,
		RetryAfter: c.retryDelay(),
		Message:    "the server broke off: " + truncateMessage(c.Message),
		Attempt:    text.Truncate(sanitizeText(c.FailedGeneration), maxAttempt),
	}
}

// classifyStatus classifies an answer by its status, and an error inside a stream without a status (0) by its text.
func classifyStatus(status int, c apiError) Kind {
	word, said := c.codeWord(), strings.ToLower(c.Message)
	says := func(words ...string) bool { return containsAny(said, words...) }
	switch {
	case status == http.StatusPaymentRequired, says("insufficient balance"),
		containsAny(word, "insufficient_quota", "exceeded_current_quota", "arrearage"):
		return Refused // Moonshot and Z.ai say so with 429, which does not end by waiting
	case containsAny(word, "content_filter", "billing", "moderation"), says("credit balance"):
		return Refused
	case containsAny(word, "tool_use_failed"):
		return Mistaken
	case c.isTooLong(status):
		return TooLong
	case status == http.StatusForbidden && says("region", "country", "location", "moderation", "flagged"):
		return Refused
	case status == http.StatusUnauthorized, status == http.StatusForbidden, containsAny(word, "api_key_invalid"),
		status == 0 && containsAny(word, "authentication", "permission"):
		return Auth
	case status == http.StatusTooManyRequests, containsAny(word, "rate_limit"), strings.HasPrefix(word, "429"):
		return RateLimited
	case says("tools param requires", "does not support tools", "must alternate", "parse grammar"):
		return BadRequest // llama.cpp says that with status 500
	case isTransient(status):
		return Overloaded
	case status != 0:
		return BadRequest
	case containsAny(word, "invalid", "not_found"):
		return BadRequest
	}
	return Overloaded
}

// isTransient reports whether an answer with a status may be another one later.
func isTransient(status int) bool {
	const groqCapacity = 498
	return status >= http.StatusInternalServerError || slices.Contains(
		[]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, groqCapacity}, status)
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

// maxAttempt is how much of a failed call is shown, in bytes.
const maxAttempt = 2000

// truncateMessage makes a provider's message one short line.
func truncateMessage(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return text.Truncate(s, 400)
}
