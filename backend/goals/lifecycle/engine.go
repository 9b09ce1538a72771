package lifecycle

import (
	"cmp"
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
		return "", fault.Invalid("engine", fmt.Sprintf("there is no engine %q", id), "use one of "+strings.Join(names, ", "))
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
	own.Message += ", and an external agent asks that model, too: a sign-in of its own cannot be used"
	return &own
}
