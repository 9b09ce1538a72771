package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/models"
	"goalpost/backend/storage/config"
)

// openModels makes the models of a run, which retry and journal each wait. A scripted goal has no critic, because a
// script cannot criticise itself.
func (se *Session) openModels(ctx context.Context, g goal.Goal) (modelSet, error) {
	if g.Provider == "" { // an agent with its own sign-in
		m, err := modelSet{}, se.engine.open(ctx, g, nil, config.Provider{}, se.warn)
		if err == nil {
			m.Agent = engineModel{&se.engine, se.engine.agent.OwnHosts()}
		}
		return m, err
	}
	provider, err := se.registry.Models.Get(g.Provider)
	if err != nil {
		return modelSet{}, errorWithHint(err)
	}
	provider = models.WithModel(provider, g.Model) // the user may have chosen another model of the provider
	choice := models.Choice{Provider: provider, Effort: g.Options.Effort}
	agent, err := se.openModel(ctx, "model", choice)
	if err != nil {
		return modelSet{}, err
	}
	m := modelSet{Models: runner.Models{Agent: agent, Window: se.registry.Models.Window(ctx, provider)}}
	if agent, m.Window, err = se.addFallbacks(ctx, g, agent, m.Window, choice); err != nil {
		return modelSet{}, err
	}
	m.Agent = agent
	if g.Options.Engine != "" {
		if err := se.engine.open(ctx, g, agent, provider, se.warn); err != nil {
			return modelSet{}, err
		}
		// the agent shortens its conversation itself
		m.Agent, m.Window = engineModel{&se.engine, se.engine.agent.OwnHosts()}, 0
	}
	if !g.Scripted {
		critic, err := se.openOther(ctx, "critic", g.Critic, choice)
		if err != nil {
			return modelSet{}, err
		}
		m.Critic, m.CriticModel, m.CriticWindow = critic.Client, critic.name, critic.window
	}
	if !g.Scripted || g.Judge != "" && g.Judge != choice.ID {
		opened, err := se.openOther(ctx, "judge", g.Judge, choice)
		if err != nil {
			return modelSet{}, err
		}
		m.judge, m.window = pausableModel{opened}, opened.window
		if m.other, err = se.openOtherJudge(ctx, g, choice); err != nil {
			return modelSet{}, err
		}
	}
	if err := se.openRoles(ctx, g, choice, &m); err != nil {
		return modelSet{}, err
	}
	return m, se.warnUnpriced(g, provider)
}

// openRoles opens the models of a goal that review, decide what pictures show, and write summaries.
func (se *Session) openRoles(ctx context.Context, g goal.Goal, choice models.Choice, m *modelSet) (err error) {
	if m.reviewer, err = se.openJudge(ctx, "reviewer", g.Options.Reviewer, choice, m); err != nil {
		return err
	}
	if m.vision, err = se.openJudge(ctx, "vision", g.Options.Vision, choice, m); err != nil {
		return err
	}
	if g.Options.Summary != "" {
		m.Summary, err = se.openOther(ctx, "summaries", g.Options.Summary, choice)
	}
	return err
}

// openJudge opens a model that judges in a role of its own. It returns nil if the goal names none. The judge is asked
// if no answer of that model can be read.
func (se *Session) openJudge(
	ctx context.Context, role, name string, choice models.Choice, m *modelSet,
) (*judge.Judge, error) {
	if name == "" {
		return nil, nil
	}
	opened, err := se.openOther(ctx, role, name, choice)
	if err != nil {
		return nil, err
	}
	j := &judge.Judge{Model: pausableModel{opened}, Name: opened.name, Window: opened.window}
	if m.judge != nil {
		j.Other = &judge.Judge{Model: m.judge, Window: m.window}
	}
	return j, nil
}

// addFallbacks adds the models that take the turns while the goal's own is away. The smallest window counts.
func (se *Session) addFallbacks(
	ctx context.Context, g goal.Goal, own model.Client, window int, choice models.Choice,
) (model.Client, int, error) {
	if len(g.Options.Fallbacks) == 0 {
		return own, window, nil
	}
	f := &fallbackModel{Client: own, name: choice.Model, clock: se.registry.Clock, warn: se.warn}
	for _, name := range g.Options.Fallbacks {
		other, err := se.openOther(ctx, "model", name, choice)
		if err != nil {
			return nil, 0, err
		}
		f.others, window = append(f.others, other), min(window, other.window)
	}
	return f, window, nil
}

