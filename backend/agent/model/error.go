package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Kind is the kind of failure of a turn.
type Kind string

// The kinds of failures.
const (
	Unreachable  Kind = "unreachable"  // no connection
	Silent       Kind = "silent"       // the server sent nothing for too long
	Untrusted    Kind = "untrusted"    // the server's certificate is not accepted
	Auth         Kind = "auth"         // the key is missing or wrong
	RateLimited  Kind = "rate_limited" // too many requests; RetryAfter may say how long
	Overloaded   Kind = "overloaded"   // an error of the server, 5xx
	Truncated    Kind = "truncated"    // the stream broke before its end
	InvalidReply Kind = "unreadable"   // the answer does not follow the protocol
	Refused      Kind = "refused"      // the provider refuses: content filter, no credit
	BadRequest   Kind = "bad_request"  // the provider rejects the form of the request
	// TooLong means that the conversation does not fit into the model's window; it matches goal.ErrContextTooLong.
	TooLong  Kind = "too_long"
	NoVision Kind = "blind" // the model does not accept images
	// Mistaken means that the model's answer is not a reply; it converts to *goal.ModelMistake.
	Mistaken Kind = "mistake"
)

// Error describes a failed turn. It never contains the API key.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 if there was none
	RetryAfter time.Duration // requested by the provider, 0 if not
	// ShouldRetry is the provider's decision about another attempt, nil if it made none.
	ShouldRetry *bool
	Message     string
	Hint        string // what to do
	Err         error  // the cause, nil if the provider sent the error
	// Attempt is the text that the model wrote, if Kind is Mistaken and the provider reported it.
	Attempt string
	// Usage is the usage of a Mistaken turn.
	Usage goal.Usage
	// AtLimit means that the model reached its output limit before it wrote any text or call.
	AtLimit bool

	cause cause // for the hint
}

func (e *Error) Error() string {
	s := strings.ReplaceAll(string(e.Kind), "_", " ") + ": " + e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// As converts to *fault.Error, for the hint, and to *goal.ModelMistake, for packages that only know goal's errors.
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

// Is matches goal's errors, for packages that do not know this one: a conversation that is too long, pictures for a
// model that accepts none, and a request that the provider rejected for an unknown reason.
func (e *Error) Is(target error) bool {
	switch target {
	case goal.ErrContextTooLong:
		return e.Kind == TooLong
	case goal.ErrNoVision:
		return e.Kind == NoVision
	case goal.ErrRequestRefused:
		return e.Kind == BadRequest && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
	}
	return false
}

// AsError finds the Error in err's chain.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// statusError returns the error for an HTTP answer other than 200.
func statusError(resp *http.Response, body []byte, now time.Time) *Error {
	c := parseErrorBody(body)
	if c.Message == "" {
		c.Message = http.StatusText(resp.StatusCode)
	}
	kind, why := classify(resp.StatusCode, c)
	e := &Error{
		Kind:        kind,
		Status:      resp.StatusCode,
		RetryAfter:  retryAfter(resp.Header, c, kind, now),
		ShouldRetry: shouldRetry(resp.Header),
		Message:     fmt.Sprintf("HTTP %d: %s", resp.StatusCode, text.SanitizeLine(c.Message, maxMessage)),
		Attempt:     text.Truncate(replaceUnstorable(c.FailedGeneration), maxAttempt),
		cause:       why,
	}
	if target := redirectTarget(resp); target != "" {
		e.Message = fmt.Sprintf("HTTP %d: the server redirects to %s", resp.StatusCode, target)
		e.Hint = "use the new address as the base URL"
	}
	return e
}

// redirectTarget returns the address to which a response redirects, without secrets; "" if it does not.
func redirectTarget(resp *http.Response) string {
	if resp.StatusCode/100 != 3 {
		return ""
	}
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return text.SanitizeLine(u.String(), maxMessage)
}

// streamErrorEvent returns the error that a server sent in its stream. If its code is a number, that is an HTTP status.
func streamErrorEvent(raw json.RawMessage) *Error {
	c := parseAPIError(raw)
	status := c.status()
	kind, why := classify(status, c)
	return &Error{
		Kind:       kind,
		Status:     status,
		RetryAfter: retryAfter(nil, c, kind, time.Now()),
		Message:    "the server ended the reply with an error: " + text.SanitizeLine(c.Message, maxMessage),
		Attempt:    text.Truncate(replaceUnstorable(c.FailedGeneration), maxAttempt),
		cause:      why,
	}
}

// maxAttempt limits the text of a failed call that is shown, in characters.
const maxAttempt = 2000

// maxMessage is how much of a provider's message is shown, in bytes: 400 characters of any script.
const maxMessage = 1200
