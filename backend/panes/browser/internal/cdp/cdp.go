// Package cdp speaks the DevTools protocol with one Chromium over its pipe: commands with their
// answers, events in order, and the frames of screencasts, which are filtered out before anything
// parses them.
package cdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/cdp"

	"goalpost/backend/lib/fault"
)

// Event is an event of Chromium.
type Event = cdp.Event

// Error is Chromium's refusal of a command.
type Error = cdp.Error

// The causes that end calls in this package. NewCause creates more.
var (
	// ErrEnded means that Chromium ended.
	ErrEnded = NewCause("the browser ended: reload the page to start it again")
	// ErrClosed means that the pane or the manager was closed.
	ErrClosed = FaultCause(fault.New(fault.Closed, "the browser pane is closed", "open another one"))
	// ErrTimeout means that the page did not answer in time.
	ErrTimeout = NewCause("no answer in time")
)

// callCause is an error of NewCause.
type callCause struct {
	text  string
	kind  error        // what it is besides; nil for nothing
	fault *fault.Error // nil if users need no more than the text
}

func (c *callCause) Error() string { return c.text }

func (c *callCause) Unwrap() error { return c.kind }

// As lets fault.Of find the code of a cause.
func (c *callCause) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok = ok && c.fault != nil; ok {
		*f = c.fault
	}
	return ok
}

// NewCause creates an error for canceling contexts. A call that ends because of it returns it
// instead of its own error.
func NewCause(text string) error { return &callCause{text: text} }

// KindCause is NewCause for an error that is also another one for errors.Is.
func KindCause(text string, kind error) error { return &callCause{text: text, kind: kind} }

// FaultCause is NewCause for an error that users see.
func FaultCause(f *fault.Error) error { return &callCause{text: f.Message, fault: f} }

// Cause returns why ctx ended: an error of NewCause, or the caller's own; nil if it has not ended.
func Cause(ctx context.Context) error {
	err := context.Cause(ctx)
	var cause *callCause
	if errors.As(err, &cause) {
		return cause
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("given up: %w", err)
}
