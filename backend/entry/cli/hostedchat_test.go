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
	c := startChat(t)
	const interrupt = "\x03"
	c.shows("> ")
	for range 2 {
		c.types("what now?\n")
		c.shows("I think about it. ")
		c.types(interrupt)
		c.shows("> ")
	}
	c.types(interrupt)
	var exit *exec.ExitError
	if err := c.command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 8 {
		t.Errorf("it ends with %v, and shows %q", err, c.screen)
	}
}

// typedChat is goalctl chat at a terminal, with its answers given by the host.
type typedChat struct {
	*testing.T

	command  *exec.Cmd
	terminal *os.File
	screen   []byte // that was not looked for yet
}

func startChat(t *testing.T) *typedChat {
	t.Helper()
	c := &typedChat{T: t, command: exec.Command(os.Args[0], "chat")}
	c.command.Args[0], c.command.Env, c.command.Dir = "goalctl", append(os.Environ(), "HOST=on"), t.TempDir()
	var err error
	if c.terminal, err = pty.Start(c.command); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.terminal.Close() })
	return c
}

// shows waits until the terminal shows a text after those before.
func (tc *typedChat) shows(wanted string) {
	tc.Helper()
	for b := make([]byte, 1<<10); !bytes.Contains(tc.screen, []byte(wanted)); {
		n, err := tc.terminal.Read(b)
		tc.screen = append(tc.screen, b[:n]...)
		if err != nil {
			tc.Fatalf("the terminal shows %q, not %q: %v", tc.screen, wanted, err)
		}
	}
	tc.screen = tc.screen[bytes.Index(tc.screen, []byte(wanted))+len(wanted):]
}

func (tc *typedChat) types(keys string) {
	tc.Helper()
	if _, err := tc.terminal.WriteString(keys); err != nil {
		tc.Fatal(err)
	}
}

// TestChat_UnknownHost_IsAskedAtTheTerminal: the user sees the whole address, and what is not a yes refuses.
func TestChat_UnknownHost_IsAskedAtTheTerminal(t *testing.T) {
	h := openHost(t)
	address := "http://docs.example/guide?" + strings.Repeat("page=1&", 30)
	model := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		if n == 0 {
			return modeltest.Call("fetch_url", map[string]string{"url": address})
		}
		return modeltest.Say("It was " + map[bool]string{true: "refused", false: "read"}[strings.Contains(r.Last().Text,
			"denied by the user")])
	})
	if code, _, said := h.run(t, "providers", "add", "custom", "--base-url", model.URL, "--model", "m"); code != 0 {
		t.Fatal(said)
	}
	c := startChat(t)
	c.shows("> ")
	c.types("what does it say?\n")
	c.shows("read from docs.example")
	c.shows("page=1&page=1&")
	c.shows("[N]o: ")
	c.types("perhaps\n")
	c.shows("It was refused")
	c.shows("> ")
	c.types("\x04")
	if err := c.command.Wait(); err != nil {
		t.Error(err)
	}
}
