package stream

import (
	"context"
	"fmt"
	"sync"
)

// Connections are the sockets of a server that has taken them from net/http,
// which forgets them. They end in two steps: Soft asks them to say goodbye, Hard
// cuts off those that do not. All methods may be called concurrently.
type Connections struct {
	Soft context.Context // ends when Close begins
	Hard context.Context // ends when Close has waited long enough

	endSoft, endHard context.CancelFunc

	mu     sync.Mutex
	closed bool
	open   sync.WaitGroup
}

// NewConnections has none yet. Their contexts carry base's values, not its end.
func NewConnections(base context.Context) *Connections {
	base = context.WithoutCancel(base)
	c := &Connections{}
	c.Soft, c.endSoft = context.WithCancel(base)
	c.Hard, c.endHard = context.WithCancel(base)
	return c
}

// Add counts a connection, unless Close has begun. Whoever entered leaves.
func (c *Connections) Add() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.open.Add(1)
	return true
}

// Done says that a connection's goroutines have ended.
func (c *Connections) Done() { c.open.Done() }

// Close lets nobody in, has stop end whatever accepts new ones, and returns when
// every connection has left. When ctx ends first, those that do not answer are
// cut off, still waited for, and the error says so.
func (c *Connections) Close(ctx context.Context, stop func()) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.endSoft()
	defer c.endHard()
	stop()
	gone := make(chan struct{})
	go func() {
		c.open.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		c.endHard()
		<-gone
		return fmt.Errorf("a page did not answer: %w", ctx.Err())
	}
}
