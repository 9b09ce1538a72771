package egress

import (
	"io"
	"sync/atomic"
	"time"
)

// meterInterval is how often the bytes of what lasts are told of, while they flow.
const meterInterval = 10 * time.Second

// byteMeter counts the bytes of one request, and tells of them from time to time until
// its end: a tunnel may stay open for days. What it tells after the first entry has
// More, and holds what came since.
type byteMeter struct {
	proxy   *Proxy
	e       Entry
	in, out atomic.Int64

	begun           bool
	toldIn, toldOut int64
	stop, done      chan struct{}
}

// meter begins to count; end must be called. With now the request is told of at once,
// and else when its first bytes are.
func (p *Proxy) meter(e Entry, now bool) *byteMeter {
	m := &byteMeter{proxy: p, e: e, stop: make(chan struct{}), done: make(chan struct{})}
	if now {
		m.tell()
	}
	go m.run(p.every())
	return m
}

func (p *Proxy) every() time.Duration {
	if p.cfg.CountEvery > 0 {
		return p.cfg.CountEvery
	}
	return meterInterval
}

func (m *byteMeter) run(every time.Duration) {
	defer close(m.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			m.tell()
		}
	}
}

// end tells of what is left.
func (m *byteMeter) end() {
	close(m.stop)
	<-m.done
	m.tell()
}

func (m *byteMeter) tell() {
	in, out := m.in.Load(), m.out.Load()
	if m.begun && in == m.toldIn && out == m.toldOut {
		return
	}
	e := m.e
	e.More, e.In, e.Out, e.Took = m.begun, in-m.toldIn, out-m.toldOut, time.Since(m.e.At)
	if m.begun {
		e.At = time.Now()
	}
	m.begun, m.toldIn, m.toldOut = true, in, out
	m.proxy.log.add(e)
}

// countingWriter counts what is written.
type countingWriter struct {
	io.Writer
	n *atomic.Int64
}

func (c countingWriter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n.Add(int64(n))
	return n, err //nolint:wrapcheck // a writer's error is its own
}
