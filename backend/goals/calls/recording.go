package calls

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/recording"
	"goalpost/backend/storage/store"
)

// errEnough stops a scan that needs no more records.
var errEnough = errors.New("enough")

// RecordingView describes the recordings of a goal's panes.
type RecordingView struct {
	Panes []RecordedPane `json:"panes"`
}

// RecordedPane is one pane in a recording. Times are milliseconds since the goal started.
type RecordedPane struct {
	Pane    string    `json:"pane"`
	Kind    pane.Kind `json:"kind"`
	FromMS  int64     `json:"from_ms"`
	ToMS    int64     `json:"to_ms"`
	Records int       `json:"records"`
	Bytes   int64     `json:"bytes"`
}

// RecordingPage is a part of what one pane showed.
type RecordingPage struct {
	Records []RecordView `json:"records"`
	More    bool         `json:"more"` // there are more records after the last one
}

// RecordView is one record of a pane: bytes of a terminal, or a picture of a page as a JPEG.
type RecordView struct {
	N      int    `json:"n"` // counts from 1 in the pane's present recording
	AtMS   int64  `json:"at_ms"`
	Width  int    `json:"width"` // terminal: columns and rows; browser: CSS pixels
	Height int    `json:"height"`
	Data   string `json:"data"` // base64
}

// Recording lists the recorded panes of a goal.
func (ga *GoalAPI) Recording(id string) (RecordingView, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (RecordingView, error) {
		panes, err := recordingOf(ga.ctx, ga.store, g.Goal).panes()
		return RecordingView{Panes: panes}, err
	})
}

// Replay reads the records of a pane after the given number, at most about 4 MiB.
func (ga *GoalAPI) Replay(id, name string, after int) (RecordingPage, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (RecordingPage, error) {
		return recordingOf(ga.ctx, ga.store, g.Goal).page(name, after)
	})
}

// ReplayAt reads the records that show a pane at a moment, in milliseconds since the goal started, and the following
// ones. For a page it begins with the last picture before the moment. For a terminal it begins about 1 MiB before, or
// with the first byte.
func (ga *GoalAPI) ReplayAt(id, name string, ms int64) (RecordingPage, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (RecordingPage, error) {
		rec := recordingOf(ga.ctx, ga.store, g.Goal)
		after, err := rec.lastBefore(name, ms)
		if err != nil {
			return RecordingPage{}, err
		}
		return rec.page(name, after)
	})
}

// goalRecording reads the recording of one goal's panes.
type goalRecording struct {
	ctx  context.Context
	goal goal.Goal
	dir  string
}

func recordingOf(ctx context.Context, s *store.Store, g goal.Goal) goalRecording {
	return goalRecording{ctx: ctx, goal: g, dir: s.Recording(g.ID)}
}

// panes lists the recorded panes in the order in which they were opened.
func (g goalRecording) panes() ([]RecordedPane, error) {
	panes := map[string]*RecordedPane{}
	err := g.scan(wantNoData, func(r recording.Record) error {
		at := g.sinceStart(r.At)
		p := panes[r.Pane]
		if p == nil {
			p = &RecordedPane{Pane: r.Pane, Kind: r.Kind, FromMS: at}
			panes[r.Pane] = p
		}
		p.ToMS, p.Records, p.Bytes = at, p.Records+1, p.Bytes+int64(r.Bytes)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]RecordedPane, 0, len(panes))
	for _, p := range panes {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b RecordedPane) int {
		return cmp.Or(cmp.Compare(a.FromMS, b.FromMS), strings.Compare(a.Pane, b.Pane))
	})
	return list, nil
}

// lastBefore returns the number of the record after which a replay has to begin to show a moment.
func (g goalRecording) lastBefore(name string, ms int64) (int, error) {
	const maxLead = 1 << 20
	n, before, sizes := 0, 0, []int(nil) // sizes are those of the records before the moment, n is the last of them
	err := g.scan(wantNoData, func(r recording.Record) error {
		if r.Pane != name {
			return nil
		}
		if n > 0 && g.sinceStart(r.At) > ms {
			return errEnough
		}
		n, before, sizes = n+1, before+r.Bytes, append(sizes, r.Bytes)
		for len(sizes) > 1 && (r.Kind == pane.Browser || before > maxLead) {
			before, sizes = before-sizes[0], sizes[1:]
		}
		return nil
	})
	return n - len(sizes), err
}

