// Package recording stores what a goal's panes showed, for replay: the bytes of its terminals and pictures of its
// pages. A recording is a folder of segments. Above the limit the oldest data is dropped: whole segments of bytes,
// every second picture.
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

	"goalpost/backend/domain/pane"
)

// Record is one change of what a pane shows.
type Record struct {
	Pane          string
	Kind          pane.Kind
	At            time.Time // in whole milliseconds
	Width, Height int       // terminal: columns and rows; browser: CSS pixels of the picture
	Bytes         int       // of Data, as it was read
	Data          []byte    // terminal: bytes as they came; browser: a JPEG; nil if Scan skipped it
}

// recordHeader precedes the data of a record, as one line of JSON.
type recordHeader struct {
	Pane   string `json:"pane"`
	At     int64  `json:"at"` // milliseconds since 1970, UTC
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int    `json:"bytes"`
}

// prefixes are the beginnings of segments' names, by kind of content.
var prefixes = map[pane.Kind]string{pane.Terminal: "terminal-", pane.Browser: "frames-"}

func encodeRecord(r Record) ([]byte, error) {
	line, err := json.Marshal(recordHeader{r.Pane, r.At.UnixMilli(), r.Width, r.Height, len(r.Data)})
	if err != nil {
		return nil, fmt.Errorf("a record: %w", err)
	}
	return slices.Concat(line, []byte{'\n'}, r.Data), nil
}

// maxRecordBytes limits one record, so that a corrupt header does not allocate all memory.
const maxRecordBytes = 64 << 20

func decodeRecord(in *bufio.Reader, kind pane.Kind, matches func(Record) bool) (Record, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return Record{}, io.EOF // also a truncated record: the program was killed while it wrote
	}
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Bytes < 0 || h.Bytes > maxRecordBytes {
		return Record{}, fmt.Errorf("a broken head %.80q", line)
	}
	r := Record{Pane: h.Pane, Kind: kind, At: time.UnixMilli(h.At).UTC(), Width: h.Width, Height: h.Height, Bytes: h.Bytes}
	if !matches(r) {
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

// Read passes the records of one kind to visit, oldest first. A missing recording has no records.
func Read(dir string, kind pane.Kind, visit func(Record) error) error {
	return Scan(dir, kind, allRecords, visit)
}

func allRecords(Record) bool { return true }

// Scan is Read for callers that need the data of few records: it skips the data of the others, which needs no memory.
func Scan(dir string, kind pane.Kind, matches func(Record) bool, visit func(Record) error) error {
	list, err := listSegments(dir, kind)
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := readSegment(s.path, kind, matches, visit); err != nil {
			return err
		}
	}
	return nil
}

func readSegment(path string, kind pane.Kind, matches func(Record) bool, visit func(Record) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it was thinned out
	}
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	defer func() { _ = f.Close() }()
	for in := bufio.NewReaderSize(f, 64<<10); ; {
		r, err := decodeRecord(in, kind, matches)
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
	thinned int // how often every second record was removed
	size    int64
}

func listSegments(dir string, kind pane.Kind) ([]segment, error) {
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
		if n, err := fmt.Sscanf(rest, "%d.%d", &s.number, &s.thinned); !ok || err != nil || n != 2 ||
			e.Name() != segmentName(kind, s.number, s.thinned) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was thinned out
		}
		s.size = info.Size()
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b segment) int { return a.number - b.number })
	return list, nil
}

func segmentName(kind pane.Kind, number, thinned int) string {
	return fmt.Sprintf("%s%06d.%d", prefixes[kind], number, thinned)
}
