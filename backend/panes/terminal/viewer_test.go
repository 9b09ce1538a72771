package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestViewer_SlowDuringAFlood_LosesNothing: late acknowledgements slow the program down, and the terminal stores no
// more than its scrollback.
func TestViewer_SlowDuringAFlood_LosesNothing(t *testing.T) {
	const size = 50 << 20
	s := terminal(t, "sh", "-c",
		fmt.Sprintf("stty -opost -echo; echo ready; read go; yes 0123456789abcdef | head -c %d", size))
	v := s.Attach(0)
	defer v.Close()
	until(t, v, contains("ready\n")) // the program prints nothing more until it reads a line
	if _, err := s.Write([]byte("go\r")); err != nil {
		t.Fatal(err)
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ctx := within(t)
	var total, unacked int64
	line := []byte("0123456789abcdef\n")
	for {
		offset, chunk, err := v.Read(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at := int(total % int64(len(line)))
		want := bytes.Repeat(line, len(chunk)/len(line)+2)[at : at+len(chunk)]
		if !bytes.Equal(chunk, want) {
			t.Fatalf("other bytes at %d", offset)
		}
		total += int64(len(chunk))
		if len(chunk) > chunkSize {
			t.Fatalf("a chunk of %d bytes", len(chunk))
		}
		unacked += int64(len(chunk))
		if unacked >= window {
			v.Ack(offset + int64(len(chunk)))
			unacked = 0
		}
	}
	if total != size {
		t.Errorf("%d bytes of %d", total, size)
	}
	runtime.GC()
	runtime.ReadMemStats(&now)
	if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 2*DefaultScrollback {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func TestViewer_WithoutAcks_GetsOneWindow(t *testing.T) {
	s := terminal(t, "sh", "-c", "head -c 2000000 /dev/zero")
	v := s.Attach(0)
	defer v.Close()
	ctx := within(t)
	var got int64
	for got < window {
		_, chunk, err := v.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got += int64(len(chunk))
	}
	if got != window {
		t.Errorf("%d bytes without an acknowledgement", got)
	}
	ended(t, s)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, chunk, err := v.Read(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes beyond the window, %v", len(chunk), err)
	}
	v.Ack(got + 1) // not handed out: ignored
	v.Ack(-5)
	if _, _, err := v.Read(canceled); !errors.Is(err, context.Canceled) {
		t.Error("an acknowledgement of what was not sent opens the window")
	}
	v.Ack(got)
	text, lost := rest(t, v)
	if int64(len(text))+got != 2_000_000 || lost != 0 {
		t.Errorf("%d bytes, %d lost", int64(len(text))+got, lost)
	}
}

func TestViewer_Chunks_EndWithWholeCharacters(t *testing.T) {
	// Characters of three bytes, printed in pieces that end inside of them.
	s := terminal(t, "sh", "-c", `stty -opost
		i=0; while [ $i -lt 200 ]; do printf '\346'; printf '\227'; printf '\245\342\202'; printf '\254'; i=$((i+1)); done
		awk 'BEGIN { for (i = 0; i < 60000; i++) printf "日€😀" }'; printf '\346\227'`)
	v := s.Attach(0)
	defer v.Close()
	ctx := within(t)
	var all []byte
	for {
		offset, chunk, err := v.Read(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if offset != int64(len(all)) {
			t.Fatalf("offset %d after %d bytes", offset, len(all))
		}
		all = append(all, chunk...)
		v.Ack(int64(len(all)))
		if _, end := s.Range(); !utf8.Valid(chunk) && int64(len(all)) != end {
			t.Fatalf("chunk at %d cuts a character: % x", offset, chunk[max(0, len(chunk)-4):])
		}
	}
	want := strings.Repeat("日€", 200) + strings.Repeat("日€😀", 60000) + "\xe6\x97"
	if string(all) != want {
		t.Errorf("%d bytes instead of %d", len(all), len(want))
	}
}

func TestAttach_AtAnOffset_ReplaysFromThere(t *testing.T) {
	s := terminal(t, "sh", "-c", "stty -opost; printf 0123456789; read x; printf live; read x")
	first := s.Attach(0)
	defer first.Close()
	until(t, first, contains("0123456789"))
	second := s.Attach(4)
	defer second.Close()
	oldest := s.Attach(-1)
	defer oldest.Close()
	if got := until(t, second, contains("9")); got != "456789" {
		t.Errorf("%q", got)
	}
	if _, err := s.Write([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*Viewer{first, second} {
		until(t, v, contains("live"))
	}
	if got := until(t, oldest, contains("live")); !strings.HasPrefix(got, "0123456789") {
		t.Errorf("%q", got)
	}
	late := s.Attach(1 << 40)
	defer late.Close()
	_, end := s.Range()
	if late.next != end {
		t.Errorf("beyond the end starts at %d of %d", late.next, end)
	}
}

func TestViewer_LostOutput_IsReported(t *testing.T) {
	s := terminalWith(t, Options{
		Argv:       []string{"sh", "-c", "stty -opost; yes 日本 | head -c 2000000"},
		Scrollback: minScrollback,
	})
	ended(t, s)
	v := s.Attach(100)
	defer v.Close()
	offset, chunk, err := v.Read(within(t))
	var lost interface{ Range() (from, to int64) }
	if !errors.As(err, &lost) || chunk != nil {
		t.Fatalf("%d %q %v", offset, chunk, err)
	}
	from, to := lost.Range()
	if kept, _ := s.Range(); from != 100 || to < kept || to > kept+3 {
		t.Errorf("lost %d to %d, kept from %d", from, to, kept)
	}
	offset, chunk, err = v.Read(within(t))
	if err != nil || offset != to || !utf8.Valid(chunk) {
		t.Errorf("continues at %d: %v", offset, err)
	}
	v.Ack(offset + int64(len(chunk)))
	if text, more := rest(t, v); more != 0 || to+int64(len(chunk)+len(text)) != 2_000_000 {
		t.Errorf("%d more lost, ends at %d", more, to+int64(len(chunk)+len(text)))
	}
}

// TestFlood_WithoutViewer_DropsTheOldest: without a viewer, nothing slows the program down.
func TestFlood_WithoutViewer_DropsTheOldest(t *testing.T) {
	s := terminalWith(t, Options{Argv: []string{"sh", "-c", "yes | head -c 5000000"}, Scrollback: minScrollback})
	ended(t, s)
	from, to := s.Range()
	if to != 7_500_000 || to-from != minScrollback { // each \n becomes \r\n
		t.Errorf("kept %d to %d", from, to)
	}
}

func TestViewers_OfOneTerminal_SeeTheSame(t *testing.T) {
	s := terminal(t, "sh", "-c", "read x; seq 1 100000")
	var all sync.WaitGroup
	texts := make([][]byte, 4)
	for i := range texts {
		v := s.Attach(0)
		all.Go(func() {
			defer v.Close()
			texts[i], _ = rest(t, v)
		})
	}
	gone := s.Attach(0) // never reads, and is closed
	if _, err := s.Write([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(within(t), 10); err != nil {
		t.Fatal(err)
	}
	gone.Close()
	if _, _, err := gone.Read(within(t)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	all.Wait()
	for i, text := range texts {
		if !bytes.HasSuffix(text, []byte("\r\n100000\r\n")) || !bytes.Equal(text, texts[0]) {
			t.Errorf("viewer %d: %d bytes", i, len(text))
		}
	}
}

func TestClose_WaitingViewer_Wakes(t *testing.T) {
	m := NewManager(nil)
	s, err := m.Open(context.Background(), launcher(t), Options{ID: "t1", Dir: "/", Argv: []string{"/bin/cat"}})
	if err != nil {
		t.Fatal(err)
	}
	v := s.Attach(0)
	ended := make(chan error)
	go func() {
		_, _, err := v.Read(context.Background())
		ended <- err
	}()
	if err := m.Close(within(t), "t1"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if _, err := s.Write(nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestIsQueryReply_RepliesOfXterm_AreRecognized(t *testing.T) {
	for text, want := range map[string]bool{
		"\x1b[?1;2c": true, "\x1b[>0;276;0c": true, "\x1b[0n": true, "\x1b[12;40R": true, "\x1b[1;1R": true,
		"\x1b[?2026;2$y": true, "\x1b]11;rgb:1e1e/1e1e/1e1e\x07": true, "\x1b]10;rgb:ff/ff/ff\x1b\\": true,
		"\x1bP1$r0m\x1b\\": true, "\x1b[?1;2c\x1b[1;1R": true,
		"\x1b[1;2R": false, "\x1b[A": false, "\x1b": false, "\x1b[15~": false, "x": false, "\x1b[I": false,
		"\x1b[200~\x1b[0n\x1b[201~": false, "\x1b[1;5C": false, "": false,
	} {
		if got := isQueryReply([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func BenchmarkThroughput(b *testing.B) {
	const size = 64 << 20
	b.SetBytes(size)
	set := launcher(b)
	m := NewManager(nil)
	for b.Loop() {
		s, err := m.Open(context.Background(), set, Options{
			ID:   "t1",
			Dir:  "/",
			Env:  []string{"PATH=/usr/bin:/bin"},
			Argv: []string{"sh", "-c", fmt.Sprintf("stty -opost; yes 0123456789012345678901234567890 | head -c %d", size)},
		})
		if err != nil {
			b.Fatal(err)
		}
		v := s.Attach(0)
		if text, lost := restCount(b, v); text != size || lost != 0 {
			b.Fatalf("%d bytes, %d lost", text, lost)
		}
		v.Close()
		if err := m.Close(context.Background(), "t1"); err != nil {
			b.Fatal(err)
		}
	}
}

func restCount(b *testing.B, v *Viewer) (n, lost int64) {
	b.Helper()
	for {
		offset, chunk, err := v.Read(context.Background())
		if errors.Is(err, io.EOF) {
			return n, lost
		}
		if err != nil {
			b.Fatal(err)
		}
		n += int64(len(chunk))
		v.Ack(offset + int64(len(chunk)))
	}
}

func BenchmarkKeyEcho(b *testing.B) {
	s := terminal(b, "cat")
	v := s.Attach(0)
	defer v.Close()
	for b.Loop() {
		if _, err := v.Write([]byte("k")); err != nil {
			b.Fatal(err)
		}
		offset, chunk, err := v.Read(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		v.Ack(offset + int64(len(chunk)))
		if offset%1000 == 999 { // the kernel takes 4 KiB of a line
			if _, err := v.Write([]byte{0x15}); err != nil {
				b.Fatal(err)
			}
			offset, chunk, err := v.Read(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			v.Ack(offset + int64(len(chunk)))
		}
	}
}
