package goals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
	"goalpost/backend/tools"
)

// Start takes a child in. Its policy is the parent's at most, and its limits a
// share of what the parent and the other children leave.
func (c *childGoals) Start(ctx context.Context, child tools.Child) (goal.ID, error) {
	if c.above != "" {
		return "", errors.New("this goal was started by another goal and cannot start more")
	}
	c.mu.Lock() // two at once would share the same rest
	defer c.mu.Unlock()
	parent, err := c.goals.store.Goal(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	rows, err := c.goals.store.Children(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	live := 0
	for _, r := range rows {
		if r.Status.IsActive() {
			live++
		}
	}
	if live >= maxChildren {
		return "", fmt.Errorf("%d goals work for you already; wait for one of them", live)
	}
	shared, err := c.goals.store.Shared(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	limits, err := shareLimits(parent.Goal, shared, rows, child.Share)
	if err != nil {
		return "", err
	}
	in := api.StartInput{
		Objective:      child.Objective,
		Checks:         child.Checks,
		Provider:       parent.Provider,
		Model:          parent.Model,
		OnAsk:          parent.Options.OnAsk,
		Persona:        parent.Options.Persona,
		Effort:         parent.Options.Effort,
		CriticEvery:    parent.Options.CriticEvery,
		CriticProvider: parent.Options.CriticProvider,
		JudgeProvider:  parent.Options.JudgeProvider,
	}
	if in.CriticEvery == 0 {
		in.CriticEvery = api.NoLimit
	}
	if child.ReadOnly {
		in.Dir = parent.Policy.Dir
	}
	id, err := c.goals.StartAs(ctx, in, func(g *goal.Goal) error {
		g.Limits, g.Options.Parent, g.Options.Outside = limits, c.parent, parent.Options.Outside
		if err := restrictPolicy(&g.Policy, parent.Policy, child); err != nil {
			return err
		}
		return goalsandbox.ValidateCheckHosts(g.Policy, g.Criterion.Checks)
	})
	c.any = c.any || err == nil
	return id, err
}

// restrictPolicy makes a policy that allows no more than the parent's.
func restrictPolicy(p *policy.Policy, parent policy.Policy, child tools.Child) error {
	dir := p.Dir
	*p = parent
	p.Dir = dir
	p.DenyTools = append(append([]string{}, parent.DenyTools...), child.DenyTools...)
	p.AllowWrite, p.AllowSocket, p.Secrets = nil, nil, nil // what the user granted, this goal was granted
	// It writes its own folder alone, or nothing of the parent's. Its checks are the parent's agent's.
	p.Work, p.CheckDir = nil, ""
	if parent.CheckDir != "" {
		p.Hidden = append(append([]string{}, parent.Hidden...), parent.CheckDir)
	}
	switch {
	case child.ReadOnly:
		p.Risk = policy.ReadOnly
	case child.Risk == "":
	case child.Risk.Exceeds(parent.Risk):
		return fmt.Errorf("you may do at most %s, so it cannot have %s", parent.Risk, child.Risk)
	default:
		p.Risk = child.Risk
	}
	if !child.ReadOnly {
		p.AllowRead = append(append([]string{}, parent.AllowRead...), parent.Dir)
	}
	return nil
}

// shareLimits is that many percent of what is left of the parent's limits once every
// child has used up its own; shared is what all of them have spent so far.
func shareLimits(parent goal.Goal, shared goal.Spend, rows []store.GoalRow, percent int) (goal.Limits, error) {
	promised := shared
	for _, r := range rows {
		if n := r.Spent; r.Status.IsActive() { // what it may still spend
			promised = promised.Add(goal.Spend{
				Iterations: max(0, r.Limits.Iterations-n.Iterations),
				USD:        max(0, r.Limits.USD-n.USD),
				TokensIn:   max(0, r.Limits.Tokens-n.TokensIn-n.TokensOut),
			})
		}
	}
	used, l, share := parent.Spent.Add(promised), parent.Limits, float64(percent)/100
	out := goal.Limits{ClaimsPerCheck: l.ClaimsPerCheck}
	none := func(what string) (goal.Limits, error) {
		return out, fmt.Errorf("nothing that could be shared is left of your limit of %s", what)
	}
	if l.Iterations > 0 {
		if out.Iterations = int(float64(l.Iterations-used.Iterations) * share); out.Iterations < 1 {
			return none("iterations")
		}
	}
	if l.Tokens > 0 {
		if out.Tokens = int64(float64(l.Tokens-used.TokensIn-used.TokensOut) * share); out.Tokens < 1 {
			return none("tokens")
		}
	}
	if l.USD > 0 {
		if out.USD = (l.USD - used.USD) * share; out.USD <= 0 {
			return none("money")
		}
	}
	if l.WallClock > 0 { // they work side by side: none gets less because of another
		if out.WallClock = time.Duration(float64(l.WallClock-parent.Spent.WallClock) * share).Round(
			time.Second); out.WallClock < time.Second {
			return none("time")
		}
	}
	return out, nil
}
