package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

var (
	// ErrTakenOver says that a person has taken the pane over from the agent.
	// Nothing of the page is seen or done for the agent until HandBack.
	ErrTakenOver = errors.New("a person has taken this pane over: wait until it is handed back, then look again")
	// ErrAgentDrives says that a person's input came while the agent drives.
	ErrAgentDrives = errors.New("the agent drives this pane: take it over first")
)

// byAgent says whether something is done for the goal that leased the pane.
func (p *Pane) byAgent(ctx context.Context) bool {
	run, ok := goal.RunOf(ctx)
	lease := p.Lease()
	return ok && lease != "" && string(run.Goal) == lease
}

// mayDrive refuses who has not the pane.
func (p *Pane) mayDrive(ctx context.Context) error {
	if err := p.byAnother(ctx); err != nil {
		return err
	}
	switch driver := p.Driver(); {
	case p.Lease() == "":
		return nil
	case p.byAgent(ctx) && driver == pane.DriverUser:
		return ErrTakenOver
	case !p.byAgent(ctx) && driver == pane.DriverAgent:
		return ErrAgentDrives
	}
	return nil
}

// EndDrive says that no run of the goal that has the pane goes on: the user may act on
// the page. One that the user has taken over stays so until HandBack.
func (p *Pane) EndDrive() {
	p.change(func() {
		if p.lease() == "" || p.idle {
			return
		}
		p.idle, p.info.Acting = true, ""
		if p.info.Driver == pane.DriverAgent {
			p.info.Driver = pane.Nobody
		}
	})
}

// BeginDrive says that a run of the goal that has the pane goes on: the agent drives,
// unless the user has taken the pane over. What the page said since EndDrive is not
// kept for the agent.
func (p *Pane) BeginDrive() {
	p.change(func() {
		if p.lease() == "" || !p.idle {
			return
		}
		p.idle = false
		if p.info.Driver == pane.DriverUser {
			return
		}
		p.info.Driver = pane.DriverAgent
		p.happened = []string{"this goal did not run for a while, and the user could use the pane"}
		p.journal.from = time.Now()
	})
}

// TakeOver gives the pane to the person. A call of the agent that is under way,
// also one that waits, ends at once with ErrTakenOver, and so does every further
// one until HandBack. What the page says meanwhile is not kept for the agent.
func (p *Pane) TakeOver() error {
	if p.Lease() == "" {
		return errors.New("taking over: this pane is yours already")
	}
	p.change(func() {
		if p.info.Driver == pane.DriverUser || p.lease() == "" { // taken back meanwhile
			return
		}
		p.info.Driver, p.info.Acting = pane.DriverUser, ""
		p.happened = nil
		p.park(ErrTakenOver)
	})
	return nil
}

// HandBack gives the pane back to the agent, which drives again once a run of its goal
// goes on.
func (p *Pane) HandBack() error {
	if p.Lease() == "" {
		return errors.New("handing back: no goal has leased this pane")
	}
	p.change(func() {
		if p.info.Driver != pane.DriverUser || p.lease() == "" {
			return
		}
		p.info.Driver = pane.DriverAgent
		if p.idle {
			p.info.Driver = pane.Nobody
		}
		p.held, p.park = context.WithCancelCause(context.Background())
		p.happened = []string{"a person had this pane meanwhile"}
		p.journal = journal{from: time.Now()}
	})
	return nil
}

// Driver is who may act on the page.
func (p *Pane) Driver() pane.Driver { return p.Info().Driver }

// HandedBack waits until the agent drives again.
func (p *Pane) HandedBack(ctx context.Context) error {
	ctx, cancel := tie(ctx, p.ctx)
	defer cancel(nil)
	if err := p.wait(ctx, func() bool { return p.info.Driver != pane.DriverUser }); err != nil {
		return fmt.Errorf("waiting for the pane to be handed back: %w", err)
	}
	return nil
}

// leased gives a context that ends with ErrTakenOver when a person takes over,
// and with ErrNotLeased for a goal that has not the pane.
func (p *Pane) leased(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.mu.Lock()
	held, lease := p.held, p.lease()
	p.mu.Unlock()
	run, ok := goal.RunOf(ctx)
	ctx, cancel := tie(ctx, held)
	if ok && !p.bare && string(run.Goal) != lease {
		cancel(ErrNotLeased)
	}
	return ctx, cancel
}
