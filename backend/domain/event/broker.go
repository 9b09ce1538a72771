package event

import "sync"

// Broker passes events to all subscribers. The zero value is ready. All methods may be called concurrently. Publish
// never blocks.
type Broker struct {
	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

// Subscription is one subscriber. A lossy one misses events while its buffer is full. A reliable one is closed
// instead, so that the subscriber sees the gap, reads the journal from its last seq and subscribes again.
type Subscription struct {
	C        <-chan Event // closed by Close, or when a reliable subscriber fell behind
	c        chan Event
	reliable bool
	broker   *Broker
}

// SubscribeLossy subscribes to events that may be missed (streaming text).
func (b *Broker) SubscribeLossy(buffer int) *Subscription { return b.subscribe(buffer, false) }

// SubscribeReliable subscribes to events that must not be missed unnoticed.
func (b *Broker) SubscribeReliable(buffer int) *Subscription { return b.subscribe(buffer, true) }

func (b *Broker) subscribe(buffer int, sure bool) *Subscription {
	c := make(chan Event, buffer)
	s := &Subscription{C: c, c: c, reliable: sure, broker: b}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = make(map[*Subscription]struct{})
	}
	b.subs[s] = struct{}{}
	return s
}

// Close ends the subscription and closes C.
func (s *Subscription) Close() {
	s.broker.mu.Lock()
	defer s.broker.mu.Unlock()
	s.drop()
}

func (s *Subscription) drop() {
	if _, ok := s.broker.subs[s]; ok {
		delete(s.broker.subs, s)
		close(s.c)
	}
}

// Publish passes e to every subscriber. It skips a delta for reliable subscribers whose buffer is more than half
// full, because deltas may be lost and journaled events may not.
func (b *Broker) Publish(e Event) {
	light := e.IsStreamed()
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		if light && s.reliable && len(s.c) > cap(s.c)/2 {
			continue
		}
		select {
		case s.c <- e:
		default:
			if s.reliable {
				s.drop()
			}
		}
	}
}
