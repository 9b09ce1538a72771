package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Capture limits: how much of each stream is kept, and how long a child that outlives its parent may keep writing
// before its pipe is abandoned.
const (
	MaxCapture   = 1 << 20
	captureGrace = 150 * time.Millisecond
)

// Output is what a program wrote and how it ended.
type Output struct {
	Stdout, Stderr []byte // Stderr is empty where both were merged
	Bytes          int64  // written in all, before the cut
	Status         Status
	TimedOut       bool // ctx ended before the program did; it was killed
	Took           time.Duration
	Trace          *Trace // nil unless the command asked for it and the launcher can trace
}

// Capture runs a program to its end and keeps at most MaxCapture bytes of each stream, cut in the middle. Only the
// first of c.Files is used, if there is one, as its input. With merge, stdout and stderr share one pipe and keep
// their order. When ctx ends the whole process group is killed. An error means that the program could not be started.
func Capture(ctx context.Context, l Launcher, c Command, merge bool) (Output, error) {
	from := time.Now()
	out, err := newStreamCapture()
	if err != nil {
		return Output{}, err
	}
	errs := out
	if !merge {
		if errs, err = newStreamCapture(); err != nil {
			out.discard()
			return Output{}, err
		}
	}
	files := []*os.File{nil, out.w, errs.w}
	copy(files[:1], c.Files)
	c.Files = files
	p, err := l.Start(ctx, c)
	if err != nil {
		out.discard()
		errs.discard()
		return Output{}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	out.start()
	if !merge {
		errs.start()
	}
	o := Output{}
	select {
	case <-p.Done():
	case <-ctx.Done():
		o.TimedOut = true
		_ = p.Signal(syscall.SIGKILL) // it may have ended already
		<-p.Done()
	}
	o.Status, o.Took = p.Status(), time.Since(from)
	if traced, ok := p.(TracedProcess); ok {
		trace := traced.Trace()
		o.Trace = &trace
	}
	o.Stdout, o.Bytes = out.finish()
	if !merge {
		b, n := errs.finish()
		o.Stderr, o.Bytes = b, o.Bytes+n
	}
	return o, nil
}

// streamCapture reads one pipe into a middle-cut buffer.
type streamCapture struct {
	r, w *os.File
	buf  headTailBuffer
	wg   sync.WaitGroup
	err  error // why reading stopped, nil at the pipe's end
}

func newStreamCapture() (*streamCapture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	return &streamCapture{r: r, w: w}, nil
}

func (s *streamCapture) discard() { _ = errors.Join(s.r.Close(), s.w.Close()) }

func (s *streamCapture) start() {
	_ = s.w.Close() // the program holds its own copy
	s.wg.Go(func() { _, s.err = io.Copy(&s.buf, s.r) })
}

// finish waits for the pipe's end, but not for a background child that holds it open.
func (s *streamCapture) finish() ([]byte, int64) {
	_ = s.r.SetReadDeadline(time.Now().Add(captureGrace))
	s.wg.Wait()
	if s.err != nil {
		s.drain()
	}
	_ = s.r.Close()
	return s.buf.bytes()
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
