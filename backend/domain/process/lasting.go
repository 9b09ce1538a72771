package process

import (
	"context"
	"os"
	"sync"
	"time"
)

// Lasting is what a captured program left running. Its output is read until nothing holds it any more, because a
// program whose output nobody reads is ended by its next line. Its methods may be called concurrently.
type Lasting struct {
	process ListingProcess // nil if its programs cannot be listed
	done    chan struct{}

	mu     sync.Mutex
	newest []byte
}

// maxNewest is how much of the output of a Lasting is kept, in bytes.
const maxNewest = 16 << 10

// CaptureLasting is Capture with one pipe for both streams. If the program leaves others running, it also returns what
// they are and write from then on.
func CaptureLasting(ctx context.Context, l Launcher, c Command) (Output, *Lasting, error) {
	out, err := newStreamCapture()
	if err != nil {
		return Output{}, nil, err
	}
	o, p, err := captureStreams(ctx, l, c, out, out)
	if err != nil || o.TimedOut {
		o.Stdout, o.Bytes = out.finish()
		return o, nil, err
	}
	left := &Lasting{done: make(chan struct{})}
	left.process, _ = p.(ListingProcess)
	isHeld := out.wait()
	o.Stdout, o.Bytes = out.buf.bytes()
	if isHeld {
		_ = out.r.SetReadDeadline(time.Time{})
		go left.read(out.r)
		return o, left, nil
	}
	_ = out.r.Close()
	close(left.done)
	if len(left.Programs(ctx)) == 0 {
		return o, nil, nil
	}
	return o, left, nil
}

// read reads until nothing holds the pipe.
func (l *Lasting) read(pipe *os.File) {
	defer close(l.done)
	piece := make([]byte, 4<<10)
	for {
		n, err := pipe.Read(piece)
		l.mu.Lock()
		if l.newest = append(l.newest, piece[:n]...); len(l.newest) > maxNewest {
			l.newest = append(l.newest[:0], l.newest[len(l.newest)-maxNewest/2:]...)
		}
		l.mu.Unlock()
		if err != nil {
			_ = pipe.Close()
			return
		}
	}
}

// Newest returns the end of what was written since the captured program ended.
func (l *Lasting) Newest() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]byte(nil), l.newest...)
}

// Programs returns the command lines of the programs that still run, as far as they are known. l may be nil.
func (l *Lasting) Programs(ctx context.Context) []string {
	if l == nil || l.process == nil {
		return nil
	}
	lines, err := l.process.ListLeft(ctx)
	if err != nil { // all programs of its launcher have ended
		return nil
	}
	return lines
}

// Runs reports whether a program still runs.
func (l *Lasting) Runs(ctx context.Context) bool {
	select {
	case <-l.done:
		return len(l.Programs(ctx)) > 0
	default:
		return true
	}
}
