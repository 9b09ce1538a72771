package network

import (
	"time"

	"goalpost/backend/host/sandbox/egress"
)

// A page or a program may send a thousand requests a second. The first burstSize are reported one by one, then
// floodPerSecond. The others are counted and reported in groups.
const (
	burstSize      = 300
	floodPerSecond = 10
	maxGroups      = 20 // counted separately; further requests share one group
	flushInterval  = 5 * time.Second
)

// requestAggregator counts the requests that come too fast to be reported one by one, so that they cannot push older
// lines out of the log. The count includes every request. The zero value is ready. The caller must serialize calls.
type requestAggregator struct {
	tokens float64 // requests that may still be reported at once, minus burstSize
	at     time.Time
	groups map[groupKey]*requestGroup
	list   []*requestGroup // in the order of their first requests
}

// requestGroup is a number of requests that are reported in one line.
type requestGroup struct {
	egress.Entry
	times int
}

type groupKey struct {
	from                     egress.Source
	method, host, port       string
	isOwnPort, allowed, more bool
}

func keyOf(e egress.Entry) groupKey {
	return groupKey{e.From, e.Method, e.Host, e.Port, e.Own, e.Allowed, e.More}
}

// add counts a request, unless the caller may report it at once. Then it returns false.
func (r *requestAggregator) add(e egress.Entry, now time.Time) bool {
	if !r.at.IsZero() {
		r.tokens = min(0, r.tokens+now.Sub(r.at).Seconds()*floodPerSecond)
	}
	if r.at = now; r.tokens >= 1-burstSize {
		r.tokens--
		return false
	}
	if r.groups == nil {
		r.groups = map[groupKey]*requestGroup{}
	}
	key := keyOf(e)
	c := r.groups[key]
	if c == nil && len(r.list) >= maxGroups {
		e.Method, e.Host, e.Port, e.Status = "*", "*", "", 0
		key = keyOf(e)
		c = r.groups[key]
	}
	if c == nil {
		c = &requestGroup{Entry: e, times: 1}
		r.groups[key] = c
		r.list = append(r.list, c)
		return true
	}
	in, out := c.In+e.In, c.Out+e.Out
	c.Entry, c.times = e, c.times+1 // the newest reason and time
	c.In, c.Out = in, out
	return true
}

// flush returns the groups and forgets them.
func (r *requestAggregator) flush() []*requestGroup {
	list := r.list
	r.groups, r.list = nil, nil
	return list
}
