package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/panes/stream"
)

// collect reads a terminal until want bytes have come, acknowledging every
// few messages, and checks that the offsets fit together.
func collect(tb testing.TB, ws *websocket.Conn, from int64, want int) []byte {
	tb.Helper()
	var out []byte
	for n := 1; len(out) < want; n++ {
		kind, data := read(tb, ws)
		if kind != websocket.MessageBinary {
			tb.Fatalf("text %s", data)
		}
		if off := int64(binary.BigEndian.Uint64(data)); off != from+int64(len(out)) {
			tb.Fatalf("offset %d, want %d", off, from+int64(len(out)))
		}
		out = append(out, data[8:]...)
		if n%2 == 0 {
			send(tb, ws, fmt.Sprintf(`{"t":"ack","n":%d}`, from+int64(len(out))))
		}
	}
	return out
}

func TestTerminal_Output_ArrivesWhole(t *testing.T) {
	w := open(t, nil)
	text := []byte(strings.Repeat("añ世🎉\r\n", 200_000))
	w.terminals["t1"] = &fakeTerminal{tb: t, data: text, chunk: 32 << 10} // it fails the test if the window is exceeded
	for range 2 {
		if got := collect(t, w.dial(t, "/v1/terminal/t1"), 0, len(text)); !bytes.Equal(got, text) {
			t.Error("the bytes differ")
		}
	}
	const at = 1_000_000
	if got := collect(t, w.dial(t, "/v1/terminal/t1?offset=1000000"), at, len(text)-at); !bytes.Equal(got, text[at:]) {
		t.Error("the bytes from an offset differ")
	}
}

func TestTerminal_InvalidAcks_AreIgnored(t *testing.T) {
	w := open(t, nil)
	text := bytes.Repeat([]byte("x"), 400<<10)
	w.terminals["t1"] = &fakeTerminal{tb: t, data: text, chunk: 32 << 10}
	ws := w.dial(t, "/v1/terminal/t1")
	got := 0
	for got < len(text) {
		_, data := read(t, ws)
		got += len(data) - 8
		for _, n := range []string{"-5", "0", "9223372036854775807", "1"} { // the fake refuses what was not sent
			send(t, ws, `{"t":"ack","n":`+n+`}`)
		}
	}
}

func TestTerminal_Updates_ReachThePage(t *testing.T) {
	w := open(t, nil)
	code := 3
	w.terminals["t1"] = &fakeTerminal{tb: t, data: []byte("0123456789"), from: 4, chunk: 100, exit: &code}
	ws := w.dial(t, "/v1/terminal/t1?offset=1")
	if got := readText(t, ws); got != `{"t":"lost","from":1,"to":4}` {
		t.Errorf("got %s", got)
	}
	if got := collect(t, ws, 4, 6); string(got) != "456789" {
		t.Errorf("got %q", got)
	}
	if got := readText(t, ws); got != `{"t":"exit","code":3}` {
		t.Errorf("got %s", got)
	}
	moved := make(chan struct{}, 1)
	moved <- struct{}{}
	w.terminals["t2"] = &fakeTerminal{tb: t, moved: moved}
	if got := readText(t, w.dial(t, "/v1/terminal/t2")); got != `{"t":"size","cols":100,"rows":30}` {
		t.Errorf("got %s", got)
	}
	closed := make(chan error, 1)
	closed <- errors.New("the terminal was closed")
	w.terminals["t4"] = &fakeTerminal{tb: t, news: closed}
	if code, reason := closing(t, w.dial(t, "/v1/terminal/t4")); code != stream.CloseNotFound ||
		!strings.Contains(reason, "was closed") {
		t.Errorf("closed with %d %s", code, reason)
	}
	w.terminals["t5"] = &fakeTerminal{tb: t, fail: errors.New("the program does not read")}
	deaf := w.dial(t, "/v1/terminal/t5")
	send(t, deaf, `{"t":"in","d":"x"}`)
	if got := readText(t, deaf); got != `{"t":"problem","text":"the program does not read"}` {
		t.Errorf("got %s", got)
	}
	zero := 0
	w.terminals["t3"] = &fakeTerminal{tb: t, exit: &zero}
	if got := readText(t, w.dial(t, "/v1/terminal/t3")); got != `{"t":"exit","code":0}` {
		t.Errorf("got %s", got)
	}
}

func TestTerminal_InputAndSizes_ReachTheProgram(t *testing.T) {
	w := open(t, nil)
	term := &fakeTerminal{tb: t, typed: make(chan string, 16), sizes: make(chan [2]int, 4)}
	w.terminals["t1"] = term
	ws := w.dial(t, "/v1/terminal/t1")
	send(t, ws, `{"t":"size","cols":0,"rows":24}`)
	send(t, ws, `{"t":"size","cols":120,"rows":40,"later":true}`)
	send(t, ws, `{"t":"dance"}`)
	send(t, ws, `{"t":"in","d":"ls é\r"}`)
	if err := ws.Write(t.Context(), websocket.MessageBinary, []byte{0xff, 0x00, 0x03}); err != nil {
		t.Fatal(err)
	}
	if got := <-term.sizes; got != [2]int{120, 40} {
		t.Errorf("size %v", got)
	}
	typed := ""
	for len(typed) < len("ls é\r\xff\x00\x03") {
		typed += <-term.typed
	}
	if typed != "ls é\r\xff\x00\x03" {
		t.Errorf("typed %q", typed)
	}
}

func TestTerminal_InvalidMessages(t *testing.T) {
	w := open(t, nil)
	w.terminals["t1"] = &fakeTerminal{tb: t}
	w.browsers["b1"] = newBrowser()
	for _, path := range []string{"/v1/terminal/t1", "/v1/browser/b1"} {
		for _, text := range []string{"hello", `[1]`, `{"t":7}`, ""} {
			ws := w.dial(t, path)
			send(t, ws, text)
			if code, reason := closing(t, ws); code != websocket.StatusPolicyViolation {
				t.Errorf("%s %q: %d %s", path, text, code, reason)
			}
		}
		ws := w.dial(t, path)
		_ = ws.Write(t.Context(), websocket.MessageText, bytes.Repeat([]byte(" "), 9<<20)) // may fail halfway
		if code, reason := closing(t, ws); code != websocket.StatusMessageTooBig && code != -1 {
			t.Errorf("%s: %d %s", path, code, reason)
		}
	}
}

func BenchmarkTerminal(b *testing.B) {
	w := open(b, nil)
	text := bytes.Repeat([]byte("\x1b[32mcoloured\x1b[0m output of a build\r\n"), 50<<20/36)
	w.terminals["t1"] = &fakeTerminal{tb: b, data: text, chunk: 32 << 10}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ws := w.dial(b, "/v1/terminal/t1")
		got := 0
		for got < len(text) {
			_, data, err := ws.Read(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			got += len(data) - 8
			send(b, ws, fmt.Sprintf(`{"t":"ack","n":%d}`, got))
		}
		_ = ws.CloseNow()
	}
}
