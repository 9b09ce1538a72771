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
func (a *changeNotifier) changed(info pane.Info) {
	a.add(func() {
		for i := range a.queue {
			if a.queue[i].info.ID == info.ID && !a.queue[i].closed && a.queue[i].visit == nil {
				a.queue[i].info = info
				return
			}
		}
		a.queue = append(a.queue, changeEvent{info: info})
	})
}

func (a *changeNotifier) closed(info pane.Info) {
	a.add(func() { a.queue = append(a.queue, changeEvent{info: info, closed: true}) })
}

func (a *changeNotifier) visit(profile, url, title string) {
	a.add(func() { a.queue = append(a.queue, changeEvent{visit: &visit{profile, url, title}}) })
}

// close delivers the queued events and ends the goroutine.
func (a *changeNotifier) close() {
	a.add(func() { a.closes = true })
	<-a.done
}

func (a *changeNotifier) add(change func()) {
	a.mu.Lock()
	change()
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *changeNotifier) run() {
	defer close(a.done)
	for range a.wake {
		a.mu.Lock()
		queue, closes := a.queue, a.closes
		a.queue = nil
		a.mu.Unlock()
		for _, n := range queue {
			if n.visit != nil {
				a.onVisit(n.visit.profile, n.visit.url, n.visit.title)
				continue
			}
			a.onChange(n.info, n.closed)
		}
		if closes {
			return
		}
	}
}
