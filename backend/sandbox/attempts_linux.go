package sandbox

import (
	"goalpost/backend/sandbox/ports"
	"goalpost/backend/sandbox/wire"
)

// attempts hands what programs tried to whoever hears of it, beside the receiver:
// the hearer may take his time, and starts must not wait for him.
type attempts struct {
	hear func(Attempt)
	news chan Attempt
	done chan struct{}
}

// attemptsWaiting is more than one room tells of at once; what exceeds it is lost.
const attemptsWaiting = 1000

func newAttempts(hear func(Attempt)) *attempts {
	a := &attempts{hear: hear, news: make(chan Attempt, attemptsWaiting), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for one := range a.news {
			if a.hear != nil {
				a.hear(one)
			}
		}
	}()
	return a
}

// add and close are called by the set's receiver alone.
func (a *attempts) add(w wire.Attempt) {
	if w.Port != 0 && !ports.Listening(w.Port) {
		return
	}
	select {
	case a.news <- Attempt{Check: w.Domain == wire.Check, Program: w.Program, Text: w.Text, Times: w.Times}:
	default:
	}
}

// close waits until all has been heard.
func (a *attempts) close() {
	close(a.news)
	<-a.done
}
