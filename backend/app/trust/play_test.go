package trust_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// late is when a case counts as hanging. Compilers with cold caches need most of this time.
var late = waittest.Scale(5 * time.Minute)

// lateWrite is how long a file of a done case is watched for a later change.
const lateWrite = 2 * time.Second

// stage is a program with its own folders, in which all cases are played. play may be called concurrently.
type stage struct {
	home  string
	cfg   *config.Config
	app   *app.App
	goals *calls.GoalAPI

	mu     sync.Mutex
	agents map[string]*agent // by the name of the model, which is the name of the case
}

// agent is the scripted model of one case.
type agent struct {
	scenario *scenario
	port     string
	turns    int
	resumed  bool
}

// removeTree removes a folder in which overlays left files. Their work folders are closed even to their owner.
func removeTree(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// openStage starts the program that all cases use.
func openStage(t *testing.T) *stage {
	t.Helper()
	home, err := os.MkdirTemp("", "t-*") // short, because the path of a socket is limited to about a hundred bytes
	if err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeTree(home); err != nil {
			t.Error(err)
		}
	})
	s := &stage{home: home, agents: map[string]*agent{}}
	data := filepath.Join(home, "d")
	if s.cfg, err = config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: data, "HOME": data}[name]
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.Link(installed, filepath.Join(s.cfg.State(), filepath.Base(installed))); err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(t, s.answer)
	p := config.Provider{ID: "model", Kind: config.OpenAI, BaseURL: server.URL, Model: "model"}
	if err := errors.Join(s.cfg.SaveProvider(p), s.cfg.Use("model")); err != nil {
		t.Fatal(err)
	}
	s.app = app.New(app.Options{
		Config: s.cfg, Log: s.cfg.Log(), Version: "test", Stays: true, Slots: playedAtOnce,
		Slowness: waittest.Slowness(),
	})
	if err := s.app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), late)
		defer cancel()
		if err := s.app.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s.goals = s.app.GoalAPI(context.WithoutCancel(t.Context()))
	return s
}

// answer is the model of a case. It works and claims in one turn. If a model judges the claim, or after the user
// accepted the change, it claims once more.
func (s *stage) answer(_ int, req modeltest.Request) modeltest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.agents[req.Model]
	switch {
	case a == nil:
		return modeltest.Fail(400, "no case has this name")
	case len(req.Tools) == 0 && strings.HasPrefix(req.Last().Text, "The run ends here"):
		return modeltest.Say("")
	case len(req.Tools) == 0:
		return modeltest.Say(a.scenario.judge)
	}
	claim := goal.Call{Tool: "claim_complete", Arguments: marshal(map[string]string{
		"rationale": "the work is finished", "result": a.scenario.claim,
	})}
	if a.scenario.claim == "" {
		claim.Arguments = marshal(map[string]string{"rationale": "the work is finished"})
	}
	a.turns++
	switch {
	case a.turns == 1:
		return modeltest.Answer{Calls: append(a.work(), claim)}
	case a.turns == 2 && a.scenario.isJudged():
		look := goal.Call{Tool: "list_files", Arguments: `{"path": "."}`}
		return modeltest.Answer{Calls: []goal.Call{look, claim}}
	case a.resumed && a.scenario.comment["unprotect"] != "": // the change was refused before
		a.resumed = false
		return modeltest.Answer{Calls: append(a.work(), claim)}
	case a.resumed:
		a.resumed = false
		return modeltest.Answer{Calls: []goal.Call{claim}}
	case a.turns == 2 && a.scenario.comment["unprotect"] != "":
		return modeltest.Call("ask_user", `{"question": "May I change the protected file?"}`)
	}
	return modeltest.Call("abort_with_report", `{"reason": "it did not pass", "what_was_learned": "-"}`)
}

// work returns the calls that do the case's work.
func (a *agent) work() []goal.Call {
	var calls []goal.Call
	for _, c := range a.scenario.steps {
		c.Arguments = strings.ReplaceAll(c.Arguments, "$PORT", a.port)
		calls = append(calls, c)
	}
	return calls
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only texts are given
	}
	return string(b)
}

// play runs one case and returns its result. It returns an error if the case could not be played.
func (s *stage) play(ctx context.Context, c *scenario) (r result, err error) {
	r = result{
		Name:    c.name,
		Attack:  c.attack,
		Kind:    c.comment["kind"],
		Rule:    c.comment["rule"],
		Says:    c.says,
		Check:   c.checks(),
		Remains: c.comment["remains"],
	}
	if r.NotRun = c.missing(); r.NotRun != "" {
		return r, nil
	}
	began := time.Now()
	defer func() { r.Took = time.Since(began) }()
	a := &agent{scenario: c}
	if c.hasPort {
		if a.port, err = findPort(); err != nil {
			return r, err
		}
	}
	name := strings.ReplaceAll(c.name, "/", "-")
	s.mu.Lock()
	s.agents[name] = a
	s.mu.Unlock()
	in := c.input
	in.Checks = slices.Clone(in.Checks)
	for i := range in.Checks {
		in.Checks[i].URL = strings.ReplaceAll(in.Checks[i].URL, "$PORT", a.port)
		in.Checks[i].Command = strings.ReplaceAll(in.Checks[i].Command, "$PORT", a.port)
	}
	in.Model, in.OnAsk, in.Review, in.CriticEvery = name, "deny", "never", goal.NoLimit
	in.AllowMissing = c.comment["missing"] == "yes"
	in.WallClockMS = late.Milliseconds()
	if runners != "" {
		in.AllowRead = []string{runners}
	}
	in.Dir = filepath.Join(s.home, name)
	if err := s.writeFolder(ctx, c, in.Dir); err != nil {
		return r, err
	}
	out, err := s.goals.Start(in)
	if err != nil {
		problem := api.ToProblem(err)
		return r, fmt.Errorf("the goal does not start: %s (%s)", problem.Message, problem.Hint)
	}
	if err := s.wait(ctx, out.GoalID); err != nil {
		return r, err
	}
	if err := s.read(out.GoalID, &r); err != nil {
		return r, err
	}
	if r.Exit == string(goal.Done) && c.keeps[0] != "" {
		r.Reverted = waitForChange(ctx, filepath.Join(in.Dir, c.keeps[0]), c.keeps[1])
	}
	if r.Exit == string(goal.Done) && c.gains[0] != "" {
		if err := s.readAfterChange(ctx, c, in.Dir, out.GoalID, &r); err != nil {
			return r, err
		}
	}
	if !c.attack && r.Exit == string(goal.NeedsUser) {
		if err := s.accept(ctx, a, out.GoalID, &r); err != nil {
			r.Acceptance = err.Error()
		}
	}
	r.judge(c)
	return r, nil
}

