package browser

import (
	"sync"

	"goalpost/backend/pane"
)

// announcer calls OnChange from one goroutine, so that neither Chromium's
// events nor locks wait for the listener.
type announcer struct {
	tell func(pane.Info, bool)
	seen func(profile, url, title string)
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	queue  []news
	closes bool
}

type news struct {
	info   pane.Info
	closed bool
	visit  *visit
}

type visit struct{ profile, url, title string }

func newAnnouncer(tell func(pane.Info, bool), seen func(profile, url, title string)) *announcer {
	a := &announcer{tell: tell, seen: seen, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if tell == nil {
		a.tell = func(pane.Info, bool) {}
	}
	go a.run()
	return a
}

// changed takes the newest state of a pane; an older one that was not told yet
// is replaced.
func (a *announcer) changed(info pane.Info) {
	a.add(func() {
		for i := range a.queue {
			if a.queue[i].info.ID == info.ID && !a.queue[i].closed && a.queue[i].visit == nil {
				a.queue[i].info = info
				return
			}
		}
		a.queue = append(a.queue, news{info: info})
	})
}

func (a *announcer) closed(info pane.Info) {
	a.add(func() { a.queue = append(a.queue, news{info: info, closed: true}) })
}

func (a *announcer) visit(profile, url, title string) {
	a.add(func() { a.queue = append(a.queue, news{visit: &visit{profile, url, title}}) })
}

// close tells what is left and ends the goroutine.
func (a *announcer) close() {
	a.add(func() { a.closes = true })
	<-a.done
}

func (a *announcer) add(change func()) {
	a.mu.Lock()
	change()
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *announcer) run() {
	defer close(a.done)
	for range a.wake {
		a.mu.Lock()
		queue, closes := a.queue, a.closes
		a.queue = nil
		a.mu.Unlock()
		for _, n := range queue {
			if n.visit != nil {
				a.seen(n.visit.profile, n.visit.url, n.visit.title)
				continue
			}
			a.tell(n.info, n.closed)
		}
		if closes {
			return
		}
	}
}
