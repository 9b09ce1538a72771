package chats

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// asks has the user's answers to what an answer asks before a call, until its run reads them. It is the order queue of
// that run. It is safe for concurrent use.
type asks struct {
	changed chan struct{} // receives after an answer was added

	mu     sync.Mutex
	orders []goal.Order
}

func newAsks() *asks { return &asks{changed: make(chan struct{}, 1)} }

func (as *asks) add(o goal.Order) {
	as.mu.Lock()
	as.orders = append(as.orders, o)
	as.mu.Unlock()
	select {
	case as.changed <- struct{}{}:
	default: // the run has not yet read the one before
	}
}

// Take returns nothing: an answer is stopped through its context.
func (*asks) Take(context.Context, goal.ID, ...goal.OrderKind) ([]goal.Order, error) { return nil, nil }

// List returns the answers of the given kinds and forgets them: the caller applies what it reads.
func (as *asks) List(_ context.Context, _ goal.ID, kinds ...goal.OrderKind) (list []goal.Order, err error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.orders = slices.DeleteFunc(as.orders, func(o goal.Order) bool {
		fits := slices.Contains(kinds, o.Kind)
		if fits {
			list = append(list, o)
		}
		return fits
	})
	return list, nil
}

// Settle does nothing: List has forgotten the orders.
func (*asks) Settle(context.Context, ...goal.Order) error { return nil }

// AnswerAsk answers what an answer asks the user before a call. Allowing a host for the chat also stores it.
func (s *Service) AnswerAsk(ctx context.Context, id string, in api.AskAnswer) error {
	c, err := s.Store.Chats.Get(ctx, id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	a := s.live[c.ID]
	s.mu.Unlock()
	ask, ok := chat.Ask{}, false
	if a != nil {
		ask, ok = a.record.takeAsk(in.Request)
	}
	switch {
	case !ok:
		return fault.New(fault.NotFound, "the chat no longer asks that", "open the chat again")
	case !in.Allow:
		a.asks.add(goal.Order{Kind: goal.OrderDeny, Request: in.Request})
		return nil
	}
	scope := policy.ScopeOnce
	if in.ForChat {
		scope = policy.ScopeHost
		hosts := append(slices.Clone(c.AllowHosts), ask.Hosts...)
		if err := s.setHosts(&c, hosts); err != nil {
			return err
		}
		if err := s.Store.Chats.Save(ctx, c); err != nil {
			return err
		}
		s.publishChat(c)
	}
	a.asks.add(goal.Order{Kind: goal.OrderApprove, Request: in.Request, Scope: scope})
	return nil
}

const maxHosts = 100 // that are allowed in one chat

// setHosts sets the hosts that a chat may read from, each once.
func (s *Service) setHosts(c *chat.Chat, hosts []string) error {
	list := []string{}
	for _, h := range hosts {
		if err := policy.ValidateExactHost(h); err != nil {
			return fault.Invalid("allow_hosts", err.Error(), "name hosts such as docs.example.org")
		}
		if !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	if len(list) > maxHosts {
		return fault.Invalid("allow_hosts", fmt.Sprintf("%d hosts are allowed", len(list)),
			fmt.Sprintf("allow at most %d in one chat", maxHosts))
	}
	c.AllowHosts = list
	return nil
}
