package app_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
)

// TestGoalEnv_UnknownVariables_AreHidden: agents and checks see only known variables and those that the user names.
func TestGoalEnv_UnknownVariables_AreHidden(t *testing.T) {
	t.Setenv("STRIPE", "canary-of-a-plain-name")
	t.Setenv("BUILD_KIND", "named-and-wanted")
	t.Setenv(goalsandbox.KeepVariable, "BUILD_KIND, OTHER")
	p := start(t, t.TempDir())
	_, steps := p.results(nil, args("run_command", map[string]any{"command": "env; tr '\\0' '\\n' < /proc/1/environ"}))
	if said := steps[0].Result; strings.Contains(said, "canary-of") || !strings.Contains(said, "named-and-wanted") ||
		!strings.Contains(said, "GOCACHE=") && os.Getenv("GOCACHE") != "" {
		t.Errorf("the agent's programs have %s", said)
	}
	said, err := p.goal.Try(api.TryInput{
		Request: goal.Request{Policy: policy.Policy{Dir: t.TempDir()}},
		Check:   shell(`test "$BUILD_KIND" = named-and-wanted && test -z "$STRIPE"`)[0],
	})
	if err != nil || said.Outcome != "passes_already" {
		t.Errorf("a check: %+v, %v", said, err)
	}
}

// TestOwnPorts_OfAnotherProcess_AreContained: a port of another process on the same data folder also counts as one of
// Goalpost's own.
func TestOwnPorts_OfAnotherProcess_AreContained(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	other := exec.CommandContext(t.Context(), "/proc/self/exe", "static", home)
	said, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	t.Cleanup(func() { _, _ = other.Process.Kill(), other.Wait() })
	line, err := bufio.NewReader(said).ReadString('\n')
	must(t, err)
	var port int
	_, after, _ := strings.Cut(line, "http://127.0.0.1:")
	if _, err := fmt.Sscanf(after, "%d/", &port); err != nil {
		t.Fatal(line, err)
	}
	in := api.TryInput{
		Check:   shell("true")[0],
		Request: goal.Request{Policy: policy.Policy{Dir: t.TempDir(), AllowLocal: []int{port}}},
	}
	if said, err := p.goal.Try(in); err != nil || said.Outcome != "passes_already" {
		t.Fatalf("the port of a stranger: %+v, %v", said, err)
	}
	wakeSocket, err := net.Listen("unix", filepath.Join(p.cfg.State(), "run", fmt.Sprintf("%d.sock", other.Process.Pid)))
	if err != nil {
		t.Fatal(err)
	}
	defer wakeSocket.Close()
	if _, err := p.goal.Try(in); err == nil || !strings.Contains(err.Error(), "Goalpost's own") {
		t.Errorf("the port of another process of ours: %v", err)
	}
}
