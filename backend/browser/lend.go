package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

// ErrNotLeased says that a goal has no longer a pane that it was lent.
var ErrNotLeased = errors.New("this pane is the person's again")

// refusal of a permission for the agent, which the person's profile does not keep.
type refused struct{ origin, permission string }

// lease is the goal that has the pane, "" for the person; mu is held.
func (p *Pane) lease() string {
	if p.goalID != "" {
		return p.goalID
	}
	return p.lent
}

// Lease is the goal that has the pane, its own or lent to it; "" is the person.
func (p *Pane) Lease() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lease()
}

// Lend gives a pane of the person to a goal: its agent drives until TakeOver or
// TakeBack, and knows nothing of what was there before. The page stays in the
// person's profile, with its logins and its network. Lending it to the goal that
// has it changes nothing.
func (p *Pane) Lend(goalID string) error {
	var err error
	var on []*page
	p.change(func() {
		switch {
		case p.goalID != "" || goalID == "" || p.bare:
			err = errors.New("lending: only a person's pane can be lent, and to a goal")
			return
		case p.lent == goalID:
			return
		case p.lent != "":
			err = errors.New("lending: the pane is lent to another goal")
			return
		}
		p.lend(goalID)
		on = p.whole()
	})
	for _, pg := range on {
		pg.post(listening)
	}
	return err
}

// lend is the lease of a lent pane; mu is held.
func (p *Pane) lend(goalID string) {
	p.lent, p.idle = goalID, false
	p.info.GoalID, p.info.Lent, p.info.Driver, p.info.Acting = goalID, true, pane.DriverAgent, ""
	p.held, p.park = context.WithCancelCause(context.Background())
	p.happened, p.journal = nil, journal{from: time.Now()}
	for _, a := range p.questions {
		if a.waiting != nil && !a.stops {
			for _, c := range *a.waiting {
				c.settle(pane.Answer{}) // only a person is asked
			}
		}
	}
	p.withdrawn(func(a asked) bool { return !a.stops })
}

// TakeBack ends what Lend began: every call of the agent ends with ErrNotLeased,
// and nothing of the page is known to it any more. It is no error where nothing
// was lent.
func (p *Pane) TakeBack() {
	var off []*page
	var again []refused
	p.change(func() {
		if p.lent == "" {
			return
		}
		p.lent, p.idle = "", false
		p.info.GoalID, p.info.Lent, p.info.Driver, p.info.Acting = "", false, pane.DriverUser, ""
		p.park(ErrNotLeased)
		p.held, p.park = context.WithCancelCause(context.Background())
		p.happened, p.journal = nil, journal{from: time.Now()}
		off, again, p.refused = p.whole(), p.refused, nil
	})
	for _, pg := range off {
		pg.post(networkOff)
	}
	for _, r := range again {
		p.m.later(p, func(ctx context.Context) error { return p.setPermission(ctx, r.origin, r.permission, undecided) })
	}
}

// whole is the page with its parts; mu is held.
func (p *Pane) whole() []*page {
	if p.page == nil {
		return nil
	}
	list := []*page{p.page}
	for _, part := range p.parts {
		list = append(list, part.page)
	}
	return list
}

// listens says whether what the page fetches is told always, for a goal's agent;
// mu is held.
func (p *Pane) listens() bool { return p.lease() != "" && !p.bare }

// byAnother says whether something is done for a goal that has not the pane.
func (p *Pane) byAnother(ctx context.Context) error {
	run, ok := goal.RunOf(ctx)
	if !ok || p.bare || string(run.Goal) == p.Lease() {
		return nil
	}
	return fmt.Errorf("pane %s: %w", p.id, ErrNotLeased)
}
