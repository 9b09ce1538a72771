package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/agent/engine/acp/acptest"
	"goalpost/backend/agent/mcp/mcptest"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/entry/cli"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// TestMain lets the test binary act as goalctl, for the demonstration's server and for runs that a test kills, and as
// a scripted external agent.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), acptest.Prefix) {
		os.Exit(acptest.Main(runShell))
	}
	if len(os.Args) == 5 && os.Args[1] == hostCommand {
		if err := runHost(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == scheduleCommand {
		if err := runScheduleHost(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1][0] != '-' {
		p := cli.Program{Name: "goalctl", Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(p.Run(context.Background(), os.Args[1:]))
	}
	if kind := os.Getenv("MCP_TEST_SERVER"); kind != "" {
		os.Exit(mcptest.Serve(kind))
	}
	goleak.VerifyTestMain(tests{m})
}

// tests runs the tests in an environment that has none of the developer's files.
type tests struct{ *testing.M }

// testsPerCPU is how many tests run at once for each CPU. Most of the time a test waits: for a process to start, a
// page to settle, a commit to reach the disk.
const testsPerCPU = 2

// agentsDir is on the PATH. Each test that starts a scripted agent has its own folder in it.
var agentsDir string

func (t tests) Run() int {
	home, err := os.MkdirTemp("", "goalpost-app-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	helper, err := sandboxtest.Build()
	if err != nil {
		log.Fatal(err)
	}
	agentsDir = filepath.Join(home, "agents")
	for _, dir := range []string{agentsDir, filepath.Join(home, "user"), filepath.Join(home, "run")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			log.Fatal(err)
		}
	}
	environment := map[string]string{
		"DBUS_SESSION_BUS_ADDRESS": "", // secrets are in the encrypted file
		"DBUS_SYSTEM_BUS_ADDRESS":  "unix:path=" + filepath.Join(home, "run", "none"),
		"GOALPOST_HELPER":          helper,
		"GORACE":                   "atexit_sleep_ms=0",
		"HOME":                     filepath.Join(home, "user"),
		"PATH":                     agentsDir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"XDG_RUNTIME_DIR":          filepath.Join(home, "run"),
	}
	if os.Getenv("GOALPOST_TEST_SYSTEMD") != "" { // set by make cgroup-test, in which systemd limits the goals
		for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR"} {
			delete(environment, name)
		}
	}
	for name, value := range environment {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	if err := runMoreTests(); err != nil {
		log.Fatal(err)
	}
	return t.M.Run()
}

// runMoreTests raises the number of parallel tests, unless -parallel was given.
func runMoreTests() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(testsPerCPU*runtime.GOMAXPROCS(0)))
}

// late is far longer than anything takes, even on a busy machine: a test that waits so long hangs.
var late = waittest.Scale(3 * time.Minute)

// program is a running App on its own data folder.
type program struct {
	*testing.T
	app  *app.App
	goal *calls.GoalAPI
	cfg  *config.Config
	sub  *event.Subscription
}

func start(t *testing.T, home string) *program {
	t.Helper()
	return startWith(t, home, nil)
}

func startWith(t *testing.T, home string, clock runner.Clock) *program {
	t.Helper()
	return startOptions(t, home, app.Options{Clock: clock})
}

func startOptions(t *testing.T, home string, o app.Options) *program {
	t.Helper()
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home, "HOME": home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Config, o.Version, o.Stays, o.Slowness = cfg, "test", true, waittest.Slowness()
	a := app.New(o)
	if err := a.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := &program{T: t, app: a, goal: a.GoalAPI(context.Background()), cfg: cfg, sub: a.Events(1 << 14)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), late)
		defer cancel()
		p.sub.Close()
		if err := a.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// await returns the first event that fits and skips those before it.
func (p *program) await(what string, fits func(event.Event) bool) event.Event {
	p.Helper()
	over := time.After(late)
	var received []event.Body
	for {
		select {
		case e, ok := <-p.sub.C:
			if !ok {
				p.Fatalf("the subscription ended before %s", what)
			}
			if fits(e) {
				return e
			}
			received = append(received, e.Body)
		case <-over:
			p.Fatalf("no %s, but:\n%s", what, describeEvents(received))
		}
	}
}

func (p *program) ended(id string) event.Event {
	p.Helper()
	return p.await("end of "+id, func(e event.Event) bool {
		switch e.Body.(type) {
		case *event.Ended, *event.Paused:
			return string(e.GoalID) == id
		}
		return false
	})
}

// provide makes a scripted provider the active one.
func (p *program) provide(script modeltest.Script) *modeltest.Server {
	p.Helper()
	s := modeltest.New(p.T, script)
	if err := p.cfg.SaveProvider(config.Provider{
		ID:      "test",
		Kind:    config.OpenAI,
		BaseURL: s.URL,
		Model:   "m",
	}); err != nil {
		p.Fatal(err)
	}
	return s
}

func shell(command string) []goal.Check { return []goal.Check{{Type: goal.Shell, Command: command}} }

func call(tool, args string) modeltest.Answer {
	return modeltest.Answer{Calls: []goal.Call{{Tool: tool, Arguments: args}}}
}

// turns plays one answer for each turn of the assistant in the conversation, and then repeats the last one.
func turns(answers ...modeltest.Answer) modeltest.Script {
	return func(_ int, r modeltest.Request) modeltest.Answer {
		n := 0
		for _, m := range r.Messages {
			if m.Role == goal.Assistant {
				n++
			}
		}
		return answers[min(n, len(answers)-1)]
	}
}

// TestDemo_WholeRun_IsVerified covers the whole product in one run: files, a terminal, a browser, a failed and a passed
// verdict, a receipt.
func TestDemo_WholeRun_IsVerified(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	out, err := p.goal.Demo()
	if err != nil {
		t.Fatal(err)
	}
	end, ok := p.ended(out.GoalID).Body.(*event.Ended)
	if !ok || end.Exit != goal.Done || !end.Verified {
		t.Fatalf("ended %+v", end)
	}
	r, err := p.goal.Receipt(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Claims) != 2 || r.Claims[0].Verdicts[0].Outcome != goal.Fail ||
		r.Claims[1].Verdicts[0].Outcome != goal.Pass || !r.Claims[1].Deciding || !r.Scripted {
		t.Errorf("receipt %+v", r)
	}
	v, err := p.goal.Get(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Panes) != 2 || v.ChecksPassed != 1 || len(v.Marks) != 2 || v.Policy.Dir == "" {
		t.Errorf("view %+v", v)
	}
	evidence, err := p.goal.Output(r.Claims[0].Verdicts[0].Evidence)
	if err != nil || !strings.Contains(evidence, "41") {
		t.Errorf("evidence of the failed check: %q %v", evidence, err)
	}
	steps, err := p.goal.Steps(out.GoalID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for _, s := range steps.Steps {
		if s.Outcome != "ok" {
			t.Errorf("step %d %s: %s %s", s.N, s.Tool, s.Outcome, s.Preview)
		}
		if s.ImageSHA256 != "" {
			pictures++
			if full, err := p.goal.Step(out.GoalID, s.N); err != nil || !strings.HasPrefix(full.Image, "data:image/") {
				t.Errorf("picture of step %d: %.30q %v", s.N, full.Image, err)
			}
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
}

func TestDemo_WithoutChromium_SaysSoAndContinues(t *testing.T) {
	t.Setenv("GOALPOST_CHROMIUM", filepath.Join(t.TempDir(), "none"))
	p := start(t, t.TempDir())
	out, err := p.goal.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if end, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || end.Exit != goal.Done {
		t.Fatalf("ended %+v", end)
	}
	steps, err := p.goal.Steps(out.GoalID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for _, s := range steps.Steps {
		said = said || s.Tool == "browser_open" && s.Outcome == "failed" &&
			strings.Contains(strings.ToLower(s.Preview), "chromium")
	}
	if !said {
		t.Errorf("no step says that Chromium is missing: %+v", steps.Steps)
	}
}

func TestStart_Refused_LeavesNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	p.provide(turns(call("list_files", "{}")))
	for name, in := range map[string]goal.Request{
		"leaves a file": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("mkdir -p a/b && touch a/b/c")},
		},
		"passes already": {Objective: "x", Criterion: goal.Criterion{Checks: shell("true")}},
		"cannot run":     {Objective: "x", Criterion: goal.Criterion{Checks: shell("nosuchprogram")}},
		"no check":       {Objective: "x"},
		"unknown risk": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Policy:    policy.Policy{Risk: "all"},
		},
		"missing folder": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Policy:    policy.Policy{Dir: filepath.Join(home, "missing")},
		},
		"own folder": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Policy:    policy.Policy{Dir: p.cfg.State()},
		},
		"home": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Policy:    policy.Policy{Dir: "/"},
		},
		"provider": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Provider:  "nobody",
		},
		"negative": {
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Limits:    goal.Limits{Iterations: -7},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.goal.Start(in)
			problem := api.ToProblem(err)
			refusals := []string{fault.Refused, fault.FolderMissing, fault.CheckPasses, fault.CheckMissing}
			if err == nil || !slices.Contains(refusals, problem.Code) || problem.Hint == "" || problem.Field == "" {
				t.Errorf("%v: %+v", err, problem)
			}
		})
	}
	if list, err := p.goal.List(calls.ListInput{}); err != nil || list.Total != 0 {
		t.Errorf("goals: %+v %v", list, err)
	}
	left, err := filepath.Glob(filepath.Join(p.cfg.Work(), "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("folders left: %v %v", left, err)
	}
}

