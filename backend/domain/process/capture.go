package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// Capture limits: how much of each stream is kept, and how long a child that outlives its parent may keep writing
// before its pipe is abandoned.
const (
	MaxCapture   = 1 << 20
	captureGrace = 150 * time.Millisecond
	// termGrace is how long a program may take to end after SIGTERM, for example to remove its lock files.
	termGrace = 2 * time.Second
)

// Output is what a program wrote and how it ended.
type Output struct {
	Stdout, Stderr []byte // Stderr is empty where both were merged
	Bytes          int64  // written in all, before the cut
	Status         Status
	TimedOut       bool // ctx ended before the program did; it was ended
	Took           time.Duration
	Trace          *Trace // nil unless the command asked for it and the launcher can trace
}

// Capture runs a program to its end and keeps at most MaxCapture bytes of each stream, cut in the middle. Only the
// first of c.Files is used, if there is one, as its input. With merge, stdout and stderr share one pipe and keep
// their order. When ctx ends the program's whole session is ended: by SIGTERM, and what is left of it after 2 seconds
// by SIGKILL. An error means that the program could not be started.
func Capture(ctx context.Context, l Launcher, c Command, merge bool) (Output, error) {
	out, err := newStreamCapture()
	if err != nil {
		return Output{}, err
	}
	if merge {
		o, _, err := captureStreams(ctx, l, c, out, out)
		o.Stdout, o.Bytes = out.finish()
		return o, err
	}
	errs, err := newStreamCapture()
	if err != nil {
		out.discard()
		return Output{}, err
	}
	o, _, err := captureStreams(ctx, l, c, out, errs)
	o.Stdout, o.Bytes = out.finish()
	b, n := errs.finish()
	o.Stderr, o.Bytes = b, o.Bytes+n
	return o, err
}

// captureStreams runs a program until its end. The caller finishes the streams, also after an error.
func captureStreams(ctx context.Context, l Launcher, c Command, out, errs *streamCapture) (Output, Process, error) {
	from := time.Now()
	files := []*os.File{nil, out.w, errs.w}
	copy(files[:1], c.Files)
	c.Files = files
	p, err := l.Start(ctx, c)
	out.start()
	if errs != out {
		errs.start()
	}
	if err != nil {
		return Output{}, nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	o := Output{}
	select {
	case <-p.Done():
	case <-ctx.Done():
		o.TimedOut = true
		end(p, out, errs)
	}
	o.Status, o.Took = p.Status(), time.Since(from)
	if traced, ok := p.(TracedProcess); ok {
		trace := traced.Trace()
		o.Trace = &trace
	}
	return o, p, nil
}

// end ends a program and everything in its session that holds its output.
func end(p Process, streams ...*streamCapture) {
	_ = p.Signal(syscall.SIGTERM) // it may have ended already
	limit := time.NewTimer(termGrace)
	defer limit.Stop()
	waits := []<-chan struct{}{p.Done()}
	for _, s := range streams {
		waits = append(waits, s.done)
	}
	for _, wait := range waits {
		select {
		case <-wait:
		case <-limit.C:
			_ = p.Signal(syscall.SIGKILL)
			<-p.Done()
			return
		}
	}
	_ = p.Signal(syscall.SIGKILL) // what no longer holds the output
}

// streamCapture reads one pipe into a middle-cut buffer.
type streamCapture struct {
	r, w *os.File
	buf  headTailBuffer
	done chan struct{}
	err  error // why reading stopped, nil at the pipe's end; final once done is closed
}

func newStreamCapture() (*streamCapture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	return &streamCapture{r: r, w: w, done: make(chan struct{})}, nil
}

func (s *streamCapture) discard() { _ = errors.Join(s.r.Close(), s.w.Close()) }

func (s *streamCapture) start() {
	_ = s.w.Close() // the program holds its own copy
	go func() {
		defer close(s.done)
		_, s.err = io.Copy(&s.buf, s.r)
	}()
}

// finish closes the pipe and returns what was written. It waits for the pipe's end, but not for a background child that
// holds it open.
func (s *streamCapture) finish() ([]byte, int64) {
	s.wait()
	_ = s.r.Close()
	return s.buf.bytes()
}

// wait waits for the pipe's end, or for what is in it if a background child holds it open. It reports whether one does.
func (s *streamCapture) wait() (isHeld bool) {
	_ = s.r.SetReadDeadline(time.Now().Add(captureGrace))
	<-s.done
	if s.err != nil {
		s.drain()
	}
	return s.err != nil
}

// drain reads what is left in the pipe, because on a busy machine the read deadline may pass before the reader runs
// for the first time. It stops after MaxCapture, more than a pipe holds, because a background child may keep writing.
func (s *streamCapture) drain() {
	_ = s.r.SetReadDeadline(time.Time{})
	piece := make([]byte, 64<<10)
	for all := 0; all < MaxCapture; {
		n := readAvailable(s.r, piece)
		if n == 0 {
			return
		}
		all += n
		_, _ = s.buf.Write(piece[:n]) // never fails
	}
}

// headTailBuffer keeps the first and the last half of MaxCapture bytes.
type headTailBuffer struct {
	head, tail []byte
	total      int64
}

func (h *headTailBuffer) Write(p []byte) (int, error) {
	n := len(p)
	h.total += int64(n)
	if free := MaxCapture/2 - len(h.head); free > 0 {
		k := min(free, len(p))
		h.head, p = append(h.head, p[:k]...), p[k:]
	}
	h.tail = append(h.tail, p...)
	if len(h.tail) > MaxCapture { // twice what is kept, so that shifting is rare
		h.tail = append(h.tail[:0], h.tail[len(h.tail)-MaxCapture/2:]...)
	}
	return n, nil
}

func (h *headTailBuffer) bytes() ([]byte, int64) {
	tail := h.tail
	if len(tail) > MaxCapture/2 {
		tail = tail[len(tail)-MaxCapture/2:]
	}
	cut := h.total - int64(len(h.head)+len(tail))
	if cut == 0 {
		return append(h.head, tail...), h.total
	}
	note := fmt.Sprintf("\n… %d bytes left out …\n", cut)
	return append(append(h.head, note...), tail...), h.total
}
