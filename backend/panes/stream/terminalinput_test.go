package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/panes/stream"
	"goalpost/backend/panes/terminal"
)

// realTerminals are panes with programs.
type realTerminals struct{ manager *terminal.Manager }

func (r realTerminals) Attach(_ context.Context, id string, offset int64) (stream.TerminalViewer, error) {
	s, err := r.manager.Get(id)
	if err != nil {
		return nil, err
	}
	return s.Attach(offset), nil
}

// dialProgram runs a shell script in a terminal and returns the page's socket to it.
func dialProgram(t *testing.T, script string) *websocket.Conn {
	t.Helper()
	programs, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	manager := terminal.NewManager(nil)
	t.Cleanup(func() {
		if err := manager.CloseAll(context.Background()); err != nil {
			t.Error(err)
		}
		if err := programs.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	_, err = manager.Open(t.Context(), programs, terminal.Options{
		ID:   "t1",
		Dir:  t.TempDir(),
		Argv: []string{"bash", "-c", script},
		Env:  []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, func(o *stream.Options) { o.Terminals = realTerminals{manager} })
	return w.dial(t, "/v1/terminal/t1")
}

// waitForOutput reads and acknowledges until the program has printed a text, and returns
// the problems that came before it.
func waitForOutput(t *testing.T, ws *websocket.Conn, want string) (problems []string) {
	t.Helper()
	var out strings.Builder
	for !strings.Contains(out.String(), want) {
		kind, data := read(t, ws)
		if kind == websocket.MessageText {
			problems = append(problems, string(data))
			continue
		}
		out.Write(data[8:])
		send(t, ws, fmt.Sprintf(`{"t":"ack","n":%d}`, int(binary.BigEndian.Uint64(data))+len(data)-8))
	}
	return problems
}

func sendBinary(t *testing.T, ws *websocket.Conn, data []byte) {
	t.Helper()
	if err := ws.Write(t.Context(), websocket.MessageBinary, data); err != nil {
		t.Fatal(err)
	}
}

const countInput = `stty raw -echo; echo ready; head -c %d | gzip -1 | tail -c 8 | od -An -tx4; echo done`

// crcOf returns what countInput prints for a text: gzip's trailer with CRC-32 and length.
func crcOf(text []byte) string {
	return fmt.Sprintf("%08x %08x", crc32.ChecksumIEEE(text), len(text))
}

// TestPaste_OfTheLargestSize_ArrivesWhole also covers a program that prints its input: the page's acknowledgements of
// that come behind the paste.
func TestPaste_OfTheLargestSize_ArrivesWhole(t *testing.T) {
	paste := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	ws := dialProgram(t, fmt.Sprintf(countInput, len(paste)))
	waitForOutput(t, ws, "ready")
	sendBinary(t, ws, paste)
	if problems := waitForOutput(t, ws, crcOf(paste)); len(problems) > 0 {
		t.Error(problems)
	}
	echo := dialProgram(t, `stty raw -echo; echo ready; exec cat`)
	waitForOutput(t, echo, "ready")
	sendBinary(t, echo, append(paste[:len(paste)-4:len(paste)-4], "end!"...))
	if problems := waitForOutput(t, echo, "end!"); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestPaste_Of2MiB_IsRefusedWhole checks that the page gets the reason, that the program gets nothing of the paste, and
// that later input arrives.
func TestPaste_Of2MiB_IsRefusedWhole(t *testing.T) {
	ws := dialProgram(t, fmt.Sprintf(countInput, 5))
	waitForOutput(t, ws, "ready")
	send(t, ws, `{"t":"in","d":"`+strings.Repeat("p", 2<<20)+`"}`)
	sendBinary(t, ws, bytes.Repeat([]byte("q"), 2<<20))
	send(t, ws, `{"t":"in","d":"hello"}`)
	problems := waitForOutput(t, ws, crcOf([]byte("hello")))
	if len(problems) != 2 || !strings.Contains(problems[0], "more than 1 MiB") || problems[0] != problems[1] {
		t.Errorf("the page gets %q", problems)
	}
}

// TestInput_ForAProgramThatDoesNotRead_IsBounded checks that each message is accepted whole or refused, and that the
// socket stays open.
func TestInput_ForAProgramThatDoesNotRead_IsBounded(t *testing.T) {
	const total, piece = 8, 1000_000
	ws := dialProgram(t, `stty raw -echo; echo ready; exec sleep 1000`)
	waitForOutput(t, ws, "ready")
	for range total {
		sendBinary(t, ws, make([]byte, piece))
	}
	for range total - 1 {
		if got := readText(t, ws); got != `{"t":"problem","text":"the program does not read its input"}` {
			t.Errorf("got %s", got)
		}
	}
}