// writeFolder makes the goal's folder as the case describes it for the start.
func (s *stage) writeFolder(ctx context.Context, c *scenario, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range c.files {
		name, mark, _ := strings.Cut(f.Name, " ")
		mode := os.FileMode(0o644)
		if mark == "+x" {
			mode = 0o755
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, mode)); err != nil {
			return err
		}
	}
	if c.comment["start"] != "git" {
		return nil
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Ann"},
		{"config", "user.email", "ann@example.org"},
		{"add", "-A"},
		{"commit", "-q", "-m", "start", "--no-gpg-sign"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = dir
		if text, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, text)
		}
	}
	return nil
}

func (s *stage) wait(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, late)
	defer cancel()
	select {
	case <-s.app.Done(goal.ID(id)):
		return nil
	case <-ctx.Done():
		_, err := s.goals.Abort(id)
		return errors.Join(fmt.Errorf("it does not end within %s", late), err)
	}
}

// read reads from the goal's public views how it ended, and what they say about it.
func (s *stage) read(id string, r *result) error {
	view, err1 := s.goals.Get(id)
	receipt, err2 := s.goals.Receipt(id)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	b, err := json.Marshal(receipt)
	if err != nil {
		return err
	}
	var reported struct { // fields that a receipt may lack
		Assurance string `json:"assurance"`
		Reason    string `json:"assurance_reason"`
		Claims    []struct {
			Verdicts []receiptVerdict `json:"verdicts"`
		} `json:"claims"`
	}
	if err := json.Unmarshal(b, &reported); err != nil {
		return err
	}
	r.Status, r.Exit, r.Verified = string(view.Status), string(view.Exit), receipt.Verified
	r.Report = strings.Join(view.Report, "\n")
	r.Verdicts, r.Assurance, r.Reason = nil, reported.Assurance, reported.Reason
	if n := len(reported.Claims); n > 0 {
		r.Verdicts = reported.Claims[n-1].Verdicts
	}
	if r.Assurance == "" {
		for _, v := range r.Verdicts {
			if slices.Index(levels, v.Assurance) > slices.Index(levels, r.Assurance) {
				r.Assurance = v.Assurance
			}
		}
	}
	return nil
}

// accept does what a user does who agrees with a change: it accepts the shown version, or frees the files that the
// agent asked for.
func (s *stage) accept(ctx context.Context, a *agent, id string, r *result) error {
	var shown []api.ProtectedVersion
	for _, v := range r.Verdicts {
		for _, c := range v.Changes {
			if c.Reason != "" {
				shown = append(shown, api.ProtectedVersion{Path: c.Path})
			}
		}
	}
	var in api.ResumeInput // ignores fields that this version lacks
	decision := map[string]any{"accept_changes": shown}
	if files := strings.Fields(a.scenario.comment["unprotect"]); len(files) > 0 {
		decision = map[string]any{"unprotect": files}
	}
	if err := json.Unmarshal([]byte(marshal(decision)), &in); err != nil {
		return err
	}
	s.mu.Lock()
	a.resumed = true
	s.mu.Unlock()
	if _, err := s.goals.Resume(id, in); err != nil {
		return fmt.Errorf("accepting it: %s", api.ToProblem(err).Message)
	}
	if err := s.wait(ctx, id); err != nil {
		return err
	}
	view, err := s.goals.Get(id)
	if err != nil {
		return err
	}
	if r.Accepted = view.Exit == goal.Done; !r.Accepted {
		r.Acceptance = "stopped again: " + strings.Join(view.Report, " ")
	}
	return nil
}

// readAfterChange waits until a file has what the case writes after done, and reads again what the goal proves. After
// an attempt, it waits until the goal names the file.
func (s *stage) readAfterChange(ctx context.Context, c *scenario, dir, id string, r *result) (err error) {
	path, text := c.gains[0], c.gains[1]
	if !waittest.Reached(ctx, late, func() bool {
		b, err := os.ReadFile(filepath.Join(dir, path))
		return err == nil && strings.Contains(string(b), text)
	}) {
		return fmt.Errorf("%s never contains %q", path, text)
	}
	if err := s.read(id, r); err != nil || !c.attack {
		return err
	}
	isTold := waittest.Reached(ctx, waittest.Scale(10*time.Second), func() bool {
		err = s.read(id, r)
		return err != nil || strings.Contains(r.Reason, path)
	})
	r.Reverted = !isTold
	return err
}

// waitForChange reports whether the file loses the text within lateWrite.
func waitForChange(ctx context.Context, path, text string) bool {
	return waittest.Reached(ctx, lateWrite, func() bool {
		b, err := os.ReadFile(path)
		return err != nil || !strings.Contains(string(b), text)
	})
}

// findPort finds a port that is free now.
func findPort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}
