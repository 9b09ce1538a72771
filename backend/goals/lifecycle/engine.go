package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/agent/engine"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
)

// OwnLoop is the name of Goalpost's own loop among the engines.
const OwnLoop = "model"

// chooseEngine returns the external agent for a new goal, "" for Goalpost's own loop. The setting applies only where
// an agent can run.
func chooseEngine(engines []engine.Profile, name, setting string, g goal.Goal) (string, error) {
	possible := !g.Scripted && !g.Policy.Unconfined
	id := cmp.Or(name, setting)
	if id == "" || id == OwnLoop || name == "" && !possible {
		return "", nil
	}
	p, isKnown := engine.FindProfile(engines, id)
	if !isKnown {
		names := []string{OwnLoop}
		for _, p := range engines {
			names = append(names, p.ID)
		}
		hint := "use one of " + strings.Join(names, ", ")
		return "", fault.Invalid("engine", fmt.Sprintf("there is no engine %q", id), hint).OnCommandLine(
			hint + "; AGENT:login, such as claude:login, uses the sign-in of that agent")
	}
	found := session.FindEngine(p)
	switch {
	case g.Scripted:
		return "", fault.Invalid("engine", "the demonstration has an engine of its own", "leave the engine out")
	case g.Policy.Unconfined:
		return "", fault.Invalid("engine", p.Name+" runs only in a sandbox, and this goal has none",
			"run the goal in the sandbox, or choose another engine").OnCommandLine("leave out --unconfined or --engine")
	case found.Command != "" && found.Program == "":
		return "", fault.Invalid("engine", found.Missing(), "install it, or choose another engine")
	case found.Program == "":
		return "", fault.Invalid("engine", p.Name+" is not installed",
			fmt.Sprintf("install it with %q, or choose another engine", p.Install))
	}
	return id, nil
}

// explainEngineModel adds to the refusal of a goal without a model that an external agent needs one, too: users expect
// that the sign-in of their agent is enough.
func explainEngineModel(refusal error, engine string) error {
	var missing *fault.Error
	if engine == "" || !errors.As(refusal, &missing) || missing.Field != "provider" {
		return refusal
	}
	own := *missing
	own.Message += ", and an external agent asks that model, too, unless it uses its own sign-in"
	return &own
}

// validateLogin refuses a goal whose agent is to use its sign-in on this computer, and cannot.
func (it *Intake) validateLogin(ctx context.Context, g goal.Goal) error {
	if !g.EngineLogin {
		return nil
	}
	p, _ := engine.FindProfile(it.engines, g.Options.Engine)
	c, err := session.ReadLogin(ctx, p, it.models.Mask, it.clock.Now())
	if err != nil {
		return err
	}
	return session.ValidateLogin(p, c, g.Policy)
}

// doWithoutModel prepares a goal for which no model is connected: its agent has a sign-in of its own. It returns the
// refusal if something else of the goal needs a model.
func (it *Intake) doWithoutModel(g *goal.Goal, refusal error) error {
	if _, err := it.models.Get(""); err == nil || g.Provider != "" {
		return refusal
	}
	needs := ""
	for _, c := range g.Criterion.Checks {
		if !c.Type.IsDeterministic() && c.Type != goal.Manual {
			needs = fmt.Sprintf("the check %q", c.Name())
		}
	}
	if g.Options.Review == goal.ReviewAlways {
		needs = "the review of claims"
	}
	if needs != "" {
		return fault.Invalid("provider", "no model is connected, and "+needs+" needs one; the sign-in of the agent is only "+
			"for the agent", "connect a model in the settings, or leave it out").OnCommandLine(
			"connect one with `goalctl providers add`, or leave it out")
	}
	g.Model, g.CriticEvery, g.Options.Review = "", 0, goal.ReviewNever
	return nil
}
