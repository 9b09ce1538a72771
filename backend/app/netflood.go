package app

import (
	"time"

	"goalpost/backend/sandbox/egress"
)

// A page or a program may ask a thousand times a second. So many requests are told
// one by one, and then so many a second; what is over is added up.
const (
	floodBurst     = 300
	floodPerSecond = 10
	floodApart     = 20 // different ones that are added up each for itself; the rest is told together
	floodEvery     = 5 * time.Second
)

// flood is what came too fast to be told one by one: nothing is left out of the count,
// and nobody pushes older lines out of the log by asking often. The zero value is ready;
// whoever has it calls it under a lock.
type flood struct {
	room float64 // for so many more, less floodBurst
	at   time.Time
	held map[floodKey]*crowd
	list []*crowd // in the order in which they began
}

// crowd are requests that are told as one line.
type crowd struct {
	egress.Entry
	times int
}

type floodKey struct {
	from               egress.From
	method, host, port string
	own, allowed, more bool
}

func keyOf(e egress.Entry) floodKey {
	return floodKey{e.From, e.Method, e.Host, e.Port, e.Own, e.Allowed, e.More}
}

// holds takes a request that has to wait; false is one that may be told at once.
func (f *flood) holds(e egress.Entry, now time.Time) bool {
	if !f.at.IsZero() {
		f.room = min(0, f.room+now.Sub(f.at).Seconds()*floodPerSecond)
	}
	if f.at = now; f.room >= 1-floodBurst {
		f.room--
		return false
	}
	if f.held == nil {
		f.held = map[floodKey]*crowd{}
	}
	key := keyOf(e)
	c := f.held[key]
	if c == nil && len(f.list) >= floodApart {
		e.Method, e.Host, e.Port, e.Status = "*", "*", "", 0
		key = keyOf(e)
		c = f.held[key]
	}
	if c == nil {
		c = &crowd{Entry: e, times: 1}
		f.held[key] = c
		f.list = append(f.list, c)
		return true
	}
	in, out := c.In+e.In, c.Out+e.Out
	c.Entry, c.times = e, c.times+1 // the newest reason and time
	c.In, c.Out = in, out
	return true
}

// drain gives what was held, and holds nothing any more.
func (f *flood) drain() []*crowd {
	list := f.list
	f.held, f.list = nil, nil
	return list
}
