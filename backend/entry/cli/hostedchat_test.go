package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"goalpost/backend/agent/model/modeltest"
)

// TestChat_AtATerminal_StopsEachAnswer: in a conversation whose answers the host gives, each Ctrl+C stops an answer,
// and one between two answers ends it.
func TestChat_AtATerminal_StopsEachAnswer(t *testing.T) {
	h := openHost(t)
	model := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "I think about " + strings.Repeat("it. ", n+1), Hang: true}
	})
	if code, _, said := h.run(t, "providers", "add", "custom", "--base-url", model.URL, "--model", "m"); code != 0 {
		t.Fatal(said)
	}
	c := exec.Command(os.Args[0], "chat")
	c.Args[0], c.Env, c.Dir = "goalctl", append(os.Environ(), "HOST=on"), t.TempDir()
	terminal, err := pty.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var screen []byte
	shows := func(wanted string) {
		t.Helper()
		for b := make([]byte, 1<<10); !bytes.Contains(screen, []byte(wanted)); {
			n, err := terminal.Read(b)
			screen = append(screen, b[:n]...)
			if err != nil {
				t.Fatalf("the terminal shows %q, not %q: %v", screen, wanted, err)
			}
		}
		screen = screen[bytes.Index(screen, []byte(wanted))+len(wanted):]
	}
	types := func(keys string) {
		t.Helper()
		if _, err := terminal.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	const interrupt = "\x03"
	shows("> ")
	for range 2 {
		types("what now?\n")
		shows("I think about it. ")
		types(interrupt)
		shows("> ")
	}
	types(interrupt)
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 8 {
		t.Errorf("it ends with %v, and shows %q", err, screen)
	}
}
