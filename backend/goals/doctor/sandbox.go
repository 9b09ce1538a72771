package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
)

// probeTimeout bounds the trial of a sandbox, which takes milliseconds, and longer if a systemd does not answer.
const probeTimeout = 30 * time.Second

// sandboxFindings opens a complete sandbox, runs a program in it, and reports its limits or which step failed, and who
// limits the memory of its programs together.
func (do *Doctor) sandboxFindings() []api.DoctorFinding {
	f := api.DoctorFinding{ID: "sandbox", Title: "Sandbox", State: api.FindingOK}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	facts, cgroupError, err := do.probeSandbox(ctx)
	if err != nil {
		f.State, f.Detail = api.FindingBad, err.Error()
		f.Hint = "goals refuse to start here, unless one is allowed to run without the sandbox, with your own rights"
		var failed *probeError
		if errors.As(err, &failed) {
			f.Hint = "goals start here, but their commands may fail in the same way"
		}
		return []api.DoctorFinding{f}
	}
	f.Detail = "The kernel confines the programs of each goal to what the goal may read, write and contact."
	limits := do.Sandboxes.Limits()
	f.Facts = fmt.Sprintf("%s; by the kernel at most %d MiB a file; measured by the helper, which ends the programs that "+
		"write, at most %d MiB in /tmp", facts, limits.FileSize>>20, limits.Tmp>>20)
	if os.Geteuid() == 0 {
		f.State, f.Hint = api.FindingWarn,
			"Goalpost runs as root, so programs in a goal can modify any file that you give it. Run it as an ordinary user."
	}
	return []api.DoctorFinding{f, memoryFinding(limits, cgroupError)}
}

// memoryFinding reports who limits the total memory of a goal's programs. cgroupError is why the kernel does not.
func memoryFinding(l *sandbox.ResourceLimits, cgroupError error) api.DoctorFinding {
	f := api.DoctorFinding{ID: "memory", Title: "Memory limit", State: api.FindingOK}
	if cgroupError == nil {
		f.Detail = fmt.Sprintf("The kernel allows each goal at most %d MiB, in a cgroup that systemd makes for it.",
			l.Together>>20)
		return f
	}
	problem := fault.Of(cgroupError)
	f.State, f.Hint = api.FindingWarn, problem.Hint
	f.Detail = fmt.Sprintf("Goalpost measures the programs of each goal and ends the largest above %d MiB together; a "+
		"fast one can exceed that for a moment. The kernel does not enforce it: %s.", l.Together>>20, problem.Message)
	f.Facts = "not counted: what sockets, pipes and message queues hold"
	return f
}

// describeProcessLimit describes how the kernel limits processes here, as the pid_max of a sandbox shows.
func describeProcessLimit(pidMax string, l *sandbox.ResourceLimits, hasCgroup bool) string {
	switch n, err := strconv.Atoi(pidMax); {
	case err == nil && n < 2*l.Processes: // the kernel skips some low numbers after the first use
		return fmt.Sprintf("at most %d processes per sandbox", l.Processes)
	case os.Geteuid() != 0:
		return fmt.Sprintf("at most %d processes, counted for the user in the goal's namespace", l.Processes)
	}
	if hasCgroup {
		return "processes are limited by the cgroup of the goal alone"
	}
	return "the number of processes is not bounded: before Linux 6.14, the kernel cannot bound a namespace of root"
}

// probeScript prints the limit of processes and how the kernel confines the shell. It uses only the shell itself, so it
// works with any PATH.
const probeScript = `read -r n </proc/sys/kernel/pid_max; echo "$n"
while read -r line; do case $line in NoNewPrivs:*|Seccomp:*) echo "$line";; esac; done </proc/self/status`

// probeError means that the sandbox is open, and that a program in it failed.
type probeError struct{ output string }

func (p *probeError) Error() string { return "a shell in the sandbox failed: " + p.output }

// probeSandbox opens a sandbox without a goal and returns how the kernel confines a program in it, according to /proc.
// cgroupError is why the kernel does not limit the total memory of its programs.
func (do *Doctor) probeSandbox(ctx context.Context) (facts string, cgroupError, err error) {
	dir, err := os.MkdirTemp(do.Config.State(), "probe-*")
	if err != nil {
		return "", nil, err //nolint:wrapcheck // the finding says what for
	}
	err = do.Sandboxes.WithSandbox(ctx, policy.Policy{Risk: policy.WriteLocal, Dir: dir},
		func(s *goalsandbox.Sandbox) error {
			cgroupError = s.Programs.CgroupError()
			h := s.CheckRunner(do.Sandboxes, dir, nil)
			out, err := process.Capture(ctx, h.Environment.Launcher, process.Command{
				Argv:   []string{"/bin/sh", "-c", probeScript},
				Env:    h.Environment.Env,
				Dir:    dir,
				Domain: process.DomainCheck,
			}, true)
			switch {
			case err != nil:
				return &probeError{err.Error()}
			case out.Status.Code != 0:
				return &probeError{strings.TrimSpace(string(out.Stdout))}
			}
			pidMax, status, _ := strings.Cut(string(out.Stdout), "\n")
			facts = fmt.Sprintf("namespaces, Landlock version %d, %s; %s", sandbox.Landlock(),
				strings.Join(strings.Fields(status), " "), describeProcessLimit(pidMax, do.Sandboxes.Limits(), cgroupError == nil))
			return nil
		})
	return facts, cgroupError, errors.Join(err, os.RemoveAll(dir))
}
