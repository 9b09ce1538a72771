package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// TestEngineList_TestsAndChoosesAnInstalledAgent: the real agent starts, begins a session and writes a file, and the
// test leaves nothing behind. If the agent cannot finish, the result says which stages it reached.
func TestEngineList_TestsAndChoosesAnInstalledAgent(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		engines := area[*calls.EngineAPI](t, p.app)
		list, err := engines.List()
		must(t, err)
		at := slices.IndexFunc(list, func(v api.EngineView) bool { return v.ID == a.id })
		if list[0].ID != "model" || !list[0].Default || at < 1 || !list[at].Tested || list[at].Note != "ready" ||
			!strings.Contains(list[at].Credentials, "no sign-in") {
			t.Fatalf("engines: %+v", list)
		}
		p.provide(agentTurns(
			a.bash("echo ready > engine-test.txt"),
			a.our("claim_complete", with("rationale", "it is there")),
			modeltest.Say("I have claimed."),
		))
		out, err := engines.Test(a.id)
		if err != nil || !out.OK || len(out.Stages) != 3 || out.MS <= 0 {
			t.Errorf("the test: %+v, %v", out, err)
		}
		p.provide(agentTurns(a.our("abort_with_report", with("reason", "cannot write", "what_was_learned", "-")),
			modeltest.Say("I give up.")))
		out, err = engines.Test(a.id)
		if err != nil || out.OK || len(out.Stages) == 0 ||
			!strings.Contains(out.Stages[len(out.Stages)-1].Detail, "cannot write") {
			t.Errorf("the failing test: %+v, %v", out, err)
		}
		goals, err := p.goal.List(calls.ListInput{})
		must(t, err)
		left, err := filepath.Glob(filepath.Join(p.cfg.Work(), "*"))
		if err != nil || len(left) != 0 || goals.Total != 0 {
			t.Errorf("left: %v, %d goals, %v", left, goals.Total, err)
		}
		if _, err := engines.Use(a.id); err != nil || p.cfg.Settings().Engine != a.id {
			t.Errorf("the setting is %q: %v", p.cfg.Settings().Engine, err)
		}
	})
}

// TestEngineList_WithoutTheAgent_SaysHowToInstallIt also checks that such an agent can be neither tested nor chosen.
func TestEngineList_WithoutTheAgent_SaysHowToInstallIt(t *testing.T) {
	p := start(t, t.TempDir())
	bin := t.TempDir()
	for _, name := range []string{"sh", "bash", "git"} {
		_ = os.Symlink("/bin/"+name, filepath.Join(bin, name))
	}
	t.Setenv("PATH", bin)
	p.provide(turns(givesUp))
	engines := area[*calls.EngineAPI](t, p.app)
	list, err := engines.List()
	must(t, err)
	for _, e := range list[1:] {
		if e.Path != "" || e.Install == "" || !strings.Contains(e.Note, e.Install) {
			t.Errorf("%+v", e)
		}
	}
	for _, try := range []func() error{
		func() error { _, err := engines.Use("opencode"); return err },
		func() error { _, err := engines.Test("opencode"); return err },
	} {
		if err := try(); err == nil || !strings.Contains(api.ToProblem(err).Message, "not installed") {
			t.Errorf("refused with %v", err)
		}
	}
	if _, err := engines.Test("model"); err == nil {
		t.Error("Goalpost's own loop was tested as an agent")
	}
}
