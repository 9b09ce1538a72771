package terminal

import (
	"context"
	"fmt"
	"io"

	"goalpost/backend/domain/pane"
)

const (
	chunkSize = 32 << 10
	window    = 1 << 20 // maximum of bytes sent without acknowledgement

	// maxViewerLag limits how far a viewer that had caught up may fall behind before the program is slowed down. It is
	// less than the scrollback, so that Ctrl+C during a flood is visible soon.
	maxViewerLag = 1 << 20
)

// GapError means that the bytes [from, to) were discarded; reading continues at to.
type GapError struct{ from, to int64 }

func (g *GapError) Error() string {
	return fmt.Sprintf("output from byte %d to %d was discarded", g.from, g.to)
}

// Range returns the range of discarded bytes.
func (g *GapError) Range() (from, to int64) { return g.from, g.to }

// Viewer reads a session's bytes from an offset on, at the speed of the acknowledgements. Read is for one goroutine;
// everything else may be called concurrently.
type Viewer struct {
	s     *Session
	sizes chan struct{}

	// Guarded by the session's mu.
	next, acked int64 // next byte to hand out; everything before acked was drawn
	caught      bool  // the viewer has caught up with the program once
	closed      bool
	size        *pane.SizedViewer
}

// Attach adds a viewer from byte offset on; below zero means the oldest stored byte, beyond the end means the end. An
// attached viewer loses nothing that was stored when it attached: the program waits for it.
func (s *Session) Attach(offset int64) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if offset < 0 {
		offset = s.ring.start
	}
	offset = min(offset, s.ring.end)
	v := &Viewer{s: s, sizes: make(chan struct{}, 1), next: offset, acked: offset, closed: s.closed}
	v.size = s.sizes.Add()
	if !s.closed {
		s.viewers[v] = struct{}{}
	}
	return v
}

// Read waits for output and returns up to 32 KiB that end with a whole character, and the offset of the first byte. At
// most 1 MiB is handed out beyond what was acknowledged. Errors: *GapError (read on), io.EOF when the program has ended
// and everything was read (a restart makes more), ErrClosed, or ctx's.
func (v *Viewer) Read(ctx context.Context) (offset int64, chunk []byte, err error) {
	for {
		v.s.mu.Lock()
		offset, chunk, err = v.take()
		next := v.s.output.next()
		v.s.mu.Unlock()
		if chunk != nil || err != nil {
			return offset, chunk, err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return v.next, nil, fmt.Errorf("reading a terminal: %w", ctx.Err())
		}
	}
}

// take returns what can be sent now; an empty result means wait. mu is held.
func (v *Viewer) take() (int64, []byte, error) {
	r := v.s.ring
	if v.next < r.start && !v.closed {
		to := r.start + int64(continuationLen(r.slice(r.start, r.start+4)))
		gap := &GapError{v.next, to}
		v.next, v.acked = to, to
		v.s.spaceFreed.broadcast()
		return to, nil, gap
	}
	available := r.end - v.next
	switch {
	case v.closed:
		return v.next, nil, ErrClosed
	case available == 0 && v.s.closed:
		return v.next, nil, ErrClosed
	case available == 0 && v.s.ended:
		return v.next, nil, io.EOF
	}
	chunk := make([]byte, max(0, min(available, chunkSize, v.acked+window-v.next)))
	r.read(v.next, chunk)
	if last := int64(len(chunk)) == available && (v.s.ended || v.s.closed); !last {
		chunk = chunk[:completeUTF8Len(chunk)]
	}
	if len(chunk) == 0 {
		return v.next, nil, nil
	}
	offset := v.next
	v.next += int64(len(chunk))
	v.caught = v.caught || r.end-v.next < maxViewerLag/2
	v.s.spaceFreed.broadcast()
	return offset, chunk, nil
}

// isTooFarBehind reports whether n more bytes are too many for this viewer. mu is held.
func (v *Viewer) isTooFarBehind(n int64) bool {
	r := v.s.ring
	next := max(v.next, r.start)
	if r.end+n-next > int64(r.bound) {
		return true
	}
	return v.caught && r.end-next > maxViewerLag
}

// Ack confirms that everything before the offset was drawn.
func (v *Viewer) Ack(offset int64) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if offset > v.acked && offset <= v.next {
		v.acked = offset
		v.s.output.broadcast()
	}
}

// Write types; see Session.Write. Replies of the page's terminal to queries of the program are dropped: the session
// answers them itself, once for all viewers.
func (v *Viewer) Write(p []byte) (int, error) {
	if isQueryReply(p) {
		return len(p), nil
	}
	return v.s.Write(p)
}

// Resize stores the viewer's space in character cells. Whether the terminal gets that size, pane.Sizes decides; looks
// means that the viewer never sets it.
func (v *Viewer) Resize(cols, rows int, looks bool) error {
	if err := validateSize(cols, rows); err != nil {
		return err
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.s.sizes.SetSpace(v.size, pane.Size{Width: cols, Height: rows}, looks)
	err := v.s.applySize(v)
	if cols != v.s.cols || rows != v.s.rows {
		v.resized()
	}
	return err
}

// GiveKeyboard notes that the user turned to this viewer: the terminal gets its size. The viewer is told, too, because
// it may just have been told the size before.
func (v *Viewer) GiveKeyboard() error {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.s.sizes.GiveKeyboard(v.size)
	return v.s.applySize(nil)
}

// Resized gets a token when the size is not, or no longer, that of the viewer's space, or is so again; Size returns it.
func (v *Viewer) Resized() <-chan struct{} { return v.sizes }

// Size returns the size in character cells.
func (v *Viewer) Size() (cols, rows int) { return v.s.Size() }

// Exit is Session.Exit.
func (v *Viewer) Exit() (code int, done bool) { return v.s.Exit() }

// Close detaches the viewer; a blocked Read returns ErrClosed.
func (v *Viewer) Close() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.closed = true
	delete(v.s.viewers, v)
	v.s.sizes.Remove(v.size)
	_ = v.s.applySize(nil) // a terminal that has ended has no size
	v.s.output.broadcast()
	v.s.spaceFreed.broadcast()
}

func (v *Viewer) resized() {
	select {
	case v.sizes <- struct{}{}:
	default:
	}
}