// page reads the records of a pane after the given number.
func (g goalRecording) page(name string, after int) (out RecordingPage, err error) {
	const pageBytes = 4 << 20
	out.Records = []RecordView{}
	n, size := 0, 0
	matches := func(r recording.Record) bool { return r.Pane == name && n >= after && size <= pageBytes }
	err = g.scan(matches, func(r recording.Record) error {
		if r.Pane != name {
			return nil
		}
		if n++; n <= after {
			return nil
		}
		if size > pageBytes {
			out.More = true
			return errEnough
		}
		size += len(r.Data)
		out.Records = append(out.Records, RecordView{
			N: n, AtMS: g.sinceStart(r.At), Width: r.Width, Height: r.Height, Data: base64.StdEncoding.EncodeToString(r.Data),
		})
		return nil
	})
	return out, err
}

// clickFrameDelay is the time from the beginning of an action to the picture that shows it. By then the page has been
// painted again, if it had to scroll to the element.
const clickFrameDelay = 40 * time.Millisecond

// addClick adds to the view of a step the point at which it acted on a page, and the recorded picture of that moment.
// It does nothing if either is missing.
func addClick(ctx context.Context, from *store.Store, g goal.Goal, s store.Step, out *StepView) error {
	var args struct {
		Pane string `json:"pane"`
	}
	if !strings.HasPrefix(s.Tool, "browser_") || json.Unmarshal([]byte(s.Arguments), &args) != nil || args.Pane == "" {
		return nil
	}
	point, err := from.History.StepPoint(ctx, g.ID, s.N)
	if err != nil || point == nil {
		return err
	}
	frame, err := recordingOf(ctx, from, g).frameAt(args.Pane, point.At.Add(clickFrameDelay))
	if err != nil || frame == nil || len(frame.Data) == 0 || frame.Width <= 0 || frame.Height <= 0 {
		return err
	}
	out.Image = "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(frame.Data)
	out.Click = &ClickView{X: point.X, Y: point.Y, Width: frame.Width, Height: frame.Height}
	return nil
}

// frameAt reads the recorded picture of a browser pane at a moment, nil if there is none.
func (g goalRecording) frameAt(name string, at time.Time) (*recording.Record, error) {
	last, n := 0, 0
	err := g.scan(wantNoData, func(r recording.Record) error {
		if r.Pane != name || r.Kind != pane.Browser {
			return nil
		}
		if r.At.After(at) {
			return errEnough
		}
		last++
		return nil
	})
	if err != nil || last == 0 {
		return nil, err
	}
	var frame *recording.Record
	counts := func(r recording.Record) bool {
		if r.Pane == name && r.Kind == pane.Browser {
			n++
		}
		return r.Pane == name && r.Kind == pane.Browser && n == last
	}
	err = g.scan(counts, func(r recording.Record) error {
		if n < last || r.Pane != name {
			return nil
		}
		frame = &r
		return errEnough
	})
	return frame, err
}

// scan reads all records of the goal, terminals first. Only wanted records have data.
func (g goalRecording) scan(matches func(recording.Record) bool, visit func(recording.Record) error) error {
	for _, kind := range []pane.Kind{pane.Terminal, pane.Browser} {
		err := recording.Scan(g.dir, kind, matches, func(r recording.Record) error {
			if err := g.ctx.Err(); err != nil {
				return err //nolint:wrapcheck // the program is closing
			}
			return visit(r)
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func wantNoData(recording.Record) bool { return false }

func (g goalRecording) sinceStart(at time.Time) int64 {
	return max(0, at.Sub(g.goal.StartedAt).Milliseconds())
}
