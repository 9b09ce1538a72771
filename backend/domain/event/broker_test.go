package event_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

func publish(b *event.Broker, from, to int64) {
	for n := from; n <= to; n++ {
		b.Publish(event.Event{Seq: n, Body: event.Iteration{N: int(n)}})
	}
}

// seqs returns the seqs of the events that wait in a subscription; closed reports whether it was closed.
func seqs(s *event.Subscription) (got []int64, closed bool) {
	for {
		select {
		case e, ok := <-s.C:
			if !ok {
				return got, true
			}
			got = append(got, e.Seq)
		default:
			return got, false
		}
	}
}

func TestPublish_ReachesEverySubscriber(t *testing.T) {
	var b event.Broker
	one, two := b.SubscribeReliable(4), b.SubscribeLossy(4)
	publish(&b, 1, 3)
	for _, s := range []*event.Subscription{one, two} {
		if got, closed := seqs(s); !slices.Equal(got, []int64{1, 2, 3}) || closed {
			t.Errorf("%v, closed %v", got, closed)
		}
	}
	one.Close()
	one.Close() // twice is fine
	publish(&b, 4, 4)
	if got, closed := seqs(one); len(got) > 0 || !closed {
		t.Errorf("%v after Close, closed %v", got, closed)
	}
	if got, _ := seqs(two); !slices.Equal(got, []int64{4}) {
		t.Errorf("the other received %v", got)
	}
}

func TestReliableSubscription_FallsBehind_IsClosed(t *testing.T) {
	var b event.Broker
	s := b.SubscribeReliable(3)
	publish(&b, 1, 10)
	got, closed := seqs(s)
	if !slices.Equal(got, []int64{1, 2, 3}) || !closed {
		t.Errorf("%v, closed %v: received events must have no gap and the end must show", got, closed)
	}
	s.Close()
}

func TestLossySubscription_FallsBehind_DropsEvents(t *testing.T) {
	var b event.Broker
	s := b.SubscribeLossy(3)
	defer s.Close()
	publish(&b, 1, 10)
	if got, closed := seqs(s); !slices.Equal(got, []int64{1, 2, 3}) || closed {
		t.Errorf("%v, closed %v", got, closed)
	}
	publish(&b, 11, 11)
	if got, closed := seqs(s); !slices.Equal(got, []int64{11}) || closed {
		t.Errorf("%v, closed %v after there was space", got, closed)
	}
}

// TestPublish_Deltas_DoNotCloseSubscriptions checks that streaming text never closes a reliable subscription.
func TestPublish_Deltas_DoNotCloseSubscriptions(t *testing.T) {
	var b event.Broker
	s := b.SubscribeReliable(8)
	defer s.Close()
	for range 100 {
		b.Publish(event.Event{Body: &event.Delta{Text: "word "}}) // as the runner does
	}
	if n := len(s.C); n != 5 {
		t.Errorf("%d deltas wait in a buffer of 8", n)
	}
	publish(&b, 1, 3)
	got, closed := seqs(s)
	if closed || !slices.Equal(got[len(got)-3:], []int64{1, 2, 3}) {
		t.Errorf("%v, closed %v: deltas took the space of journaled events", got, closed)
	}
}

// TestBroker_ConcurrentPublishers_KeepTheirOrder also checks that a reliable subscription that falls behind is closed,
// and that a lossy one never is.
func TestBroker_ConcurrentPublishers_KeepTheirOrder(t *testing.T) {
	const publishers, each = 4, 500
	var b event.Broker
	var readers, writers sync.WaitGroup
	whole := b.SubscribeReliable(publishers * each)
	for range 4 {
		lossy := b.SubscribeLossy(1)
		readers.Go(func() {
			for range lossy.C {
				continue
			}
		})
		defer lossy.Close()
		small := b.SubscribeReliable(2)
		readers.Go(func() {
			last := map[goal.ID]int64{}
			for e := range small.C {
				if e.Seq != last[e.GoalID]+1 {
					t.Errorf("%s went from %d to %d", e.GoalID, last[e.GoalID], e.Seq)
				}
				last[e.GoalID] = e.Seq
			}
		})
		defer small.Close()
	}
	for p := range publishers {
		writers.Go(func() {
			for n := range int64(each) {
				b.Publish(event.Event{GoalID: goal.ID(strconv.Itoa(p)), Seq: n + 1, Body: event.Started{}})
				s := b.SubscribeLossy(1) // subscribing while others publish
				s.Close()
			}
		})
	}
	writers.Wait()
	whole.Close()
	n := 0
	for range whole.C {
		n++
	}
	if n != publishers*each {
		t.Errorf("the subscriber with free buffer received %d of %d", n, publishers*each)
	}
	t.Cleanup(readers.Wait) // after the deferred closes
}
