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

	begun                   bool
	reportedIn, reportedOut int64
	stop, done              chan struct{}
}

// meter begins to count; end must be called. With now the request is told of at once,
// and else when its first bytes are.
func (p *Proxy) meter(e Entry, now bool) *byteMeter {
	m := &byteMeter{proxy: p, e: e, stop: make(chan struct{}), done: make(chan struct{})}
	if now {
		m.report()
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
			m.report()
		}
	}
}

// end tells of what is left.
func (m *byteMeter) end() {
	close(m.stop)
	<-m.done
	m.report()
}

func (m *byteMeter) report() {
	in, out := m.in.Load(), m.out.Load()
	if m.begun && in == m.reportedIn && out == m.reportedOut {
		return
	}
	e := m.e
	e.More, e.In, e.Out, e.Took = m.begun, in-m.reportedIn, out-m.reportedOut, time.Since(m.e.At)
	if m.begun {
		e.At = time.Now()
	}
	m.begun, m.reportedIn, m.reportedOut = true, in, out
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
