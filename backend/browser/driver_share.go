package browser

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// ErrNotLeased means that a goal no longer has a pane that was shared with it.
var ErrNotLeased = cdp.NewCause("this pane is the user's again")

// permissionDenial is a permission that the agent was refused, which is not stored in the user's
// profile.
type permissionDenial struct{ origin, permission string }

// Share shares a pane of the user with a goal: its agent drives until TakeOver or EndShare, and
// sees nothing of the time before. The page stays in the user's profile, with its logins and its
// network. Sharing it with the goal that already has it changes nothing.
func (p *Pane) Share(goalID string) error {
	var err error
	var on []*page
	p.state.change(func() {
		switch {
		case p.state.goalID != "" || goalID == "" || p.state.scriptless || p.state.info.Inspects != "":
			err = errors.New("sharing: only a user's pane can be shared, and only with a goal")
			return
		case p.state.sharedWith() == goalID:
			return
		case p.state.sharedWith() != "":
			err = errors.New("sharing: the pane is shared with another goal")
			return
		}
		p.driver.shareHolder(goalID)
		on = p.frames.pageAndFrames()
	})
	for _, pg := range on {
		pg.Post(networkEnableParams)
	}
	return err
}

// shareHolder is the lease of a shared pane. The caller holds mu.
func (d *driver) shareHolder(goalID string) {
	d.idle = false
	d.state.info.GoalID, d.state.info.Shared, d.state.info.Driver, d.state.info.Acting = goalID, true, pane.DriverAgent, ""
	d.agentCtx, d.cancelAgent = context.WithCancelCause(context.Background())
	d.activity.actionEvents, d.activity.journal = nil, activityLog{from: time.Now()}
	for _, a := range d.prompts.open {
		if a.waiting != nil && !a.stops {
			for _, c := range *a.waiting {
				c.respond(pane.Answer{}) // only a user is asked
			}
		}
	}
	d.prompts.closeLocked(func(a openPrompt) bool { return !a.stops })
}

// EndShare ends a share: every call of the agent fails with ErrNotLeased, and it knows nothing of
// the page any more. Without a share it does nothing.
func (p *Pane) EndShare() {
	var off []*page
	var again []permissionDenial
	p.state.change(func() {
		if p.state.sharedWith() == "" {
			return
		}
		p.driver.idle = false
		p.state.info.GoalID, p.state.info.Shared, p.state.info.Driver, p.state.info.Acting = "", false, pane.DriverUser, ""
		p.driver.cancelAgent(ErrNotLeased)
		p.driver.agentCtx, p.driver.cancelAgent = context.WithCancelCause(context.Background())
		p.activity.actionEvents, p.activity.journal = nil, activityLog{from: time.Now()}
		off, again, p.siteData.deniedPermissions = p.frames.pageAndFrames(), p.siteData.deniedPermissions, nil
	})
	for _, pg := range off {
		pg.Post(proto.NetworkDisable{})
	}
	for _, r := range again {
		p.state.runAsync(func(ctx context.Context) error {
			return p.siteData.setPermission(ctx, r.origin, r.permission, permissionPrompt)
		})
	}
}

// inheritDriver gives a new window the driver of its opener: the goal that the opener is shared
// with, and whether the user has taken it over.
func (d *driver) inheritDriver(opener *Pane) {
	opener.state.mu.Lock()
	lent, driver, idle := opener.state.sharedWith(), opener.state.info.Driver, opener.driver.idle
	opener.state.mu.Unlock()
	d.state.change(func() {
		if lent != "" {
			d.shareHolder(lent)
		}
		if d.state.leaseHolder() == "" {
			return
		}
		d.idle, d.state.info.Driver = idle, driver
		if driver == pane.DriverUser {
			d.cancelAgent(ErrTakenOver)
		}
	})
}
