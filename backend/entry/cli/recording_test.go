package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/recording"
)

// TestRecording_ExportsPlayableFiles also checks that no file is overwritten.
func TestRecording_ExportsPlayableFiles(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	started := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	recorder := recording.NewWriter(dir, recording.DefaultLimits())
	for i, r := range []recording.Record{
		{Pane: "t1", Kind: pane.Terminal, Width: 80, Height: 24, Data: []byte("\x1b[1mgo\r\n")},
		{Pane: "t1", Kind: pane.Terminal, Width: 100, Height: 30, Data: []byte("wide \xff")},
		{Pane: "b1", Kind: pane.Browser, Width: 1280, Height: 800, Data: []byte("jpeg")},
	} {
		r.At = started.Add(time.Duration(i+1) * 1500 * time.Millisecond)
		if err := recorder.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := exportRecording(dir, out, started); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	for name, want := range map[string]string{
		"t1.cast": `{"height":24,"timestamp":1795251600,"version":2,"width":80}
[1.5,"o","\u001b[1mgo\r\n"]
[3,"r","100x30"]
[3,"o","wide ` + "\uFFFD" + `"]
`,
		"b1/0000004500.jpg": "jpeg",
	} {
		if b, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if _, err := exportRecording(dir, out, started); err == nil {
		t.Error("an existing folder was written into")
	}
}
