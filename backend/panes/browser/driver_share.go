package browser

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
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
	p.State.change(func() {
		switch {
		case p.State.goalID != "" || goalID == "" || p.State.scriptless || p.State.info.Inspects != "":
			err = errors.New("sharing: only a user's pane can be shared, and only with a goal")
			return
		case p.State.sharedWith() == goalID:
			return
		case p.State.sharedWith() != "":
			err = errors.New("sharing: the pane is shared with another goal")
			return
		}
		p.Driver.beginShare(goalID)
		on = p.frames.pageAndFrames()
	})
	for _, pg := range on {
		pg.Post(networkEnableParams)
	}
	return err
}

// beginShare gives a goal the lease of the pane. The caller holds the state's mutex.
func (d *Driver) beginShare(goalID string) {
	d.idle = false
	d.state.info.GoalID, d.state.info.Shared, d.state.info.Driver, d.state.info.Acting = goalID, true, pane.DriverAgent, ""
	d.agentCtx, d.cancelAgent = context.WithCancelCause(context.Background())
	d.activity.actionEvents, d.activity.journal = nil, activityLog{from: time.Now()}
	for _, a := range d.prompts.open {
		if a.waiting != nil && !a.blocksPage {
			for _, c := range *a.waiting {
				c.respond(pane.Answer{}) // only a user is asked
			}
		}
	}
	d.prompts.closeLocked(func(a openPrompt) bool { return !a.blocksPage })
}

// EndShare ends a share: every call of the agent fails with ErrNotLeased, and it knows nothing of
// the page any more. Without a share it does nothing.
func (p *Pane) EndShare() {
	var off []*page
	var denials []permissionDenial
	p.State.change(func() {
		if p.State.sharedWith() == "" {
			return
		}
		p.Driver.idle = false
		p.State.info.GoalID, p.State.info.Shared, p.State.info.Driver, p.State.info.Acting = "", false, pane.DriverUser, ""
		p.Driver.cancelAgent(ErrNotLeased)
		p.Driver.agentCtx, p.Driver.cancelAgent = context.WithCancelCause(context.Background())
		p.Activity.actionEvents, p.Activity.journal = nil, activityLog{from: time.Now()}
		off, denials = p.frames.pageAndFrames(), p.SiteData.takeDenials()
	})
	for _, pg := range off {
		pg.Post(proto.NetworkDisable{})
	}
	for _, r := range denials {
		p.State.runAsync(func(ctx context.Context) error {
			return p.SiteData.setPermission(ctx, r.origin, r.permission, permissionPrompt)
		})
	}
}

// inheritDriver gives a new window the driver of its opener: the goal that the opener is shared
// with, and whether the user has taken it over.
func (d *Driver) inheritDriver(opener *Pane) {
	opener.State.mu.Lock()
	sharedWith, driver, idle := opener.State.sharedWith(), opener.State.info.Driver, opener.Driver.idle
	opener.State.mu.Unlock()
	d.state.change(func() {
		if sharedWith != "" {
			d.beginShare(sharedWith)
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
