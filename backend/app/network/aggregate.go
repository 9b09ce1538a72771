package network

import (
	"time"

	"goalpost/backend/sandbox/egress"
)

// A page or a program may ask a thousand times a second. So many requests are told
// one by one, and then so many a second; what is over is added up.
const (
	burstSize      = 300
	floodPerSecond = 10
	maxGroups      = 20 // different ones that are added up each for itself; the rest is told together
	flushInterval  = 5 * time.Second
)

// requestAggregator is what came too fast to be told one by one: nothing is left out of the count,
// and nobody pushes older lines out of the log by asking often. The zero value is ready;
// whoever has it calls it under a lock.
type requestAggregator struct {
	tokens float64 // for so many more, less burstSize
	at     time.Time
	held   map[groupKey]*requestGroup
	list   []*requestGroup // in the order in which they began
}

// requestGroup are requests that are told as one line.
type requestGroup struct {
	egress.Entry
	times int
}

type groupKey struct {
	from               egress.Source
	method, host, port string
	own, allowed, more bool
}

func keyOf(e egress.Entry) groupKey {
	return groupKey{e.From, e.Method, e.Host, e.Port, e.Own, e.Allowed, e.More}
}

// add takes a request that has to wait; false is one that may be told at once.
func (f *requestAggregator) add(e egress.Entry, now time.Time) bool {
	if !f.at.IsZero() {
		f.tokens = min(0, f.tokens+now.Sub(f.at).Seconds()*floodPerSecond)
	}
	if f.at = now; f.tokens >= 1-burstSize {
		f.tokens--
		return false
	}
	if f.held == nil {
		f.held = map[groupKey]*requestGroup{}
	}
	key := keyOf(e)
	c := f.held[key]
	if c == nil && len(f.list) >= maxGroups {
		e.Method, e.Host, e.Port, e.Status = "*", "*", "", 0
		key = keyOf(e)
		c = f.held[key]
	}
	if c == nil {
		c = &requestGroup{Entry: e, times: 1}
		f.held[key] = c
		f.list = append(f.list, c)
		return true
	}
	in, out := c.In+e.In, c.Out+e.Out
	c.Entry, c.times = e, c.times+1 // the newest reason and time
	c.In, c.Out = in, out
	return true
}

// flush gives what was held, and holds nothing any more.
func (f *requestAggregator) flush() []*requestGroup {
	list := f.list
	f.held, f.list = nil, nil
	return list
}
