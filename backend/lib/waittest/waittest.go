// Package waittest waits in tests for events without a signal: an entry of /proc, a file that another program writes,
// a row that another process stores. Where there is a channel, an event or the end of a program, wait for that instead.
package waittest

import (
	"context"
	"testing"
	"time"
)

const (
	// interval is short compared with the event, and long compared with one read of /proc.
	interval = 5 * time.Millisecond
	longest  = 100 * time.Millisecond
	limit    = time.Minute // on a usual machine
)

// Until returns once done reports true. It fails the test after a minute, scaled to this machine. what names the
// missing event, such as "end of process 12".
func Until(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	if limit := Scale(limit); !Reached(context.Background(), limit, done) {
		tb.Fatalf("no %s within %s", what, limit)
	}
}

// Reached reports whether done becomes true before the limit has passed and ctx has ended. It calls done at least once.
func Reached(ctx context.Context, limit time.Duration, done func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		asked := time.Now()
		if done() {
			return true
		}
		select {
		// What takes long to ask is asked less often: waiting should take no processor from what is waited for.
		case <-time.After(min(max(interval, 4*time.Since(asked)), longest)):
		case <-ctx.Done():
			return false
		}
	}
}
