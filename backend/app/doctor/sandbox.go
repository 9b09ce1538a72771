package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/sandbox"
	"goalpost/backend/verify"
)

// probeTime bounds the trial of a sandbox, which takes milliseconds.
const probeTime = 10 * time.Second

// sandboxFinding opens a complete sandbox, runs a program in it, and reports its limits or which step failed.
func (dr *Doctor) sandboxFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "sandbox", Title: "Sandbox", State: "ok"}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	said, err := dr.probeSandbox(ctx)
	if err != nil {
		f.State, f.Detail = "bad", err.Error()
		f.Hint = "goals refuse to start here; --unconfined runs one with your own rights"
		return f
	}
	f.Detail = "The kernel confines the programs of each goal to what the goal may read, write and contact."
	f.Facts = said + "; " + sandboxLimitsText(dr.Sandboxes.Limits())
	if os.Geteuid() == 0 {
		f.State, f.Hint = "warn",
			"Goalpost runs as root, so programs in a goal can modify any file that you give it. Run it as an ordinary user."
	}
	return f
}

// sandboxLimitsText lists what limits a goal's programs, and what does not.
func sandboxLimitsText(l *sandbox.ResourceLimits) string {
	return fmt.Sprintf("by the kernel at most %d MiB of memory each and %d MiB a file; looked at by the helper, which "+
		"ends the largest programs or those that write, at most %d MiB of memory together and %d MiB in /tmp (no cgroup "+
		"is made: what sockets and pipes hold is not counted; systemd-run --user --scope -p MemoryMax=8G goalctl serve "+
		"bounds that too)",
		l.Memory>>20, l.FileSize>>20, l.Together>>20, l.Tmp>>20)
}

// processLimitText describes how the kernel limits processes here. It derives that from the sandbox's own
// pid_max.
func processLimitText(pidMax string, l *sandbox.ResourceLimits) string {
	switch n, err := strconv.Atoi(pidMax); {
	case err == nil && n < 2*l.Processes: // the kernel skips some low numbers after the first use
		return fmt.Sprintf("at most %d processes per sandbox", l.Processes)
	case os.Geteuid() != 0:
		return fmt.Sprintf("at most %d processes, counted for the user in the goal's namespace", l.Processes)
	}
	return "the number of processes is not bounded: as root this kernel (before Linux 6.14) has no bound for a namespace"
}

// probeSandbox opens a sandbox without a goal and returns what /proc says about a program in it.
func (dr *Doctor) probeSandbox(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp(dr.Config.State(), "probe-*")
	if err != nil {
		return "", err //nolint:wrapcheck // the finding says what for
	}
	said := ""
	err = dr.Sandboxes.WithTrial(ctx, policy.Policy{Risk: policy.WriteLocal, Dir: dir}, nil, nil,
		func(h verify.CheckRunner) error {
			out, err := process.Capture(ctx, h.Launcher, process.Command{
				Argv: []string{
					"/bin/sh", "-c",
					"cat /proc/sys/kernel/pid_max && grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status",
				},
				Env:    h.Env,
				Dir:    dir,
				Domain: process.DomainCheck,
			}, true)
			switch {
			case err != nil:
				return err
			case out.Status.Code != 0:
				return errors.New(strings.TrimSpace(string(out.Stdout)))
			}
			pidMax, status, _ := strings.Cut(string(out.Stdout), "\n")
			said = fmt.Sprintf("namespaces, Landlock version %d, %s; %s", sandbox.Landlock(),
				strings.Join(strings.Fields(status), " "), processLimitText(pidMax, dr.Sandboxes.Limits()))
			return nil
		})
	return said, errors.Join(err, os.RemoveAll(dir))
}
