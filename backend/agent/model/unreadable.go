package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// protocolError returns the error for an event or an answer that violates the protocol. Its message is for users, who
// cannot know Go's types; the decoder's error is only its cause.
func protocolError(event []byte, err error) error {
	if isOllamaEvent(event) {
		return ollamaError(err)
	}
	why := "a part of it is not JSON"
	var field *json.UnmarshalTypeError
	switch {
	case errors.As(err, &field) && field.Field != "":
		why = fmt.Sprintf("its field %q has an unknown form", text.SanitizeLine(field.Field, maxMessage))
	case errors.As(err, &field):
		why = "a part of it has an unknown form"
	}
	return &Error{Kind: InvalidReply, Message: "the answer cannot be read: " + why, Err: err}
}

func ollamaError(err error) error {
	return &Error{
		Kind:    InvalidReply,
		Message: "the answer is in another protocol, Ollama's own",
		Err:     err,
		cause:   nativeOllama,
	}
}

// isOllamaEvent reports whether a piece of an answer has the form of Ollama's own protocol.
func isOllamaEvent(data []byte) bool {
	var event struct {
		Model string          `json:"model"`
		Done  *bool           `json:"done"`
		Other json.RawMessage `json:"choices"`
	}
	return json.Unmarshal(data, &event) == nil && event.Done != nil && event.Model != "" && event.Other == nil
}

// connectionError returns the error for a request without an answer.
func connectionError(err error, now time.Time) *Error {
	if e := certificateError(err, now); e != nil {
		return e
	}
	e := &Error{Kind: Unreachable, Message: innermostCause(err), Err: err}
	var dns *net.DNSError
	switch message := err.Error(); {
	case errors.As(err, &dns):
		e.Message = fmt.Sprintf("the address of %s was not found: %s", text.SanitizeLine(dns.Name, maxMessage), dns.Err)
	case strings.Contains(message, "malformed HTTP"):
		e.Kind, e.Message = InvalidReply, "the server does not answer in HTTP"
	case strings.Contains(message, "server gave HTTP response to HTTPS client"):
		e.Kind, e.Message, e.Hint = InvalidReply, "the server does not use TLS", "begin the base URL with http://"
		e.cause = noTLS
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the server closed the connection before it answered"
	}
	return e
}

// innermostCause returns the innermost cause of a network error, which has no URL and no query.
func innermostCause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return text.SanitizeLine(err.Error(), maxMessage)
}
