package model

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
)

// Silence limits how long a server may send nothing. A reply that streams has no limit. 0 is no limit.
type Silence struct {
	Start   time.Duration // before a reply begins: the server reads the conversation, or loads the model
	Between time.Duration // between two parts of a reply
}

// DefaultSilence returns the limits for servers that the user did not set others for.
func DefaultSilence() Silence { return Silence{Start: 5 * time.Minute, Between: 2 * time.Minute} }

// maxKeepAlive is how long comments alone keep a reply alive: a server that sends nothing but those is not answering.
const maxKeepAlive = 30 * time.Minute

// silenceWatch cancels a request whose server is silent for too long. It also wraps the body of the response, whose
// reader must close it.
type silenceWatch struct {
	io.ReadCloser
	limits Silence
	clock  Clock
	ctx    context.Context //nolint:containedctx // of the one request that it watches
	cancel context.CancelCauseFunc
	first  chan struct{} // closed when the reply begins
	ended  chan struct{}

	mu        sync.Mutex
	heard     time.Time // when the last bytes came
	data      time.Time // when the last bytes came that were no comments
	begun     bool      // data has come
	inLine    bool
	inComment bool
}

// watchSilence returns a context for a request, and its watch.
func (b *baseClient) watchSilence(ctx context.Context) (context.Context, *silenceWatch) {
	ctx, cancel := context.WithCancelCause(ctx)
	now := b.o.Clock.Now()
	w := &silenceWatch{
		limits: b.o.Silence, clock: b.o.Clock, heard: now, data: now,
		ctx: ctx, cancel: cancel, first: make(chan struct{}), ended: make(chan struct{}),
	}
	if w.limits == (Silence{}) {
		close(w.ended)
		return ctx, w
	}
	go w.run()
	return ctx, w
}

// run cancels the request when the server is silent for too long.
func (sw *silenceWatch) run() {
	defer close(sw.ended)
	first := sw.first
	for {
		left, limited, err := sw.timeLeft()
		if limited && left <= 0 {
			sw.cancel(err)
			return
		}
		var timeout <-chan time.Time
		if limited {
			timeout = sw.clock.After(left)
		}
		select {
		case <-sw.ctx.Done():
			return
		case <-first: // another limit applies
			first = nil
		case <-timeout:
		}
	}
}

// timeLeft returns how long the server may still be silent, and the error for then.
func (sw *silenceWatch) timeLeft() (left time.Duration, limited bool, err error) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	limit, when := sw.limits.Start, "nothing"
	if sw.begun {
		limit, when = sw.limits.Between, "nothing more"
	}
	now := sw.clock.Now()
	left, limited = limit-now.Sub(sw.heard), limit > 0
	if alive := max(maxKeepAlive, limit) - now.Sub(sw.data); alive < left {
		left, limit = alive, max(maxKeepAlive, limit)
	}
	return left, limited, &Error{
		Kind:    Silent,
		Message: fmt.Sprintf("the model sent %s for %s", when, goal.FormatDuration(limit)),
		Hint: "if the model is slow, allow it more in the settings (Model silence) or choose a smaller one; otherwise look " +
			"at its server",
	}
}

// Read notes when bytes came.
func (sw *silenceWatch) Read(p []byte) (int, error) {
	n, err := sw.ReadCloser.Read(p)
	sw.note(p[:n])
	if silent, ok := AsError(context.Cause(sw.ctx)); err != nil && ok {
		return n, silent
	}
	return n, err //nolint:wrapcheck // the caller wraps it
}

// note notes bytes that came. Only comments and line ends are not data.
func (sw *silenceWatch) note(p []byte) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if len(p) > 0 {
		sw.heard = sw.clock.Now()
	}
	for _, c := range p {
		switch {
		case c == '\n' || c == '\r':
			sw.inLine = false
		case !sw.inLine:
			sw.inLine, sw.inComment = true, c == ':'
		}
		if sw.inLine && !sw.inComment {
			if !sw.begun {
				close(sw.first)
			}
			sw.begun, sw.data = true, sw.heard
		}
	}
}

// Close ends the request and its watch.
func (sw *silenceWatch) Close() error {
	err := sw.ReadCloser.Close()
	sw.end()
	return err //nolint:wrapcheck // the caller wraps it
}

// end ends the watch of a request that is over.
func (sw *silenceWatch) end() {
	sw.cancel(nil)
	<-sw.ended
}
