package stream

import (
	"context"
	"fmt"
	"sync"
)

// Connections are sockets taken over from net/http, which no longer tracks them. They end in two steps: Soft asks them
// to close, Hard cuts off those that do not. All methods may be called concurrently.
type Connections struct {
	Soft context.Context // ends when Close begins
	Hard context.Context // ends when Close has waited long enough

	endSoft, endHard context.CancelFunc

	mu     sync.Mutex
	closed bool
	open   sync.WaitGroup
}

// NewConnections makes an empty set. The contexts have base's values, but do not end with it.
func NewConnections(base context.Context) *Connections {
	base = context.WithoutCancel(base)
	c := &Connections{}
	c.Soft, c.endSoft = context.WithCancel(base)
	c.Hard, c.endHard = context.WithCancel(base)
	return c
}

// Add counts a connection, unless Close has begun. Each Add needs a Done.
func (c *Connections) Add() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.open.Add(1)
	return true
}

// Done reports that a connection's goroutines have ended.
func (c *Connections) Done() { c.open.Done() }

// Close admits no further connections, calls stop to end the listener, and returns when all connections have ended.
// If ctx ends first, connections that do not answer are cut off and still waited for, and an error is returned.
func (c *Connections) Close(ctx context.Context, stop func()) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.endSoft()
	defer c.endHard()
	stop()
	done := make(chan struct{})
	go func() {
		c.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		c.endHard()
		<-done
		return fmt.Errorf("a page did not answer: %w", ctx.Err())
	}
}
