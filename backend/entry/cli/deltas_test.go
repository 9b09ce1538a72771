package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/storage/config"
)

// TestFollow_RunOver_ShowsStreamedEvents: events that are in no journal must be shown even if the run is over before
// follow reads them.
func TestFollow_RunOver_ShowsStreamedEvents(t *testing.T) {
	home := t.TempDir()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	t.Setenv("HOME", home)
	model := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer {
		a := modeltest.Call("abort_with_report", `{"reason":"no way","what_was_learned":"nothing"}`)
		a.Text = "I give up."
		return a
	})
	var out, said bytes.Buffer
	p := Program{Name: "goalctl", Stdout: &out, Stderr: &said, Getenv: func(name string) string {
		if name == config.HomeVariable {
			return home
		}
		return os.Getenv(name)
	}}
	err := p.withApp(t.Context(), app.Options{}, func(a *app.App) error {
		if err := a.Config().SaveProvider(config.Provider{
			ID:      "local",
			Kind:    config.OpenAI,
			BaseURL: model.URL,
			Model:   "m",
		}); err != nil {
			return err
		}
		return liveView{p}.follow(t.Context(), a, output{json: true, deltas: true},
			func(ctx context.Context) (runningGoal, error) {
				id, err := a.Goals.Start(ctx, goal.Request{
					Objective: "x",
					Provider:  "local",
					Policy:    policy.Policy{Risk: "write_local", Dir: t.TempDir()},
					Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.File, Path: "never"}}},
				})
				<-a.Done(id)
				return runningGoal{id: id}, err
			})
	})
	var code exitCode
	if !errors.As(err, &code) || code != exitAborted {
		t.Fatal(err, said.String())
	}
	if !strings.Contains(out.String(), `"type":"delta"`) || !strings.Contains(out.String(), `"type":"ended"`) {
		t.Error(out.String())
	}
}
