package trust_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/waittest"
)

// TestAttempts_WithoutGoalpost_Succeed runs the attempts whose checks are commands in a plain folder, where nothing
// protects the check. An attempt that fails even there would count as stopped, and prove nothing.
func TestAttempts_WithoutGoalpost_Succeed(t *testing.T) {
	cases, err := readScenarios()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{home: t.TempDir()}
	for _, c := range cases {
		if !c.attack || !*all && !c.isFast() || c.missing() != "" || !c.isCommand() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(s.home, strings.ReplaceAll(c.name, "/", "-"))
			port, err := findPort()
			if err == nil {
				err = s.writeFolder(t.Context(), c, dir)
			}
			if err != nil {
				t.Fatal(err)
			}
			env := plainEnvironment(t)
			for _, step := range c.steps {
				text := strings.ReplaceAll(step.Arguments, "$PORT", port)
				var arguments struct{ Command, Path, Content string }
				if err := json.Unmarshal([]byte(text), &arguments); err != nil {
					t.Fatal(err)
				}
				if step.Tool == "run_command" {
					_ = runPlain(t, env, dir, arguments.Command) // some attempts try the check first, which may fail
					continue
				}
				path := filepath.Join(dir, arguments.Path)
				err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(arguments.Content), 0o644))
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, check := range c.input.Checks {
				if err := runPlain(t, env, dir, strings.ReplaceAll(check.Command, "$PORT", port)); err != nil {
					t.Errorf("the attempt does not work: %s: %v", check.Command, err)
				}
			}
		})
	}
}

// isCommand reports whether all checks of the case are commands that must all pass.
func (s *scenario) isCommand() bool {
	for _, c := range s.input.Checks {
		if c.Type != goal.Shell {
			return false
		}
	}
	return !s.input.Any
}

// plainEnvironment returns an environment for commands outside of any sandbox. Its home folder is empty, because some
// attempts write there. Toolchains stay where they are.
func plainEnvironment(t *testing.T) []string {
	t.Helper()
	env := append(os.Environ(), "GOFLAGS=", "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	cache, err := os.UserCacheDir()
	home, err2 := os.UserHomeDir()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GOCACHE="+filepath.Join(cache, "go-build"), "GOPATH="+build.Default.GOPATH)
	for name, dir := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
		if _, err := os.Stat(filepath.Join(home, dir)); err == nil && os.Getenv(name) == "" {
			env = append(env, name+"="+filepath.Join(home, dir))
		}
	}
	return env
}

// runPlain runs a command outside of any sandbox. What it leaves behind is ended with the test.
func runPlain(t *testing.T, env []string, dir, command string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(time.Minute))
	defer cancel()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	sh := exec.CommandContext(ctx, "sh", "-c", command)
	sh.Dir, sh.Stdout, sh.Stderr = dir, out, out
	sh.Env = env
	sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-sh.Process.Pid, syscall.SIGKILL) }) // the group may be empty
	err = sh.Wait()
	if text, _ := os.ReadFile(out.Name()); err != nil {
		t.Logf("%s\n%s", command, text)
	}
	return err
}