func TestTry_OfACheck_ShowsThePreflightResult(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for command, want := range map[string]goal.Outcome{
		"echo no >&2; exit 3": goal.FailsAsExpected,
		"true":                goal.AlreadyPasses,
		"nosuchprogram":       goal.CheckUnrunnable,
		"./later.sh":          goal.FailsAsExpected,
	} {
		out, err := p.goal.Try(api.TryInput{Check: shell(command)[0]})
		if err != nil || out.Outcome != want || out.Detail == "" {
			t.Errorf("%s: %+v %v", command, out, err)
		}
	}
}

// TestResume_RunningGoal_IsRefused: neither that nor a recovery disturbs the run.
func TestResume_RunningGoal_IsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(call("run_command", `{"command":"sleep 1000"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "wait",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the step", func(e event.Event) bool {
		_, ok := e.Body.(*event.StepStarted)
		return ok && string(e.GoalID) == out.GoalID
	})
	ok, err := p.goal.Resume(out.GoalID, api.ResumeInput{})
	if e := api.ToProblem(err); ok || e == nil || e.Message != "the goal is already running" ||
		!strings.Contains(e.Hint, "watch it") {
		t.Errorf("a running goal is resumed: %t, %+v", ok, e)
	}
	if err := p.app.Goals.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ok, err := p.goal.Abort(out.GoalID); err != nil || !ok {
		t.Fatal(err)
	}
	if end, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || end.Exit != goal.AbortedByUser {
		t.Errorf("ended %+v", end)
	}
}

// TestResume_SameProcess_KeepsTheTerminal resumes a goal in the same program.
func TestResume_SameProcess_KeepsTheTerminal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	p.provide(turns(
		call("terminal_open", `{"title":"work"}`),
		call("terminal_run", `{"pane":"t1","command":"export KEPT=yes"}`),
		modeltest.Answer{Text: "thinking", Wait: hold, Calls: []goal.Call{{Tool: "list_files", Arguments: "{}"}}},
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "keep",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	p.await("the second step", func(e event.Event) bool {
		if s, ok := e.Body.(*event.Step); ok && s.Tool == "terminal_run" {
			ran = s.StepID
			return true
		}
		return false
	})
	if ok, err := p.goal.Pause(out.GoalID); !ok || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser || ran == 0 {
		t.Fatalf("%+v", e)
	}
	close(hold)
	p.provide(func(n int, _ modeltest.Request) modeltest.Answer {
		if n == 0 {
			return call("terminal_run", `{"pane":"t1","command":"test \"$KEPT\" = yes && touch kept.txt"}`)
		}
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	<-p.app.Done(goal.ID(out.GoalID))
	if ok, err := p.goal.Resume(out.GoalID, api.ResumeInput{}); !ok || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	v, err := p.goal.Get(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(v.Policy.Dir, "kept.txt")); err != nil {
		t.Errorf("the shell did not survive the pause: %v", err)
	}
}

func TestPanes_OfAnotherGoal_AreRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	terminals := area[*calls.TerminalAPI](t, p.app)
	mine, err := terminals.Open(api.ArgsOpenTerminal{Dir: t.TempDir()})
	if err != nil || mine.Kind != pane.Terminal || mine.GoalID != "" {
		t.Fatalf("%+v %v", mine, err)
	}
	args, err := json.Marshal(map[string]string{"pane": mine.ID, "command": "touch stolen"})
	if err != nil {
		t.Fatal(err)
	}
	p.provide(turns(call("terminal_run", string(args)),
		call("abort_with_report", `{"reason":"-","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "steal",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	step, err := p.goal.Step(out.GoalID, 1)
	if err != nil || step.Outcome != "failed" || !strings.Contains(step.Result, "no pane") {
		t.Errorf("%+v %v", step, err)
	}
}

func TestBoundMethod_Panics_ReturnsAnError(t *testing.T) {
	t.Parallel()
	broken := calls.NewGoalAPI(context.Background(), nil, nil)
	_, err := broken.List(calls.ListInput{})
	problem := api.ToProblem(err)
	if problem.Code != fault.Internal || problem.Message == "" {
		t.Errorf("%v", err)
	}
}

func TestDelete_ActiveGoal_AbortsItFirst(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(call("run_command", `{"command":"sleep 1000"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "wait",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the step", func(e event.Event) bool { _, ok := e.Body.(*event.StepStarted); return ok })
	if ok, err := p.goal.Delete(out.GoalID); !ok || err != nil {
		t.Fatal(err)
	}
	if _, err := p.goal.Get(out.GoalID); api.ToProblem(err).Code != fault.NotFound {
		t.Errorf("it is still there: %v", err)
	}
}

// TestTakeOver_OfAGoalsPane_PausesTheGoal, also in the middle of a turn. When the user hands the pane back, the goal
// continues and takes a new snapshot.
func TestTakeOver_OfAGoalsPane_PausesTheGoal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	p.provide(turns(
		call("browser_open", `{"url":"about:blank"}`),
		modeltest.Answer{Text: "thinking", Wait: hold, Calls: []goal.Call{{Tool: "list_files", Arguments: "{}"}}},
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "drive",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	browsers := area[*calls.BrowserAPI](t, p.app)
	p.await("the open page", func(e event.Event) bool {
		s, ok := e.Body.(*event.Step)
		return ok && s.Tool == "browser_open"
	})
	if done, err := browsers.TakeOver("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser {
		t.Fatalf("%+v", e)
	}
	close(hold)
	var reported string
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		if n == 0 {
			reported = r.Last().Text
			return call("browser_snapshot", `{"pane":"b1"}`)
		}
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	if done, err := browsers.HandBack("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	if !strings.Contains(reported, "handed it back") {
		t.Errorf("the agent received %q", reported)
	}
	steps, err := p.goal.Steps(out.GoalID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps.Steps {
		if s.Tool == "browser_snapshot" && s.Outcome != event.OK {
			t.Errorf("after the hand-back: %s %s", s.Outcome, s.Preview)
		}
	}
}

// TestUserHasPane_ModelIsNotAsked: between the return of TakeOver and HandBack, no model is asked, although the
// take-over ends the agent's wait on that pane.
func TestUserHasPane_ModelIsNotAsked(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	var asked atomic.Int64
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		asked.Add(1)
		return turns(
			call("browser_open", `{"url":"about:blank"}`),
			call("browser_wait", `{"pane":"b1","text":"never said by it","seconds":110}`),
			call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
		)(n, r)
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "drive",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	browsers := area[*calls.BrowserAPI](t, p.app)
	p.await("the wait", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.Tool == "browser_wait"
	})
	if done, err := browsers.TakeOver("b1"); !done || err != nil {
		t.Fatal(err)
	}
	before := asked.Load()
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser ||
		!strings.Contains(e.Reason, "took over pane b1") {
		t.Fatalf("%+v", e)
	}
	<-p.app.Done(goal.ID(out.GoalID))
	if n := asked.Load(); n != 2 || before != 2 {
		t.Errorf("the model was asked %d times before the user had the pane, %d with it; want 2", before, n)
	}
	step, err := p.goal.Step(out.GoalID, 2)
	if err != nil || step.Outcome != "failed" || !strings.Contains(step.Result, "taken this pane over") {
		t.Errorf("the wait: %+v %v", step, err)
	}
	if done, err := browsers.HandBack("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}

// TestHandBack_GoalRunsInAnotherProcess_SaysSo: the user hands a pane back while another process has the goal.
func TestHandBack_GoalRunsInAnotherProcess_SaysSo(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(
		call("browser_open", `{"url":"about:blank"}`),
		call("browser_wait", `{"pane":"b1","text":"never said by it","seconds":110}`),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "drive",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	browsers := area[*calls.BrowserAPI](t, p.app)
	p.await("the wait", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.Tool == "browser_wait"
	})
	if done, err := browsers.TakeOver("b1"); !done || err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))
	lock, err := p.app.Store().Locks.LockGoal(goal.ID(out.GoalID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := browsers.HandBack("b1"); !errors.Is(err, store.ErrGoalLocked) &&
		(err == nil || !strings.Contains(err.Error(), "another process runs this goal")) {
		t.Errorf("handed back: %v, want that another process runs the goal", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// area returns the bound struct of a type.
func area[A any](t *testing.T, p *app.App) A {
	t.Helper()
	for _, a := range p.BoundAPIs(context.Background()) {
		if found, ok := a.(A); ok {
			return found
		}
	}
	t.Fatalf("the program has no %T", *new(A))
	panic("unreachable")
}

// TestTry_WithAPolicy_DecidesLikePreflight: Try and pre-flight give the same result.
func TestTry_WithAPolicy_DecidesLikePreflight(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	granted := t.TempDir()
	for _, c := range []struct {
		name string
		in   api.TryInput
		want goal.Outcome
	}{
		{"it may write", api.TryInput{Check: shell("touch made")[0]}, goal.AlreadyPasses},
		{"it may only look", api.TryInput{
			Check: shell("touch made")[0], Request: goal.Request{Policy: policy.Policy{Risk: "read_only"}},
		}, goal.FailsAsExpected},
		{"another folder", api.TryInput{Check: shell("touch " + granted + "/made")[0]}, goal.FailsAsExpected},
		{"another folder that is granted", api.TryInput{
			Check:   shell("touch " + granted + "/made")[0],
			Request: goal.Request{Policy: policy.Policy{AllowWrite: []string{granted}}},
		}, goal.AlreadyPasses},
	} {
		out, err := p.goal.Try(c.in)
		if err != nil || out.Outcome != c.want {
			t.Errorf("%s: %s, want %s: %s %v", c.name, out.Outcome, c.want, out.Detail, err)
		}
	}
	for _, wrong := range []policy.Policy{{Risk: "all"}, {AllowLocal: []int{70_000}}} {
		in := api.TryInput{Check: shell("true")[0], Request: goal.Request{Policy: wrong}}
		if _, err := p.goal.Try(in); err == nil {
			t.Errorf("taken: %+v", in)
		}
	}
}
