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
func (s *state) leaseHolder() string {
	if s.goalID != "" {
		return s.goalID
	}
	return s.sharedWith
}

// Lease is the goal that has the pane, its own or lent to it; "" is the user.
func (s *state) Lease() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaseHolder()
}

// Share gives a pane of the user to a goal: its agent drives until TakeOver or
// EndShare, and knows nothing of what was there before. The page stays in the
// user's profile, with its logins and its network. Lending it to the goal that
// has it changes nothing.
func (p *Pane) Share(goalID string) error {
	var err error
	var on []*page
	p.state.change(func() {
		switch {
		case p.state.goalID != "" || goalID == "" || p.state.scriptless:
			err = errors.New("lending: only a user's pane can be lent, and to a goal")
			return
		case p.state.sharedWith == goalID:
			return
		case p.state.sharedWith != "":
			err = errors.New("lending: the pane is lent to another goal")
			return
		}
		p.driver.shareHolder(goalID)
		on = p.frames.pageAndFrames()
	})
	for _, pg := range on {
		pg.post(networkEnableParams)
	}
	return err
}

// shareHolder is the lease of a lent pane; mu is held.
func (d *driver) shareHolder(goalID string) {
	d.state.sharedWith, d.idle = goalID, false
	d.state.info.GoalID, d.state.info.Shared, d.state.info.Driver, d.state.info.Acting = goalID, true, pane.DriverAgent, ""
	d.agentCtx, d.cancelAgent = context.WithCancelCause(context.Background())
	d.activity.actionEvents, d.activity.journal = nil, activityLog{from: time.Now()}
	for _, a := range d.prompts.prompts {
		if a.waiting != nil && !a.stops {
			for _, c := range *a.waiting {
				c.respond(pane.Answer{}) // only a user is asked
			}
		}
	}
	d.prompts.closePromptsLocked(func(a openPrompt) bool { return !a.stops })
}

// EndShare ends what Lend began: every call of the agent ends with ErrNotLeased,
// and nothing of the page is known to it any more. It is no error where nothing
// was lent.
func (p *Pane) EndShare() {
	var off []*page
	var again []permissionDenial
	p.state.change(func() {
		if p.state.sharedWith == "" {
			return
		}
		p.state.sharedWith, p.driver.idle = "", false
		p.state.info.GoalID, p.state.info.Shared, p.state.info.Driver, p.state.info.Acting = "", false, pane.DriverUser, ""
		p.driver.cancelAgent(ErrNotLeased)
		p.driver.agentCtx, p.driver.cancelAgent = context.WithCancelCause(context.Background())
		p.activity.actionEvents, p.activity.journal = nil, activityLog{from: time.Now()}
		off, again, p.siteData.deniedPermissions = p.frames.pageAndFrames(), p.siteData.deniedPermissions, nil
	})
	for _, pg := range off {
		pg.post(networkOff)
	}
	for _, r := range again {
		p.state.m.runAsync(p, func(ctx context.Context) error {
			return p.siteData.setPermission(ctx, r.origin, r.permission, permissionPrompt)
		})
	}
}

// pageAndFrames is the page with its parts; mu is held.
func (fs *frames) pageAndFrames() []*page {
	if fs.state.page == nil {
		return nil
	}
	list := []*page{fs.state.page}
	for _, part := range fs.frames {
		list = append(list, part.page)
	}
	return list
}

// alwaysTracksNetwork says whether what the page fetches is told always, for a goal's agent;
// mu is held.
func (s *state) alwaysTracksNetwork() bool { return s.leaseHolder() != "" && !s.scriptless }

// isOtherGoal says whether something is done for a goal that has not the pane.
func (s *state) isOtherGoal(ctx context.Context) error {
	run, ok := goal.RunOf(ctx)
	if !ok || s.scriptless || string(run.Goal) == s.Lease() {
		return nil
	}
	return fmt.Errorf("pane %s: %w", s.id, ErrNotLeased)
}
