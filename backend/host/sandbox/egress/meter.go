package egress

import (
	"io"
	"sync/atomic"
	"time"
)

// meterInterval is how often the byte counts of a long transfer are logged.
const meterInterval = 10 * time.Second

// byteMeter counts the bytes of one request and logs them at intervals until it ends: a tunnel may stay open for
// days. Entries after the first have More set and hold the bytes since the previous one.
type byteMeter struct {
	proxy   *Proxy
	e       Entry
	in, out atomic.Int64

	hasBegun                bool
	reportedIn, reportedOut int64
	stop, done              chan struct{}
}

// meter starts counting; the caller must call end. With now set the request is logged at once, otherwise with its
// first bytes.
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

func (b *byteMeter) run(every time.Duration) {
	defer close(b.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.report()
		}
	}
}

// end stops the meter and logs the remaining bytes.
func (b *byteMeter) end() {
	close(b.stop)
	<-b.done
	b.report()
}

func (b *byteMeter) report() {
	in, out := b.in.Load(), b.out.Load()
	if b.hasBegun && in == b.reportedIn && out == b.reportedOut {
		return
	}
	e := b.e
	e.More, e.In, e.Out, e.Took = b.hasBegun, in-b.reportedIn, out-b.reportedOut, time.Since(b.e.At)
	if b.hasBegun {
		e.At = time.Now()
	}
	b.hasBegun, b.reportedIn, b.reportedOut = true, in, out
	b.proxy.log.add(e)
}

// countingWriter counts the bytes written.
type countingWriter struct {
	io.Writer
	n *atomic.Int64
}

func (c countingWriter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n.Add(int64(n))
	return n, err //nolint:wrapcheck // a writer's error is its own
}