// openOtherJudge opens the model that is asked if no answer of the judge can be read: the goal's critic or its own
// model, whichever is not the judge. It returns nil if all are the same.
func (se *Session) openOtherJudge(ctx context.Context, g goal.Goal, choice models.Choice) (*judge.Judge, error) {
	taken, err := se.registry.Models.Find(g.Judge, choice.Provider)
	if err != nil {
		return nil, errorWithHint(err)
	}
	for _, name := range []string{g.Critic, ""} {
		p, err := se.registry.Models.Find(name, choice.Provider)
		if err != nil {
			return nil, errorWithHint(err)
		}
		if p.Kind == config.Demo || p.ID == taken.ID && p.Model == taken.Model {
			continue
		}
		m, err := se.openOther(ctx, "judge", name, choice)
		if err != nil {
			return nil, err
		}
		return &judge.Judge{Model: pausableModel{m}, Name: m.name, Window: m.window}, nil
	}
	return nil, nil
}

// warnUnpriced warns if a spending limit has no effect because a model's price is unknown.
func (se *Session) warnUnpriced(g goal.Goal, provider config.Provider) error {
	daily := se.registry.Models.Config.Settings().DailyLimitUSD
	if g.Limits.USD <= 0 && daily <= 0 || g.Scripted {
		return nil
	}
	var unpriced []string
	for _, name := range []string{"", g.Critic, g.Judge, g.Reviewer, g.Vision, g.Summary} {
		p, err := se.registry.Models.Find(name, provider)
		if err != nil {
			return errorWithHint(err)
		}
		if !se.registry.Models.HasPrice(p) && !slices.Contains(unpriced, p.Model) {
			unpriced = append(unpriced, p.Model)
		}
	}
	if len(unpriced) > 0 {
		limit := fmt.Sprintf("the limit of $%.2f", g.Limits.USD)
		if g.Limits.USD <= 0 {
			limit = fmt.Sprintf("the daily limit of $%.2f", daily)
		}
		se.warn("usd", fmt.Sprintf("no price is known for %s, so %s does not include its cost; also limit the tokens",
			strings.Join(unpriced, ", "), limit))
	}
	return nil
}

// namedModel is a model with the provider's name for it, and the size of its context in tokens.
type namedModel struct {
	model.Client
	name   string
	window int
}

// Turn asks this model and ignores the model named in t.
func (n namedModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	t.Model = n.name
	return n.Client.Turn(ctx, t, delta)
}

// openOther opens the model with a name, which may be of another provider. The goal's effort applies to all roles of
// its own provider.
func (se *Session) openOther(ctx context.Context, role, name string, choice models.Choice) (namedModel, error) {
	other, err := se.registry.Models.Find(name, choice.Provider)
	if err != nil {
		return namedModel{}, fmt.Errorf("the %s: %w", role, err)
	}
	p := models.Choice{Provider: other}
	if other.ID == choice.ID {
		p.Effort = choice.Effort
	}
	m, err := se.openModel(ctx, role, p)
	return namedModel{m, p.Model, se.registry.Models.Window(ctx, p.Provider)}, err
}

// pausableModel ends a turn when the user pauses the run.
type pausableModel struct{ model.Client }

func (p pausableModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	return runner.AskModel(ctx, p.Client, t, delta)
}

// openModel makes the model of a role. The session counts, over all runs, how often the goal was parked for that
// role and model.
func (se *Session) openModel(ctx context.Context, role string, p models.Choice) (model.Client, error) {
	m, err := se.registry.Models.NewClient(ctx, p)
	if err != nil {
		return nil, err
	}
	of := role + " " + p.ID + "/" + p.Model
	if se.parkCounters[of] == nil {
		se.parkCounters[of] = model.NewParkCounter(se.parkedInARow)
	}
	retrying := model.Retry{
		Model: m, Clock: se.registry.Clock, Parks: se.parkCounters[of],
		OnWait: func(err error, d time.Duration) {
			se.warn(role, fmt.Sprintf("%v; trying again in %s", err, goal.FormatDuration(d)))
		},
	}
	spender := role
	if role == "model" {
		spender = "agent"
	}
	return se.registry.Models.Budget.Meter(retrying, p.Provider, models.Spender{
		Goal: se.goal,
		Role: spender,
		Warn: func(text string) { se.warn(event.DailyLimitWarning, text) },
	}), nil
}
