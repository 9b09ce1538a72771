package recording

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"goalpost/backend/domain/pane"
)

// Limits bound the stored bytes of a goal, by kind.
type Limits struct{ Terminal, Browser int64 }

// DefaultLimits are the limits for one goal.
func DefaultLimits() Limits { return Limits{Terminal: 64 << 20, Browser: 256 << 20} }

// segmentsPerLimit is the number of segments in a limit: the fewer there are, the more is dropped at once.
const segmentsPerLimit = 16

// Writer writes one recording. All methods may be called concurrently. Data that the system has not yet written is
// lost if the machine fails: a recording shows what happened and proves nothing.
type Writer struct {
	dir string

	mu     sync.Mutex
	tracks map[pane.Kind]*track
	closed bool
}

// track writes the segments of one kind.
type track struct {
	kind   pane.Kind
	limit  int64
	list   []segment // the last one is open
	file   *os.File
	number int
}

// NewWriter makes a writer that begins or continues the recording in dir. The first record creates dir.
func NewWriter(dir string, l Limits) *Writer {
	return &Writer{dir: dir, tracks: map[pane.Kind]*track{
		pane.Terminal: {kind: pane.Terminal, limit: l.Terminal}, pane.Browser: {kind: pane.Browser, limit: l.Browser},
	}}
}

// Add writes a record, and drops old data above the limit.
func (w *Writer) Add(r Record) error {
	b, err := encodeRecord(r)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	current := w.tracks[r.Kind]
	if w.closed || current == nil {
		return os.ErrClosed
	}
	if err := current.write(w.dir, b); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// Close ends the recording.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	var errs []error
	for _, r := range w.tracks {
		if r.file != nil {
			errs = append(errs, r.file.Close())
			r.file = nil
		}
	}
	return errors.Join(errs...)
}

func (t *track) write(dir string, b []byte) error {
	if t.file == nil || t.list[len(t.list)-1].size >= t.limit/segmentsPerLimit {
		if err := t.next(dir); err != nil {
			return err
		}
	}
	n, err := t.file.Write(b)
	t.list[len(t.list)-1].size += int64(n)
	if err != nil {
		return err //nolint:wrapcheck // Add says what for
	}
	return t.trim()
}

// next begins a new segment. Segments of an earlier Writer are never appended to: they may end in the middle of a
// record.
func (t *track) next(dir string) error {
	if t.file == nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err //nolint:wrapcheck // Add says what for
		}
		var err error
		if t.list, err = listSegments(dir, t.kind); err != nil {
			return err
		}
		if len(t.list) > 0 {
			t.number = t.list[len(t.list)-1].number
		}
	} else if err := t.file.Close(); err != nil {
		return err //nolint:wrapcheck // Add says what for
	}
	t.number++
	path := filepath.Join(dir, segmentName(t.kind, t.number, 0))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		t.file = nil
		return err //nolint:wrapcheck // Add says what for
	}
	t.file, t.list = f, append(t.list, segment{path: path, number: t.number})
	return nil
}

// trim drops the oldest data until the limit is met. The open segment stays.
func (t *track) trim() error {
	for sumSizes(t.list) > t.limit && len(t.list) > 1 {
		i := 0
		if t.kind == pane.Browser {
			i = t.leastTrimmed()
		}
		s, err := dropEverySecond(t.kind, t.list[i])
		if err != nil {
			return err
		}
		if s == nil {
			t.list = append(t.list[:i], t.list[i+1:]...)
		} else {
			t.list[i] = *s
		}
	}
	return nil
}

// leastTrimmed returns the index of the oldest closed segment among those that were thinned the least.
func (t *track) leastTrimmed() int {
	best := 0
	for i, s := range t.list[:len(t.list)-1] {
		if s.thinned < t.list[best].thinned {
			best = i
		}
	}
	return best
}

func sumSizes(list []segment) (n int64) {
	for _, s := range list {
		n += s.size
	}
	return n
}

// dropEverySecond removes every second picture from a segment. It removes the whole segment if nothing would be left,
// or if some of its records are useless without the others, as for the bytes of a terminal.
func dropEverySecond(kind pane.Kind, s segment) (*segment, error) {
	if kind == pane.Terminal {
		return nil, os.Remove(s.path) //nolint:wrapcheck // Add says what for
	}
	rest := segment{
		number:  s.number,
		thinned: s.thinned + 1,
		path:    filepath.Join(filepath.Dir(s.path), segmentName(kind, s.number, s.thinned+1)),
	}
	var content []byte
	n := 0
	err := readSegment(s.path, kind, allRecords, func(r Record) error {
		if n++; n%2 == 0 {
			return nil
		}
		b, err := encodeRecord(r)
		content = append(content, b...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if n > 1 {
		rest.size = int64(len(content))
		if err := os.WriteFile(rest.path, content, 0o600); err != nil {
			return nil, err //nolint:wrapcheck // Add says what for
		}
	}
	if err := os.Remove(s.path); err != nil || rest.size == 0 {
		return nil, err //nolint:wrapcheck // Add says what for
	}
	return &rest, nil
}
