package goalsandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
)

// TrialSandbox is a sandbox without a goal, in which a user can try what it prevents.
type TrialSandbox struct {
	Inside   process.Launcher // starts programs as an agent would, and checks
	Outside  process.Launcher // starts the user's own programs
	Env      []string         // for Inside
	CheckEnv []string         // for checks in Inside
	OwnEnv   []string         // for Outside
	Dir      string

	sandbox *Sandbox
}

// RefusedRequests lists the requests that the proxy has refused so far, one line each.
func (t *TrialSandbox) RefusedRequests() []string { return t.sandbox.Proxy.RefusedSince(0) }

// Violations lists the actions that the kernel has refused so far, one line each.
func (t *TrialSandbox) Violations() []string {
	t.sandbox.mu.Lock()
	defer t.sandbox.mu.Unlock()
	return slices.Clone(t.sandbox.violations)
}

// OpenTrialSandbox opens the sandbox that a goal would get, passes it to do, and then ends everything in it.
func (f *Factory) OpenTrialSandbox(ctx context.Context, p policy.Policy, do func(*TrialSandbox) error) (err error) {
	if !p.Risk.IsValid() {
		return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", p.Risk), "use one of "+policy.RiskNames())
	}
	if p.Dir, err = f.Access.ValidateExistingDir(p.Dir); err != nil {
		return err
	}
	if err := f.Access.ValidateGrants(&p); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(f.Config.State(), "sandboxes"), 0o700); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	layer, err := os.MkdirTemp(filepath.Join(f.Config.State(), "sandboxes"), "user-*")
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, sandbox.RemoveLayer(layer)) }()
	s, err := f.Open(ctx, "sandbox", p, layer)
	if errors.Is(err, sandbox.ErrRefused) {
		return &fault.Error{Field: "sandbox", Message: err.Error(), Hint: "doctor shows what works here"}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	return do(&TrialSandbox{
		Inside:   s.Programs,
		Outside:  f.UserPrograms,
		Env:      s.Env,
		CheckEnv: s.checkEnv,
		OwnEnv:   environ.Base(environ.Of(ctx)),
		Dir:      p.Dir,
		sandbox:  s,
	})
}

// WithTrial passes do the runner of checks in a temporary sandbox, which is like that of the goal and has a private
// folder. It deletes both afterwards.
func (f *Factory) WithTrial(
	ctx context.Context, p policy.Policy, judge judge.Model, hosts []string, do func(verify.CheckRunner) error,
) error {
	return f.WithSandbox(ctx, p, func(s *Sandbox) error {
		host := s.CheckRunner(f, p.Dir, hosts)
		host.Judge, host.Environment.Pages = judge, f.Pages("", "") // pre-flight only checks that they exist
		return do(host)
	})
}

// WithSandbox opens a temporary sandbox with a private folder, and passes it to its callback. It deletes both
// afterwards.
func (f *Factory) WithSandbox(ctx context.Context, p policy.Policy, do func(*Sandbox) error) (err error) {
	if err := os.MkdirAll(filepath.Join(f.Config.State(), "sandboxes"), 0o700); err != nil {
		return fmt.Errorf("pre-flight: %w", err)
	}
	layer, err := os.MkdirTemp(filepath.Join(f.Config.State(), "sandboxes"), "preflight-*")
	if err != nil {
		return fmt.Errorf("pre-flight: %w", err)
	}
	defer func() { err = errors.Join(err, sandbox.RemoveLayer(layer)) }()
	s, err := f.Open(ctx, "pre-flight", p, layer)
	if errors.Is(err, sandbox.ErrRefused) {
		return fault.Invalid("sandbox", err.Error(), "run the goal without the sandbox, with your own rights").OnCommandLine(
			"goalctl doctor shows what works here; --unconfined runs this goal's programs with your own rights")
	}
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close(context.WithoutCancel(ctx)))
}
