package browser

import (
	"sync"

	"goalpost/backend/domain/pane"
)

// changeNotifier calls OnChange on one goroutine, so that neither Chromium's events nor locks
// wait for the callback.
type changeNotifier struct {
	onChange func(pane.Info, bool)
	onVisit  func(profile, url, title string)
	wake     chan struct{}
	done     chan struct{}

	mu     sync.Mutex
	queue  []changeEvent
	closes bool
}

type changeEvent struct {
	info   pane.Info
	closed bool
	visit  *visit
}

type visit struct{ profile, url, title string }

func newChangeNotifier(onChange func(pane.Info, bool), onVisit func(profile, url, title string)) *changeNotifier {
	n := &changeNotifier{onChange: onChange, onVisit: onVisit, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if onChange == nil {
		n.onChange = func(pane.Info, bool) {}
	}
	go n.run()
	return n
}

// changed queues the newest state of a pane, which replaces an older one that is still queued.
func (c *changeNotifier) changed(info pane.Info) {
	c.add(func() {
		for i := range c.queue {
			if c.queue[i].info.ID == info.ID && !c.queue[i].closed && c.queue[i].visit == nil {
				c.queue[i].info = info
				return
			}
		}
		c.queue = append(c.queue, changeEvent{info: info})
	})
}

func (c *changeNotifier) closed(info pane.Info) {
	c.add(func() { c.queue = append(c.queue, changeEvent{info: info, closed: true}) })
}

func (c *changeNotifier) visit(profile, url, title string) {
	c.add(func() { c.queue = append(c.queue, changeEvent{visit: &visit{profile, url, title}}) })
}

// close delivers the queued events and ends the goroutine.
func (c *changeNotifier) close() {
	c.add(func() { c.closes = true })
	<-c.done
}

func (c *changeNotifier) add(change func()) {
	c.mu.Lock()
	change()
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *changeNotifier) run() {
	defer close(c.done)
	for range c.wake {
		c.mu.Lock()
		queue, closes := c.queue, c.closes
		c.queue = nil
		c.mu.Unlock()
		for _, n := range queue {
			if n.visit != nil {
				c.onVisit(n.visit.profile, n.visit.url, n.visit.title)
				continue
			}
			c.onChange(n.info, n.closed)
		}
		if closes {
			return
		}
	}
}
