package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

var (
	// ErrTakenOver says that a user has taken the pane over from the agent.
	// Nothing of the page is seen or done for the agent until HandBack.
	ErrTakenOver = cdp.FaultCause(fault.Kind(fault.Conflict, "",
		"a user has taken this pane over: wait until it is handed back, then look again", ""))
	// ErrAgentInControl says that a user's input came while the agent drives.
	ErrAgentInControl error = fault.Kind(fault.Conflict, "", "the agent drives this pane: take it over first", "")
)

// isAgentCall says whether something is done for the goal that leased the pane.
func (p *Pane) isAgentCall(ctx context.Context) bool {
	run, ok := goal.RunOf(ctx)
	lease := p.Lease()
	return ok && lease != "" && string(run.Goal) == lease
}

// checkDriver refuses who has not the pane.
func (p *Pane) checkDriver(ctx context.Context) error {
	if err := p.isOtherGoal(ctx); err != nil {
		return err
	}
	switch driver := p.Driver(); {
	case p.Lease() == "":
		return nil
	case p.isAgentCall(ctx) && driver == pane.DriverUser:
		return ErrTakenOver
	case !p.isAgentCall(ctx) && driver == pane.DriverAgent:
		return ErrAgentInControl
	}
	return nil
}

// EndDrive says that no run of the goal that has the pane continues: the user may act on
// the page. One that the user has taken over stays so until HandBack.
func (p *Pane) EndDrive() {
	p.change(func() {
		if p.leaseHolder() == "" || p.idle {
			return
		}
		p.idle, p.info.Acting = true, ""
		if p.info.Driver == pane.DriverAgent {
			p.info.Driver = pane.Nobody
		}
	})
}

// BeginDrive says that a run of the goal that has the pane continues: the agent drives,
// unless the user has taken the pane over. What the page said since EndDrive is not
// kept for the agent.
func (p *Pane) BeginDrive() {
	p.change(func() {
		if p.leaseHolder() == "" || !p.idle {
			return
		}
		p.idle = false
		if p.info.Driver == pane.DriverUser {
			return
		}
		p.info.Driver = pane.DriverAgent
		p.actionEvents = []string{"this goal did not run for a while, and the user could use the pane"}
		p.journal.from = time.Now()
	})
}

// TakeOver gives the pane to the user. A call of the agent that is under way,
// also one that waits, ends at once with ErrTakenOver, and so does every further
// one until HandBack. What the page says is not kept for the agent.
func (p *Pane) TakeOver() error {
	if p.Lease() == "" {
		return errors.New("taking over: this pane is yours already")
	}
	p.change(func() {
		if p.info.Driver == pane.DriverUser || p.leaseHolder() == "" { // taken back
			return
		}
		p.info.Driver, p.info.Acting = pane.DriverUser, ""
		p.actionEvents = nil
		p.cancelAgent(ErrTakenOver)
	})
	return nil
}

// HandBack gives the pane back to the agent, which drives again once a run of its goal
// continues.
func (p *Pane) HandBack() error {
	if p.Lease() == "" {
		return errors.New("handing back: no goal has leased this pane")
	}
	p.change(func() {
		if p.info.Driver != pane.DriverUser || p.leaseHolder() == "" {
			return
		}
		p.info.Driver = pane.DriverAgent
		if p.idle {
			p.info.Driver = pane.Nobody
		}
		p.agentCtx, p.cancelAgent = context.WithCancelCause(context.Background())
		p.actionEvents = []string{"a user had this pane"}
		p.journal = activityLog{from: time.Now()}
	})
	return nil
}

// Driver is who may act on the page.
func (p *Pane) Driver() pane.Driver { return p.Info().Driver }

// HandedBack waits until the agent drives again.
func (p *Pane) HandedBack(ctx context.Context) error {
	ctx, cancel := cdp.JoinContexts(ctx, p.ctx)
	defer cancel(nil)
	if err := p.wait(ctx, func() bool { return p.info.Driver != pane.DriverUser }); err != nil {
		return fmt.Errorf("waiting for the pane to be handed back: %w", err)
	}
	return nil
}

// withLease gives a context that ends with ErrTakenOver when a user takes over,
// and with ErrNotLeased for a goal that has not the pane.
func (p *Pane) withLease(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.mu.Lock()
	held, lease := p.agentCtx, p.leaseHolder()
	p.mu.Unlock()
	run, ok := goal.RunOf(ctx)
	ctx, cancel := cdp.JoinContexts(ctx, held)
	if ok && !p.scriptless && string(run.Goal) != lease {
		cancel(ErrNotLeased)
	}
	return ctx, cancel
}
