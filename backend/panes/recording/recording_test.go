package recording_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/recording"
)

var began = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func add(t *testing.T, recorder *recording.Writer, kind pane.Kind, n, size int) {
	t.Helper()
	data := append(fmt.Appendf(nil, "%06d:", n), bytes.Repeat([]byte{byte(n)}, size)...)
	err := recorder.Add(recording.Record{
		Pane:   "p1",
		Kind:   kind,
		At:     began.Add(time.Duration(n) * time.Second),
		Width:  80,
		Height: 24,
		Data:   data,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// numbers returns the numbers of the stored records, and their size in bytes.
func numbers(t *testing.T, dir string, kind pane.Kind) (list []int, size int) {
	t.Helper()
	err := recording.Read(dir, kind, func(r recording.Record) error {
		var n int
		if _, err := fmt.Sscanf(string(r.Data[:7]), "%d:", &n); err != nil {
			return err
		}
		if !r.At.Equal(began.Add(time.Duration(n)*time.Second)) || r.Pane != "p1" || r.Width != 80 || r.Height != 24 ||
			r.Kind != kind {
			t.Errorf("record %d came back as %s %s %v %dx%d", n, r.Pane, r.Kind, r.At, r.Width, r.Height)
		}
		list, size = append(list, n), size+len(r.Data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, size
}

func TestRead_ReturnsRecordsInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	if list, _ := numbers(t, dir, pane.Terminal); len(list) != 0 {
		t.Errorf("nothing was recorded, and %v came", list)
	}
	for round := range 2 { // a second Writer continues the recording of the first one
		recorder := recording.NewWriter(dir, recording.DefaultLimits())
		for n := range 3 {
			add(t, recorder, pane.Terminal, 10*round+n, 5)
			add(t, recorder, pane.Browser, 10*round+n+100, 5)
		}
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
		if err := recorder.Add(recording.Record{Pane: "p1", Kind: pane.Terminal}); err == nil {
			t.Error("a closed tape took a record")
		}
	}
	if list, _ := numbers(t, dir, pane.Terminal); fmt.Sprint(list) != "[0 1 2 10 11 12]" {
		t.Error(list)
	}
	if list, _ := numbers(t, dir, pane.Browser); fmt.Sprint(list) != "[100 101 102 110 111 112]" {
		t.Error(list)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

// TestWriter_AboveTheLimit_DropsTheOldest: of terminals the oldest bytes are dropped, and of pages the oldest pictures
// are thinned out. Neither exceeds its limit.
func TestWriter_AboveTheLimit_DropsTheOldest(t *testing.T) {
	const most = 512 << 10
	dir := t.TempDir()
	recorder := recording.NewWriter(dir, recording.Limits{Terminal: most, Browser: most})
	for n := range 2000 {
		add(t, recorder, pane.Terminal, n, 1000)
		add(t, recorder, pane.Browser, n, 1000)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	list, size := numbers(t, dir, pane.Terminal)
	if size > most || size < most/2 || list[0] < 1000 || list[len(list)-1] != 1999 || len(list) != 2000-list[0] {
		t.Errorf("%d bytes: %v", size, list)
	}
	list, size = numbers(t, dir, pane.Browser)
	gaps := func(part []int) (n int) { return part[len(part)-1] - part[0] }
	if third := len(list) / 3; size > most || size < most/4 || list[0] > 100 || list[len(list)-1] != 1999 ||
		gaps(list[:third]) <= gaps(list[len(list)-third:]) {
		t.Errorf("%d bytes: %v", size, list)
	}
}

// TestRead_TruncatedRecord_IsLeftOut: the program was killed in the middle of it.
func TestRead_TruncatedRecord_IsLeftOut(t *testing.T) {
	dir := t.TempDir()
	recorder := recording.NewWriter(dir, recording.DefaultLimits())
	add(t, recorder, pane.Terminal, 1, 100)
	add(t, recorder, pane.Terminal, 2, 100)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "terminal-*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], info.Size()-7); err != nil {
		t.Fatal(err)
	}
	recorder = recording.NewWriter(dir, recording.DefaultLimits())
	add(t, recorder, pane.Terminal, 3, 100)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if list, _ := numbers(t, dir, pane.Terminal); fmt.Sprint(list) != "[1 3]" {
		t.Error(list)
	}
}
