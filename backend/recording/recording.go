// Package recording keeps what a goal's panes showed, so that it can be played
// again: the bytes of its terminals and pictures of its pages. A recording is a
// folder of segments. What is too much is taken from the oldest: whole segments
// of bytes, every second picture of pictures.
package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/pane"
)

// Record is one thing that a pane showed.
type Record struct {
	Pane          string
	Kind          pane.Kind
	At            time.Time // in whole milliseconds
	Width, Height int       // terminal: columns and rows; browser: CSS pixels of the picture
	Bytes         int       // of Data, as it was read
	Data          []byte    // terminal: bytes as they came; browser: a JPEG; nil where Scan passed it over
}

// recordHeader stands before the data of a record, as one line of JSON.
type recordHeader struct {
	Pane   string `json:"pane"`
	At     int64  `json:"at"` // milliseconds since 1970, UTC
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int    `json:"bytes"`
}

// prefixes are how the names of segments begin, by what is in them.
var prefixes = map[pane.Kind]string{pane.Terminal: "terminal-", pane.Browser: "frames-"}

func encode(r Record) ([]byte, error) {
	line, err := json.Marshal(recordHeader{r.Pane, r.At.UnixMilli(), r.Width, r.Height, len(r.Data)})
	if err != nil {
		return nil, fmt.Errorf("a record: %w", err)
	}
	return slices.Concat(line, []byte{'\n'}, r.Data), nil
}

// maxRecordBytes bounds one record, so that a broken head does not ask for all memory.
const maxRecordBytes = 64 << 20

func decode(in *bufio.Reader, kind pane.Kind, wanted func(Record) bool) (Record, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return Record{}, io.EOF // also one that was cut off in the middle: the program was killed then
	}
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Bytes < 0 || h.Bytes > maxRecordBytes {
		return Record{}, fmt.Errorf("a broken head %.80q", line)
	}
	r := Record{Pane: h.Pane, Kind: kind, At: time.UnixMilli(h.At).UTC(), Width: h.Width, Height: h.Height, Bytes: h.Bytes}
	if !wanted(r) {
		if _, err := in.Discard(h.Bytes); err != nil {
			return Record{}, io.EOF
		}
		return r, nil
	}
	r.Data = make([]byte, h.Bytes)
	if _, err := io.ReadFull(in, r.Data); err != nil {
		return Record{}, io.EOF
	}
	return r, nil
}

// Read hands out the records of one kind, oldest first. A recording that does
// not exist has none.
func Read(dir string, kind pane.Kind, visit func(Record) error) error {
	return Scan(dir, kind, allRecords, visit)
}

func allRecords(Record) bool { return true }

// Scan is Read for one who wants the data of few: of the others it is passed
// over, which needs no memory.
func Scan(dir string, kind pane.Kind, wanted func(Record) bool, visit func(Record) error) error {
	list, err := segments(dir, kind)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := readSegment(s.path, kind, wanted, visit); err != nil {
			return err
		}
	}
	return nil
}

func readSegment(path string, kind pane.Kind, wanted func(Record) bool, visit func(Record) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it was thinned away
	}
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	defer func() { _ = f.Close() }()
	for in := bufio.NewReaderSize(f, 64<<10); ; {
		r, err := decode(in, kind, wanted)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("recording %s: %w", filepath.Base(path), err)
		}
		if err := visit(r); err != nil {
			return err
		}
	}
}

// segment is one file of a recording.
type segment struct {
	path    string
	number  int
	thinned int // how often every second record was taken out
	size    int64
}

func segments(dir string, kind pane.Kind) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	var list []segment
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefixes[kind])
		s := segment{path: filepath.Join(dir, e.Name())}
		if n, err := fmt.Sscanf(rest, "%d.%d", &s.number, &s.thinned); !ok || err != nil || n != 2 || e.Name() != name(kind, s.number, s.thinned) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was thinned away
		}
		s.size = info.Size()
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b segment) int { return a.number - b.number })
	return list, nil
}

func name(kind pane.Kind, number, thinned int) string {
	return fmt.Sprintf("%s%06d.%d", prefixes[kind], number, thinned)
}
