package terminal

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
)

// floodSize is in MiB: `make flood` prints a gigabyte.
var floodSize = flag.Int64("flood", 64, "MiB that TestFlood_Memory_IsBounded prints")

// TestFlood_Memory_IsBounded prints more than fits in memory, for the slowest possible viewer: it is always as far
// behind as the program may run ahead. No byte is lost, and Go takes at most 64 MB from the system.
func TestFlood_Memory_IsBounded(t *testing.T) {
	const most = 64e6
	debug.FreeOSMemory() // memory that other tests have left
	size := *floodSize << 20
	s := terminal(t, "sh", "-c",
		fmt.Sprintf("stty -opost -echo; echo ready; read go; yes 0123456789abcdef | head -c %d", size))
	v := s.Attach(0)
	defer v.Close()
	until(t, v, contains("ready\n"))
	if _, err := s.Write([]byte("go\r")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) // as long as it takes
	defer cancel()
	line := []byte("0123456789abcdef\n")
	pattern := bytes.Repeat(line, chunkSize/len(line)+2)
	var total, peak int64
	for start, _ := s.Range(); ; {
		behind := start + int64(len("ready\n")) + total + maxViewerLag
		if err := s.Wait(ctx, behind); err != nil && !errors.Is(err, ErrEnded) {
			t.Fatal(err)
		}
		offset, chunk, err := v.Read(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at := int(total % int64(len(line)))
		if !bytes.Equal(chunk, pattern[at:at+len(chunk)]) {
			t.Fatalf("other bytes at %d", offset)
		}
		total += int64(len(chunk))
		v.Ack(offset + int64(len(chunk)))
		if total%(1<<20) < chunkSize {
			peak = max(peak, taken())
		}
	}
	if total != size {
		t.Errorf("%d bytes of %d", total, size)
	}
	t.Logf("%d MiB printed, Go took %.1f MB at most", size>>20, float64(peak)/1e6)
	if peak > most {
		t.Errorf("Go took %.1f MB", float64(peak)/1e6)
	}
}

// taken returns the bytes that Go has taken from the system and has not returned.
func taken() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// TestFloods_InParallel prints in 15 terminals at once while a user types in another: every byte of every terminal
// arrives, and every key is echoed in order.
func TestFloods_InParallel(t *testing.T) {
	const floods, each = 15, 1 << 20
	set := launcher(t)
	m := NewManager(nil)
	t.Cleanup(func() {
		if err := m.CloseAll(context.Background()); err != nil {
			t.Error(err)
		}
	})
	open := func(id, script string) *Session {
		s, err := m.Open(context.Background(), set, Options{
			ID: id, Dir: t.TempDir(), Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var wait sync.WaitGroup
	for i := range floods {
		word := fmt.Sprintf("terminal %02d says", i)
		v := open(fmt.Sprintf("t%d", i+1), fmt.Sprintf("stty -opost; yes '%s' | head -c %d", word, each)).Attach(0)
		wait.Go(func() {
			defer v.Close()
			text, lost := rest(t, v)
			want := strings.Repeat(word+"\n", each/(len(word)+1)+1)[:each]
			if lost != 0 || string(text) != want {
				t.Errorf("terminal %d: %d bytes, %d lost", i, len(text), lost)
			}
		})
	}
	focused := open("focused", "stty raw -echo; echo ready; exec cat")
	v := focused.Attach(0)
	defer v.Close()
	until(t, v, contains("ready\n"))
	for i := range 200 {
		key := string(rune('a' + i%26))
		if _, err := focused.Write([]byte(key)); err != nil {
			t.Fatal(err)
		}
		if got := until(t, v, func(text string) bool { return text != "" }); got != key {
			t.Fatalf("key %d: %q came back as %q", i, key, got)
		}
	}
	wait.Wait()
}
