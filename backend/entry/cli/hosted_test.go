package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/pane"
	"goalpost/backend/entry/cli"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// hostHome is a data folder with a host process.
type hostHome struct {
	dir    string
	client *hostsocket.Client
}

// openHost starts the host process of a new data folder, which runs until the test ends.
func openHost(t *testing.T) *hostHome {
	t.Helper()
	h := &hostHome{dir: t.TempDir()}
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	t.Setenv("HOME", h.dir)
	t.Setenv(config.HomeVariable, h.dir)
	h.client = hostsocket.NewClient(filepath.Join(h.dir, "state"), "test")
	host := exec.Command(os.Args[0], "host")
	host.Args[0] = "goalctl" // see TestMain
	host.Env, host.Stderr = os.Environ(), os.Stderr
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the host listens", func() bool {
		_, err := h.client.Status(t.Context())
		return err == nil
	})
	t.Cleanup(func() {
		if err := h.client.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := host.Wait(); err != nil {
			t.Error("the host:", err)
		}
	})
	return h
}

func (h *hostHome) program(stdout, stderr io.Writer) cli.Program {
	return cli.Program{
		Name: "goalctl", Version: "test", Getenv: os.Getenv, Stdin: nothing{}, Stdout: stdout, Stderr: stderr,
		Closing: defaultCloseWait,
	}
}

// run runs a command as another process would.
func (h *hostHome) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(2*time.Minute))
	defer cancel()
	code = h.program(&out, &said).Run(ctx, args)
	return code, out.String(), said.String()
}

// TestRun_PaneOfHost_IsShared also checks that a missing pane is named.
func TestRun_PaneOfHost_IsShared(t *testing.T) {
	h := openHost(t)
	model := modeltest.New(t, play)
	run := []string{
		"run", "--base-url", model.URL, "--model", "good", "--check", "file:done.txt", "--json", "create done.txt", "--pane",
	}
	args, err := json.Marshal(map[string]string{"dir": h.dir})
	if err != nil {
		t.Fatal(err)
	}
	result, err := h.client.Call(t.Context(), "TerminalAPI.Open", []json.RawMessage{args})
	var info pane.Info
	if err != nil || json.Unmarshal(result, &info) != nil || info.ID != "t1" {
		t.Fatal(string(result), err)
	}
	if code, _, said := h.run(t, append(run, "t7")...); code != 2 || !strings.Contains(said, "t7") {
		t.Errorf("another pane: %d %s", code, said)
	}
	code, out, said := h.run(t, append(run, "t1")...)
	if code != 0 || !strings.Contains(out, `"pane":"t1","kind":"terminal","held":true,"shared":true`) ||
		!strings.Contains(out, `"exit":"done"`) {
		t.Errorf("its pane: %d %s %s", code, out, said)
	}
}

// TestRun_KeyOfCaller_ReachesModelOnly: the host takes the key and the paths of a command from its caller, and writes
// the key to no file.
func TestRun_KeyOfCaller_ReachesModelOnly(t *testing.T) {
	h := openHost(t)
	const name, key = "KEY_OF_THE_CALLER", "sk-only-of-the-caller-8263"
	var got string
	model := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		got = r.Header.Get("Authorization")
		return play(n, r)
	})
	t.Setenv(name, key) // after the start of the host
	work := t.TempDir()
	t.Chdir(work)
	if code, _, said := h.run(t, "providers", "add", "own", "--base-url", model.URL, "--model", "good", "--key-env",
		name); code != 0 {
		t.Fatal(code, said)
	}
	code, out, said := h.run(t, "run", "--model", "own/good", "--check", "file:done.txt", "--dir", ".", "--detach",
		"create done.txt")
	if code != 0 {
		t.Fatal(code, said)
	}
	id := strings.TrimSpace(out)
	waittest.Until(t, "the goal is done", func() bool {
		_, list, _ := h.run(t, "list", "--json")
		return strings.Contains(list, id) && strings.Contains(list, `"exit": "done"`)
	})
	if got != "Bearer "+key {
		t.Errorf("the model got %q", got)
	}
	if _, err := os.Stat(filepath.Join(work, "done.txt")); err != nil {
		t.Error("the goal works in another folder:", err)
	}
	err := filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(key)) {
			t.Error("the key is in", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRun_HostOfAnotherVersion_RunsItAndSaysSo: an update does not end what runs.
func TestRun_HostOfAnotherVersion_RunsItAndSaysSo(t *testing.T) {
	h := openHost(t)
	model := modeltest.New(t, play)
	for _, args := range [][]string{
		{"run", "--base-url", model.URL, "--model", "good", "--check", "file:done.txt", "create done.txt"},
		{"prune", "--yes"}, // which needs no host
	} {
		var out, said bytes.Buffer
		p := h.program(&out, &said)
		p.Version = "newer"
		if code := p.Run(t.Context(), args); code != 0 {
			t.Errorf("%s: %d %s", args[0], code, said.String())
		}
		for _, part := range []string{
			"has test, and this program is newer; that version runs this command", "goalctl host restart replaces it now",
			"Later,",
		} {
			if !strings.Contains(said.String(), part) {
				t.Errorf("%s does not say %q: %s", args[0], part, said.String())
			}
		}
	}
}

// TestStart_KeyOfWindow_ReachesModel: a goal that a page starts has the key from the environment of the window, which
// the host was started without.
func TestStart_KeyOfWindow_ReachesModel(t *testing.T) {
	h := openHost(t)
	const name, key = "KEY_OF_THE_WINDOW", "sk-only-of-the-window-5127"
	got := make(chan string, 8)
	model := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		got <- r.Header.Get("Authorization")
		return play(n, r)
	})
	if code, _, said := h.run(t, "providers", "add", "own", "--base-url", model.URL, "--model", "good", "--key-env",
		name); code != 0 {
		t.Fatal(code, said)
	}
	window, err := h.client.Attach(t.Context(), hostsocket.Attach{Window: true, Env: append(os.Environ(), name+"="+key)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := window.Close(); err != nil {
			t.Error(err)
		}
	})
	request := json.RawMessage(`{"objective":"create done.txt","checks":[{"type":"file","path":"done.txt"}],` +
		`"provider":"own","dir":"` + t.TempDir() + `"}`)
	if _, err := h.client.Call(t.Context(), "GoalAPI.Start", []json.RawMessage{request}); err != nil {
		t.Fatal(err)
	}
	if authorization := <-got; authorization != "Bearer "+key {
		t.Errorf("the model got %q", authorization)
	}
}

// TestRun_NoHost_IsAlone checks that a process cannot have the data folder for itself beside a host.
func TestRun_NoHost_IsAlone(t *testing.T) {
	h := openHost(t)
	code, _, said := h.run(t, "run", "--demo", "--no-host")
	if code == 0 || !strings.Contains(said, "leave out --no-host, or") {
		t.Errorf("beside a host: %d %s", code, said)
	}
}

// nothing is an empty standard input.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, os.ErrClosed }
func (nothing) Close() error             { return nil }
