package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/sandbox"
	"goalpost/backend/verify"
)

// probeTime bounds the making of a sandbox to look at; it takes milliseconds.
const probeTime = 10 * time.Second

// sandboxFinding makes a whole sandbox, runs a program in it, and says what held
// or which step failed.
func (a *App) sandboxFinding() api.Finding {
	f := api.Finding{ID: "sandbox", Title: "Sandbox", State: "ok"}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	said, err := a.probe(ctx)
	if err != nil {
		f.State, f.Detail = "bad", err.Error()
		f.Hint = "goals refuse to start here; --unconfined runs one with your own rights"
		return f
	}
	f.Detail = "a goal's programs are held by the kernel: " + said + "; " + limits(sandbox.DefaultLimits())
	if os.Geteuid() == 0 {
		f.State, f.Hint = "warn", "as root a goal keeps root's rights over the files that it is given: run Goalpost as an ordinary user"
	}
	return f
}

// limits says what bounds a goal's programs and what does not.
func limits(l *sandbox.Limits) string {
	return fmt.Sprintf("at most %d processes, %d MiB of memory each and %d MiB a file; their memory together is not bounded, because no cgroup is made: systemd-run --user --scope -p MemoryMax=8G goalctl serve bounds all of it", //
		l.Processes, l.Memory>>20, l.FileSize>>20)
}

// probe is a sandbox for nothing, with what /proc says of a program in it.
func (a *App) probe(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp(a.cfg.State(), "probe-*")
	if err != nil {
		return "", err //nolint:wrapcheck // the finding says what for
	}
	said := ""
	err = a.inHost(ctx, policy.Policy{Risk: policy.WriteLocal, Dir: dir}, nil, nil, func(h verify.Host) error {
		out, err := process.Capture(ctx, h.Launcher, process.Command{
			Argv: []string{"/bin/sh", "-c", "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status"}, Env: h.Env, Dir: dir, Domain: process.Check,
		}, true)
		switch {
		case err != nil:
			return err
		case out.Status.Code != 0:
			return errors.New(strings.TrimSpace(string(out.Stdout)))
		}
		said = "namespaces, Landlock, " + strings.Join(strings.Fields(string(out.Stdout)), " ")
		return nil
	})
	return said, errors.Join(err, os.RemoveAll(dir))
}
