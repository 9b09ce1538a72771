package calls_test

import (
	"bytes"
	"encoding/base64"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/calls"
	"goalpost/backend/panes/recording"
)

// TestReplayAt_BeginsBeforeTheMoment: a page begins with the last picture before the moment, and a terminal early
// enough that its screen is correct. Further records follow in pages.
func TestReplayAt_BeginsBeforeTheMoment(t *testing.T) {
	const mib = 1 << 20
	a, s := openAPI(t)
	id := seeded(t, s, 1)
	row, err := s.Goals.Find(t.Context(), string(id))
	if err != nil {
		t.Fatal(err)
	}
	recorder := recording.NewWriter(s.Recording(id), recording.DefaultLimits())
	add := func(name string, kind pane.Kind, second, size int) {
		t.Helper()
		err := recorder.Add(recording.Record{
			Pane: name, Kind: kind, At: row.StartedAt.Add(time.Duration(second) * time.Second), Width: 80, Height: 24,
			Data: bytes.Repeat([]byte{byte(second)}, size),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for second := 1; second <= 20; second++ {
		add("t1", pane.Terminal, second, mib/2)
		add("t2", pane.Terminal, second, 1)
		add("b1", pane.Browser, second, 1000)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}

	view, err := a.Recording(string(id))
	if err != nil || len(view.Panes) != 3 {
		t.Fatalf("%+v, %v", view, err)
	}
	if p := view.Panes[1]; p.Pane != "t1" || p.Records != 20 || p.Bytes != 10*mib || p.FromMS/1000 != 1 ||
		p.ToMS/1000 != 20 {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct {
		pane        string
		ms          int64
		first, last int
		more        bool
	}{
		{"b1", 7_500, 7, 20, false},
		{"b1", 0, 1, 20, false},
		{"b1", 99_000, 20, 20, false},
		{"t2", 7_500, 1, 20, false}, // small enough to begin with the first byte
		{"t1", 7_500, 6, 14, true},  // 1 MiB before the moment, and 4 MiB in one page
		{"t1", 0, 1, 9, true},
		{"t9", 0, 0, 0, false},
	} {
		page, err := a.ReplayAt(string(id), c.pane, c.ms)
		if err != nil {
			t.Fatal(err)
		}
		first, last := 0, 0
		for _, r := range page.Records {
			if data, err := base64.StdEncoding.DecodeString(r.Data); err != nil || int64(data[0]) != r.AtMS/1000 ||
				int(data[0]) != r.N {
				t.Errorf("%s: record %d of %d ms has %d, %v", c.pane, r.N, r.AtMS, data[0], err)
			}
			if last = r.N; first == 0 {
				first = r.N
			}
		}
		if first != c.first || last != c.last || page.More != c.more {
			t.Errorf("%s at %d ms: records %d to %d, more %v; want %+v", c.pane, c.ms, first, last, page.More, c)
		}
	}
	page, err := a.Replay(string(id), "t1", 14)
	if err != nil || len(page.Records) != 6 || page.Records[0].N != 15 || page.More {
		t.Errorf("the rest has %d records, more %v, %v", len(page.Records), page.More, err)
	}
}

// TestStep_OfAClick_HasThePictureOfThatMoment checks the recorded picture of a click, and its point.
func TestStep_OfAClick_HasThePictureOfThatMoment(t *testing.T) {
	a, s := openAPI(t)
	id := seeded(t, s, 0)
	run, err := s.Journal.Begin(t.Context(), id, 1, &event.Resumed{})
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Goals.Find(t.Context(), string(id))
	if err != nil {
		t.Fatal(err)
	}
	at := func(second int) time.Time { return row.StartedAt.Add(time.Duration(second) * time.Second) }
	recorder := recording.NewWriter(s.Recording(id), recording.DefaultLimits())
	for _, r := range []recording.Record{
		{Pane: "b1", At: at(1), Data: []byte("before")},
		{Pane: "b2", At: at(4), Data: []byte("another page")},
		{Pane: "b1", At: at(5), Data: []byte("the button")},
		{Pane: "b1", At: at(8), Data: []byte("after")},
	} {
		r.Kind, r.Width, r.Height = pane.Browser, 800, 600
		if err := recorder.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	step := func(n int, tool string, point *goal.Point) []event.Body {
		return []event.Body{
			&event.StepStarted{StepID: n, Tool: tool, Arguments: `{"pane":"b1","target":"e4"}`},
			&event.Step{StepID: n, Tool: tool, Outcome: event.OK, Point: point},
		}
	}
	point := &goal.Point{Words: `click button "Buy"`, X: 200, Y: 150, At: at(6)}
	bodies := append(step(1, "browser_click", point), step(2, "browser_snapshot", nil)...)
	if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
		t.Fatal(err)
	}
	clicked, err := a.Step(string(id), 1)
	want := calls.ClickView{X: 200, Y: 150, Width: 800, Height: 600}
	if err != nil || clicked.Click == nil || *clicked.Click != want ||
		clicked.Image != "data:image/jpeg;base64,"+base64.StdEncoding.EncodeToString([]byte("the button")) {
		t.Errorf("%+v, %v", clicked, err)
	}
	if looked, err := a.Step(string(id), 2); err != nil || looked.Click != nil || looked.Image != "" {
		t.Errorf("a step that touched nothing: %+v, %v", looked, err)
	}
}
