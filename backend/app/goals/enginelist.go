package goals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/app/session"
	"goalpost/backend/config"
	"goalpost/backend/engine"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
)

// ListEngines describes all engines, Goalpost's own loop first. chosen is the setting.
func ListEngines(chosen string) []api.EngineView {
	list := []api.EngineView{{
		ID:          OwnLoop,
		Name:        "Goalpost",
		Default:     chosen == "" || chosen == OwnLoop,
		Tested:      true,
		Note:        "Goalpost's own loop",
		Credentials: "Asks the goal's model. Its key stays outside of the sandbox.",
	}}
	for _, profile := range engine.Profiles() {
		found := session.FindEngine(profile)
		view := api.EngineView{
			ID:      profile.ID,
			Name:    profile.Name,
			Default: chosen == profile.ID,
			Path:    found.Command,
			Version: found.Version,
			Tested:  found.IsTested(),
			Install: profile.Install,
			Licence: profile.Licence,
			Credentials: "Asks the goal's model through Goalpost. Needs no key and no sign-in of its own, and none is in " +
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

// Engines describes all engines.
func (s *Service) Engines() []api.EngineView { return ListEngines(s.cfg.Settings().Engine) }

// UseEngine sets the engine of new goals.
func (s *Service) UseEngine(id string) error { return SetEngine(s.cfg, id) }

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
	return fault.Invalid("engine", fmt.Sprintf("there is no engine %q", id), "goalctl engines lists them")
}

// The test of an engine.
const (
	engineTestTime  = 3 * time.Minute
	engineTestTurns = 8
	engineTestFile  = "engine-test.txt"
)

// TestEngine lets an external agent write one file, as a goal in an empty folder with the active model. Goal and folder
// are deleted afterwards.
func (s *Service) TestEngine(ctx context.Context, id string) (out api.EngineTest, err error) {
	if _, known := engine.FindProfile(s.intake.engines, id); !known {
		return out, fault.Invalid("engine", fmt.Sprintf("there is no external agent %q to test", id),
			"goalctl engines lists them")
	}
	const buffer = 4096
	sub := s.sessions.Broker.SubscribeReliable(buffer)
	defer sub.Close()
	began := s.intake.clock.Now()
	made, err := s.Start(ctx, api.StartInput{
		Objective:   "Test of the engine: create the file " + engineTestFile + " with the word ready, then claim.",
		Checks:      []goal.Check{{Type: goal.Shell, Command: "grep -q ready " + engineTestFile}},
		Engine:      id,
		OnAsk:       goal.OnAskDeny,
		Review:      goal.ReviewNever,
		CriticEvery: api.NoLimit,
		LimitsInput: api.LimitsInput{WallClockMS: engineTestTime.Milliseconds(), Iterations: engineTestTurns},
	})
	if err != nil {
		return out, err
	}
	out.Stages = s.followEngineTest(ctx, made, sub)
	out.OK = out.Stages[len(out.Stages)-1].OK
	out.MS = s.intake.clock.Now().Sub(began).Milliseconds()
	row, err := s.store.Goal(ctx, made)
	if err != nil {
		return out, fmt.Errorf("test of the engine: %w", err)
	}
	return out, errors.Join(s.Delete(context.WithoutCancel(ctx), made), os.RemoveAll(row.Policy.Dir))
}

// followEngineTest reports how far the test came.
func (s *Service) followEngineTest(ctx context.Context, id goal.ID, sub *event.Subscription) []api.EngineStage {
	names := []string{"start and session", "one prompt", "a change and a claim"}
	reached, why := 0, ""
	for why == "" && reached < len(names) {
		select {
		case <-ctx.Done():
			why = "the test was cancelled"
		case e, ok := <-sub.C:
			if !ok {
				why = "too many events at once; try again"
			}
			if e.GoalID == id {
				reached, why = engineTestProgress(e.Body, reached, len(names))
			}
		}
	}
	var stages []api.EngineStage
	for _, name := range names[:reached] {
		stages = append(stages, api.EngineStage{Name: name, OK: true})
	}
	if reached < len(names) {
		stages = append(stages, api.EngineStage{Name: names[reached], Detail: why})
	}
	return stages
}

// engineTestProgress returns how many stages are passed after an event, and why the test ended before the last.
func engineTestProgress(body event.Body, reached, all int) (stages int, why string) {
	switch b := body.(type) {
	case *event.Delta, *event.Message:
		if m, ok := b.(*event.Message); !ok || m.Message.Role == goal.Assistant {
			return max(reached, 1), ""
		}
	case *event.Step, *event.Claim:
		return max(reached, 2), ""
	case *event.Ended:
		if b.Exit == goal.Done {
			return all, ""
		}
		return reached, strings.Join(b.Report[:min(1, len(b.Report))], "")
	case *event.Paused:
		return reached, b.Reason
	}
	return reached, ""
}
