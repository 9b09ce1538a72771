package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// Limits of the goal with which an engine is tested, and the file that the goal makes.
const (
	engineTestTimeout  = 3 * time.Minute
	maxEngineTestTurns = 8
	engineTestFile     = "engine-test.txt"
)

// TestEngine lets an external agent write one file, as a goal in an empty folder with the active model. It deletes the
// goal and its folder afterwards.
func (s *Service) TestEngine(ctx context.Context, id string) (out api.EngineTest, err error) {
	if _, isKnown := engine.FindProfile(s.Intake.engines, id); !isKnown {
		return out, fault.Invalid("engine", fmt.Sprintf("there is no external agent %q to test", id),
			"choose one of the list").OnCommandLine("goalctl engines lists them")
	}
	const buffer = 4096
	sub := s.sessions.Broker.SubscribeReliable(buffer)
	defer sub.Close()
	began := s.Intake.clock.Now()
	testID, err := s.Start(ctx, goal.Request{
		Objective: "Test of the engine: create the file " + engineTestFile + " with the word ready, then claim.",
		Criterion: goal.Criterion{
			Checks: []goal.Check{{Type: goal.Shell, Command: "grep -q ready " + engineTestFile}},
		},
		Options: goal.Options{
			Engine:      id,
			OnAsk:       goal.OnAskDeny,
			Review:      goal.ReviewNever,
			CriticEvery: goal.NoLimit,
		},
		Limits: goal.Limits{WallClockMS: engineTestTimeout.Milliseconds(), Iterations: maxEngineTestTurns},
	})
	if err != nil {
		return out, err
	}
	out.Stages = s.followEngineTest(ctx, testID, sub)
	out.OK = out.Stages[len(out.Stages)-1].OK
	out.MS = s.Intake.clock.Now().Sub(began).Milliseconds()
	row, err := s.store.Goals.Get(ctx, testID)
	if err != nil {
		return out, fmt.Errorf("test of the engine: %w", err)
	}
	return out, errors.Join(s.Delete(context.WithoutCancel(ctx), testID), os.RemoveAll(row.Policy.Dir))
}

// followEngineTest follows the test until it ends, and returns the stages that it reached.
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

// engineTestProgress returns how many stages have passed after an event, and why the test ended early, if it did.
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
