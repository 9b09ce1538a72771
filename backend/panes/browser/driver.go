package browser

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Driver decides who may act on the page: the user, or the agent of the goal that has the pane.
// The state's mutex guards its fields.
type Driver struct {
	state    *State
	activity *Activity
	prompts  *Prompts

	agentCtx    context.Context // ends with ErrTakenOver while a user has a goal's pane
	cancelAgent context.CancelCauseFunc
	idle        bool // the goal that has the pane is not running
}

var (
	// ErrTakenOver means that a user has taken the pane over from the agent, which sees and does
	// nothing on the page until HandBack.
	ErrTakenOver = cdp.FaultCause(fault.Kind(fault.Conflict, "",
		"a user has taken this pane over", "wait until it is handed back, then look again"))
	// ErrAgentInControl means that a user's input came while the agent drives.
	ErrAgentInControl error = fault.Kind(fault.Conflict, "", "the agent is using this pane", "take over to type")
)

// isAgentCall reports whether a call is made for the goal that has the pane.
func (d *Driver) isAgentCall(ctx context.Context) bool {
	run, ok := goal.RunOf(ctx)
	lease := d.state.Lease()
	return ok && lease != "" && string(run.Goal) == lease
}

// checkDriver refuses a caller that does not drive the pane.
func (d *Driver) checkDriver(ctx context.Context) error {
	if err := d.state.checkGoal(ctx); err != nil {
		return err
	}
	switch driver := d.state.Driver(); {
	case d.state.Lease() == "":
		return nil
	case d.isAgentCall(ctx) && driver == pane.DriverUser:
		return ErrTakenOver
	case !d.isAgentCall(ctx) && driver == pane.DriverAgent:
		return ErrAgentInControl
	}
	return nil
}

// EndDrive lets the user act on the page, because the goal that has the pane is not running. A
// pane that the user has taken over stays so until HandBack.
func (d *Driver) EndDrive() {
	d.state.change(func() {
		if d.state.leaseHolder() == "" || d.idle {
			return
		}
		d.idle, d.state.info.Acting = true, ""
		if d.state.info.Driver == pane.DriverAgent {
			d.state.info.Driver = pane.Nobody
		}
	})
}

// BeginDrive lets the agent drive, because its goal runs again, unless the user has taken the
// pane over. Events since EndDrive are not recorded for the agent.
func (d *Driver) BeginDrive() {
	d.state.change(func() {
		if d.state.leaseHolder() == "" || !d.idle {
			return
		}
		d.idle = false
		if d.state.info.Driver == pane.DriverUser {
			return
		}
		d.state.info.Driver = pane.DriverAgent
		d.activity.actionEvents = []string{"this goal did not run for a while, and the user could use the pane"}
		d.activity.journal.from = time.Now()
	})
}

// TakeOver gives the pane to the user. A running or waiting call of the agent ends at once with
// ErrTakenOver, as does every later one until HandBack. Events of the page are not recorded for
// the agent.
func (d *Driver) TakeOver() error {
	if d.state.Lease() == "" {
		return errors.New("taking over: this pane is yours already")
	}
	d.state.change(func() {
		if d.state.info.Driver == pane.DriverUser || d.state.leaseHolder() == "" { // taken back
			return
		}
		d.state.info.Driver, d.state.info.Acting = pane.DriverUser, ""
		d.activity.actionEvents = nil
		d.cancelAgent(ErrTakenOver)
	})
	return nil
}

// HandBack returns the pane to the agent, which drives again once its goal runs.
func (d *Driver) HandBack() error {
	if d.state.Lease() == "" {
		return errors.New("handing back: no goal has leased this pane")
	}
	d.state.change(func() {
		if d.state.info.Driver != pane.DriverUser || d.state.leaseHolder() == "" {
			return
		}
		d.state.info.Driver = pane.DriverAgent
		if d.idle {
			d.state.info.Driver = pane.Nobody
		}
		d.agentCtx, d.cancelAgent = context.WithCancelCause(context.Background())
		d.activity.actionEvents = []string{"a user had this pane"}
		d.activity.journal = activityLog{from: time.Now()}
	})
	return nil
}

// withLease returns a context that ends with ErrTakenOver when a user takes over, and with
// ErrNotLeased for a goal that does not have the pane.
func (d *Driver) withLease(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	d.state.mu.Lock()
	agentCtx, lease := d.agentCtx, d.state.leaseHolder()
	d.state.mu.Unlock()
	run, ok := goal.RunOf(ctx)
	ctx, cancel := cdp.JoinContexts(ctx, agentCtx)
	if ok && !d.state.scriptless && string(run.Goal) != lease {
		cancel(ErrNotLeased)
	}
	return ctx, cancel
}
