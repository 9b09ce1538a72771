package lifecycle

import (
	"fmt"
	"os"
	"strings"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// ListEngines describes all engines, Goalpost's own loop first. current is the engine of the settings.
func ListEngines(current string) []api.EngineView {
	list := []api.EngineView{{
		ID:          OwnLoop,
		Name:        "Goalpost",
		Default:     current == "" || current == OwnLoop,
		Tested:      true,
		Note:        "Goalpost's own loop",
		Credentials: "Asks the goal's model. Its key stays outside the sandbox.",
	}}
	for _, profile := range engine.Profiles() {
		found := session.FindEngine(profile)
		view := api.EngineView{
			ID:      profile.ID,
			Name:    profile.Name,
			Default: current == profile.ID,
			Path:    found.Command,
			Version: found.Version,
			Tested:  found.IsTested(),
			Install: profile.Install,
			Licence: profile.Licence,
			Login:   viewLogin(profile),
			Credentials: "Asks the goal's model through Goalpost. It needs no key or sign-in of its own, so none is in " +
				"the sandbox.",
		}
		switch {
		case found.Command == "":
			view.Note = "not installed: " + profile.Install
		case found.Program == "":
			view.Path, view.Note = "", found.Missing()
		case !view.Tested:
			view.Note = "not tested with this version; tested: " + strings.Join(profile.Tested, ", ")
		default:
			view.Note = "ready"
		}
		list = append(list, view)
	}
	return list
}

// viewLogin describes the sign-in of an agent, nil if it has none.
func viewLogin(p engine.Profile) *api.EngineLogin {
	if p.Login == nil {
		return nil
	}
	view := api.EngineLogin{Advice: p.Login.Advice(), Command: p.Login.Command, Lost: session.LoginWarning + "."}
	home, err := os.UserHomeDir()
	if err == nil {
		_, err = p.Login.Read(home, os.Getenv, time.Now())
	}
	if err != nil {
		view.Problem = err.Error()
	}
	return &view
}

// engineSettings is the part of the configuration that SetEngine changes.
type engineSettings interface {
	Settings() config.Settings
	SaveSettings(config.Settings) error
}

// SetEngine sets the engine of new goals, which must be installed.
func SetEngine(c engineSettings, id string) error {
	settings := c.Settings()
	for _, view := range ListEngines(settings.Engine) {
		if view.ID != id {
			continue
		}
		if view.ID != OwnLoop && view.Path == "" {
			return fault.Invalid("engine", view.Name+" is not installed", "install it with "+view.Install)
		}
		settings.Engine = id
		return c.SaveSettings(settings)
	}
	return fault.Invalid("engine", fmt.Sprintf("there is no engine %q", id), "choose one of the list").OnCommandLine(
		"goalctl engines lists them")
}
