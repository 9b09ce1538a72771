// Package cdp speaks the DevTools protocol with one Chromium over its pipe:
// commands with their answers, events in order, and the frames of screencasts,
// which are taken out before anything parses them.
package cdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/cdp"

	"goalpost/backend/fault"
)

// Event is what Chromium reports by itself.
type Event = cdp.Event

// Error is why Chromium did not carry out a command.
type Error = cdp.Error

// The causes that end calls in this package. More are made with NewCause.
var (
	// ErrEnded says that Chromium ended.
	ErrEnded = NewCause("the browser ended: reload the page to start it again")
	// ErrClosed says that the pane or the manager was closed.
	ErrClosed = NewCause("the browser pane is closed")
	// ErrTimeout says that the page did not answer in time.
	ErrTimeout = NewCause("no answer in time")
)

// callCause is an error of NewCause.
type callCause struct {
	text  string
	fault *fault.Error // nil if users need no more than the text
}

func (c *callCause) Error() string { return c.text }

// As lets fault.Of find the code of a cause.
func (c *callCause) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok = ok && c.fault != nil; ok {
		*f = c.fault
	}
	return ok
}

// NewCause makes an error for canceling contexts. A call that is cut off by it
// returns it instead of how the call failed.
func NewCause(text string) error { return &callCause{text: text} }

// FaultCause is NewCause for an error that users see.
func FaultCause(f *fault.Error) error { return &callCause{text: f.Message, fault: f} }

// Cause is why ctx ended: an error of NewCause, or the caller's own; nil while it has not.
func Cause(ctx context.Context) error {
	err := context.Cause(ctx)
	var known *callCause
	if errors.As(err, &known) {
		return known
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("given up: %w", err)
}
