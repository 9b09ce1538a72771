package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

// ErrNotLeased says that a goal has no longer a pane that it was lent.
var ErrNotLeased = cdp.NewCause("this pane is the user's again")

// refusal of a permission for the agent, which the user's profile does not keep.
type permissionDenial struct{ origin, permission string }

// leaseHolder is the goal that has the pane, "" for the user; mu is held.
func (p *Pane) leaseHolder() string {
	if p.goalID != "" {
		return p.goalID
	}
	return p.sharedWith
}

// Lease is the goal that has the pane, its own or lent to it; "" is the user.
func (p *Pane) Lease() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaseHolder()
}

// Share gives a pane of the user to a goal: its agent drives until TakeOver or
// EndShare, and knows nothing of what was there before. The page stays in the
// user's profile, with its logins and its network. Lending it to the goal that
// has it changes nothing.
func (p *Pane) Share(goalID string) error {
	var err error
	var on []*page
	p.change(func() {
		switch {
		case p.goalID != "" || goalID == "" || p.scriptless:
			err = errors.New("lending: only a user's pane can be lent, and to a goal")
			return
		case p.sharedWith == goalID:
			return
		case p.sharedWith != "":
			err = errors.New("lending: the pane is lent to another goal")
			return
		}
		p.shareHolder(goalID)
		on = p.pageAndFrames()
	})
	for _, pg := range on {
		pg.post(networkEnableParams)
	}
	return err
}

// shareHolder is the lease of a lent pane; mu is held.
func (p *Pane) shareHolder(goalID string) {
	p.sharedWith, p.idle = goalID, false
	p.info.GoalID, p.info.Shared, p.info.Driver, p.info.Acting = goalID, true, pane.DriverAgent, ""
	p.agentCtx, p.cancelAgent = context.WithCancelCause(context.Background())
	p.actionEvents, p.journal = nil, activityLog{from: time.Now()}
	for _, a := range p.prompts {
		if a.waiting != nil && !a.stops {
			for _, c := range *a.waiting {
				c.respond(pane.Answer{}) // only a user is asked
			}
		}
	}
	p.closePromptsLocked(func(a openPrompt) bool { return !a.stops })
}

// EndShare ends what Lend began: every call of the agent ends with ErrNotLeased,
// and nothing of the page is known to it any more. It is no error where nothing
// was lent.
func (p *Pane) EndShare() {
	var off []*page
	var again []permissionDenial
	p.change(func() {
		if p.sharedWith == "" {
			return
		}
		p.sharedWith, p.idle = "", false
		p.info.GoalID, p.info.Shared, p.info.Driver, p.info.Acting = "", false, pane.DriverUser, ""
		p.cancelAgent(ErrNotLeased)
		p.agentCtx, p.cancelAgent = context.WithCancelCause(context.Background())
		p.actionEvents, p.journal = nil, activityLog{from: time.Now()}
		off, again, p.deniedPermissions = p.pageAndFrames(), p.deniedPermissions, nil
	})
	for _, pg := range off {
		pg.post(networkOff)
	}
	for _, r := range again {
		p.m.runAsync(p, func(ctx context.Context) error { return p.setPermission(ctx, r.origin, r.permission, permissionPrompt) })
	}
}

// pageAndFrames is the page with its parts; mu is held.
func (p *Pane) pageAndFrames() []*page {
	if p.page == nil {
		return nil
	}
	list := []*page{p.page}
	for _, part := range p.frames {
		list = append(list, part.page)
	}
	return list
}

// alwaysTracksNetwork says whether what the page fetches is told always, for a goal's agent;
// mu is held.
func (p *Pane) alwaysTracksNetwork() bool { return p.leaseHolder() != "" && !p.scriptless }

// isOtherGoal says whether something is done for a goal that has not the pane.
func (p *Pane) isOtherGoal(ctx context.Context) error {
	run, ok := goal.RunOf(ctx)
	if !ok || p.scriptless || string(run.Goal) == p.Lease() {
		return nil
	}
	return fmt.Errorf("pane %s: %w", p.id, ErrNotLeased)
}
