package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/panes/recording"
)

// viewerPage is a page whose viewer does nothing: these tests read the data.
func viewerPage() fs.FS {
	return fstest.MapFS{"export/viewer.js": {Data: []byte("0")}, "export/viewer.css": {Data: []byte("b{}")}}
}

// exportedGoal is the data of an exported file.
type exportedGoal struct {
	Entries []calls.TranscriptEntry        `json:"entries"`
	Files   []struct{ Path, Hunks string } `json:"files"`
	Records map[string][]calls.RecordView  `json:"records"`
	Outputs map[string]string              `json:"outputs"`
	Panes   []calls.RecordedPane           `json:"panes"`
	LeftOut []string                       `json:"left_out"`
}

func (p *program) export(id string) (exportedGoal, calls.ExportOutput) {
	p.Helper()
	out, err := area[*calls.ExportAPI](p.T, p.app).HTML(id)
	must(p.T, err)
	_, rest, found := strings.Cut(out.HTML, `id="data">`)
	data, _, ended := strings.Cut(rest, "</script>")
	if !found || !ended {
		p.Fatalf("the file has no data: %.2000s", out.HTML)
	}
	var e exportedGoal
	must(p.T, json.Unmarshal([]byte(data), &e))
	return e, out
}

// goalWithOutputs ends a goal that printed and wrote, with one claim.
func (p *program) goalWithOutputs(command string) string {
	p.Helper()
	p.provide(turns(
		args("run_command", map[string]any{"command": command}),
		args("write_file", map[string]any{"path": "a.txt", "content": "one</script>\n"}),
		args("claim_complete", map[string]any{"rationale": "it is there"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "write", Policy: policy.Policy{Dir: p.TempDir()}, Criterion: goal.Criterion{Checks: shell("cat a.txt")},
	})
	must(p.T, err)
	p.done(out.GoalID)
	return out.GoalID
}

// record adds to the recording of a goal, as its panes do.
func (p *program) record(id string, list ...recording.Record) {
	p.Helper()
	w := recording.NewWriter(p.app.Store().Recording(goal.ID(id)), recording.DefaultLimits())
	for _, r := range list {
		must(p.T, w.Add(r))
	}
	must(p.T, w.Close())
}

func TestExport_DoneGoal_HasEverything(t *testing.T) {
	t.Parallel()
	p := startOptions(t, t.TempDir(), app.Options{Page: viewerPage()})
	id := p.goalWithOutputs("echo printed")
	at := time.Now().UTC()
	p.record(id,
		recording.Record{Pane: "t1", Kind: pane.Terminal, At: at, Width: 80, Height: 24, Data: []byte("in a terminal")},
		recording.Record{Pane: "b1", Kind: pane.Browser, At: at, Width: 800, Height: 600, Data: []byte("jpeg")})

	e, out := p.export(id)
	if len(e.LeftOut)+len(out.LeftOut) > 0 || out.Name != "goalpost-"+goal.ID(id).Short()+".html" {
		t.Errorf("%s left out %q", out.Name, e.LeftOut)
	}
	if len(e.Files) != 1 || e.Files[0].Path != "a.txt" || !strings.Contains(e.Files[0].Hunks, "+one</script>") {
		t.Errorf("changes %+v", e.Files)
	}
	if !slices.ContainsFunc(e.Entries, func(e calls.TranscriptEntry) bool { return strings.Contains(e.Text, "printed") }) {
		t.Errorf("the activity is %+v", e.Entries)
	}
	outputs := fmt.Sprint(e.Outputs)
	if len(e.Panes) != 2 || len(e.Records["t1"]) != 1 || e.Records["b1"][0].N != 1 || !strings.Contains(outputs, "one") {
		t.Errorf("panes %+v, outputs %s", e.Panes, outputs)
	}
}

// TestExport_TooMuch_LeavesOutTheOldest: with terminals and pictures of far more than 20 MB, the file has the newest of
// both, and says what is missing.
func TestExport_TooMuch_LeavesOutTheOldest(t *testing.T) {
	t.Parallel()
	p := startOptions(t, t.TempDir(), app.Options{Page: viewerPage()})
	id := p.goalWithOutputs("echo printed")
	at, random := time.Now().UTC(), rand.NewChaCha8([32]byte{})
	picture := func(n, size int) recording.Record {
		data := make([]byte, size)
		_, _ = random.Read(data)
		return recording.Record{
			Pane: "b1", Kind: pane.Browser, At: at.Add(time.Duration(n) * time.Second), Width: 8, Height: 6, Data: data,
		}
	}
	var list []recording.Record
	for n := range 400 {
		list = append(list, picture(n, 100_000))
	}
	p.record(id, list...)
	e, out := p.export(id)
	kept := e.Records["b1"]
	if len(out.HTML) > 20_000_000 || len(out.HTML) < 18_000_000 || len(kept) == 0 {
		t.Fatalf("%d bytes with %d pictures", len(out.HTML), len(kept))
	}
	if last := kept[len(kept)-1]; last.Data != base64.StdEncoding.EncodeToString(list[399].Data) || last.N != len(kept) {
		t.Errorf("the last picture is the %dth of %d", last.N, len(kept))
	}
	want := fmt.Sprintf("the oldest %d of 400 pictures of pages", 400-len(kept))
	if !slices.Equal(e.LeftOut, []string{want}) {
		t.Errorf("it says %q, want %q", e.LeftOut, want)
	}

	// A terminal has precedence before pictures.
	text := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	list = nil
	for n := range 30 {
		list = append(list, recording.Record{
			Pane: "t1", Kind: pane.Terminal, At: at.Add(time.Duration(n) * time.Second), Width: 80, Height: 24, Data: text,
		})
	}
	p.record(id, list...)
	e, out = p.export(id)
	if len(out.HTML) > 20_000_000 || len(e.Records["t1"]) < 10 || len(e.Records["b1"]) > 20 || len(e.LeftOut) != 2 ||
		!strings.HasPrefix(e.LeftOut[0], "the oldest 1") || !strings.Contains(e.LeftOut[0], "MB of what terminals showed") {
		t.Errorf("%d bytes, %d and %d records, %q", len(out.HTML), len(e.Records["t1"]), len(e.Records["b1"]), e.LeftOut)
	}
}

// TestExport_LongOutputs_AreCut: outputs and changes of far more than 20 MB are cut, so that the activity stays whole.
func TestExport_LongOutputs_AreCut(t *testing.T) {
	t.Parallel()
	p := startOptions(t, t.TempDir(), app.Options{Page: viewerPage()})
	dir := t.TempDir()
	p.provide(turns(
		args("run_command", map[string]any{
			"command": "for i in $(seq 60); do seq 60000 > big$i.txt; done; seq 9 > small.txt",
		}),
		args("claim_complete", map[string]any{"rationale": "it is there"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "write", Policy: policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f small.txt && cat big*.txt")},
	})
	must(t, err)
	p.done(out.GoalID)
	e, file := p.export(out.GoalID)
	said := strings.Join(e.LeftOut, "\n")
	if len(file.HTML) > 20_000_000 || !strings.Contains(said, "of the changes") || len(e.Entries) < 3 {
		t.Errorf("%d bytes, %d entries, left out %s", len(file.HTML), len(e.Entries), said)
	}
	if !slices.ContainsFunc(e.Files, func(f struct{ Path, Hunks string }) bool { return f.Path == "small.txt" }) {
		t.Error("the small change is missing")
	}
}

// TestExport_SecretSavedLater_IsHidden: what was recorded before a secret was saved does not show it.
func TestExport_SecretSavedLater_IsHidden(t *testing.T) {
	t.Parallel()
	p := startOptions(t, t.TempDir(), app.Options{Page: viewerPage()})
	const canary = "late-Canary-15-g3Es"
	id := p.goalWithOutputs("echo it is " + canary)
	at := time.Now().UTC()
	p.record(id,
		recording.Record{Pane: "t1", Kind: pane.Terminal, At: at, Width: 80, Height: 24, Data: []byte("it is " + canary[:9])},
		recording.Record{Pane: "t1", Kind: pane.Terminal, At: at, Width: 80, Height: 24, Data: []byte(canary[9:] + " now")})
	view, err := p.goal.Get(id)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(view.Policy.Dir, "later.txt"), []byte(canary+"\n"), 0o600))
	_, err = p.app.Secrets().Set(t.Context(), "late", canary, nil)
	must(t, err)

	e, out := p.export(id)
	var shown strings.Builder
	for _, r := range e.Records["t1"] {
		b, err := base64.StdEncoding.DecodeString(r.Data)
		must(t, err)
		shown.Write(b)
	}
	if strings.Contains(out.HTML, canary) || !strings.Contains(out.HTML, "{{secret:late}}") {
		t.Error("the file has the secret, or its place is not marked")
	}
	if got, want := shown.String(), "it is {{secret:late}} now"; got != want {
		t.Errorf("the terminal shows %q, want %q", got, want)
	}
}
