package mcp

import (
	"fmt"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
)

// Starts knows which servers are starting, to show it to the user. The zero value is ready; nil forgets everything. All
// methods may be called concurrently.
type Starts struct{ running sync.Map } // start by server name

type start struct {
	session *session
	since   time.Time
	limit   time.Duration
}

// Progress describes the start of a server that is not over, "" if there is none.
func (s *Starts) Progress(server string) string {
	found, ok := s.running.Load(server)
	if !ok {
		return ""
	}
	run, _ := found.(start)
	line := fmt.Sprintf("starting since %d of at most %d s", int(time.Since(run.since).Seconds()),
		int(run.limit.Seconds()))
	if text := run.session.stderr.String(); text != "" {
		line += "; its last output: " + text
	}
	return line
}

// showStart lets the user see that the server starts, until the returned function is called.
func (c *client) showStart(s *session, limit time.Duration) (started func()) {
	if c.env.Starts == nil {
		return func() {}
	}
	run := start{session: s, since: time.Now(), limit: limit}
	c.env.Starts.running.Store(c.server.Name, run)
	return func() { c.env.Starts.running.CompareAndDelete(c.server.Name, run) }
}

// startTimeoutError says that a server took too long to start.
type startTimeoutError struct{ limit time.Duration }

func (s *startTimeoutError) Error() string {
	return fmt.Sprintf("it did not list its tools within %s; the time for its start can be set",
		goal.FormatDuration(s.limit))
}
