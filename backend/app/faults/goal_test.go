package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/agent/model/modeltest"
)

// Exit codes of goalctl.
const (
	exitDone      = 0
	exitNeedsUser = 5
	exitPaused    = 9
)

// work is a goal whose agent writes one file a turn and then claims. Its model server may fail before any turn.
type work struct {
	place
	steps int
	url   string
	// fail takes a request in the place of the model, if it returns true. turn counts the files that exist.
	fail func(w http.ResponseWriter, r *http.Request, turn int) bool
	// before is called before the model answers.
	before func(turn int)

	mu sync.Mutex
}

func newWork(t *testing.T, steps int) *work {
	t.Helper()
	w := &work{place: newPlace(t), steps: steps}
	server := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer {
		w.mu.Lock()
		defer w.mu.Unlock()
		turn := w.written()
		if w.before != nil {
			w.before(turn)
		}
		if turn == w.steps {
			return modeltest.Call("claim_complete", map[string]string{"rationale": "all files are there"})
		}
		return modeltest.Call("write_file", map[string]string{"path": w.file(turn), "content": "written\n"})
	})
	target, err := url.Parse(strings.TrimSuffix(server.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		isTaken := w.fail != nil && w.fail(rw, r, w.written())
		w.mu.Unlock()
		if !isTaken {
			proxy.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(front.Close)
	w.url = front.URL + "/v1"
	return w
}

// failWith sets what takes requests in the place of the model.
func (w *work) failWith(f func(w http.ResponseWriter, r *http.Request, turn int) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = f
}

// actBefore sets what happens before the model answers. It happens with w.mu locked.
func (w *work) actBefore(f func(turn int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = f
}

// file is the name of a step's file.
func (w *work) file(step int) string { return fmt.Sprintf("step-%d", step+1) }

// written returns how many of the files exist, in their order.
func (w *work) written() int {
	for n := range w.steps {
		if _, err := os.Stat(filepath.Join(w.dir, w.file(n))); err != nil {
			return n
		}
	}
	return w.steps
}

// runArgs are the arguments of goalctl that begin the goal.
func (w *work) runArgs(more ...string) []string {
	check := fmt.Sprintf("for n in $(seq %d); do grep -qx written step-$n || exit 1; done", w.steps)
	return append([]string{
		"run", "--base-url", w.url, "--model", "m", "--dir", w.dir, "--critic", "0", "--review", "never",
		"--check", check, "--allow", "passing",
	}, append(more, "write the files")...)
}

// answer is what goalctl printed, and its exit code.
type answer struct {
	code   int
	output string
}

// goalctl runs the program to its end.
func (p place) goalctl(t *testing.T, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	c := p.command(ctx, args...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return answer{-1, "it did not end in time\n" + output.String()}
	case errors.As(err, &exit):
		return answer{exit.ExitCode(), output.String()}
	case err != nil:
		t.Fatal(err)
	}
	return answer{0, output.String()}
}

// command prepares the program: this test binary under another name.
func (p place) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = p.environ()
	return c
}

// expect returns a problem unless the program ended with a code and printed all words.
func (a answer) expect(code int, words ...string) string {
	if a.code != code {
		return fmt.Sprintf("exit %d, want %d: %s", a.code, code, tail(a.output))
	}
	for _, word := range words {
		if !strings.Contains(a.output, word) {
			return fmt.Sprintf("%q is missing in: %s", word, tail(a.output))
		}
	}
	return ""
}

// tail returns the end of an output.
func tail(output string) string { return strconv.Quote(output[max(0, len(output)-700):]) }

// only returns the id of the place's only goal.
func (p place) only(t *testing.T) string {
	t.Helper()
	a := p.goalctl(t, "list", "--json")
	var list struct{ Goals []struct{ ID string } }
	if err := json.Unmarshal([]byte(a.output), &list); err != nil || len(list.Goals) != 1 {
		t.Fatalf("%v: %s", err, tail(a.output))
	}
	return list.Goals[0].ID
}
