package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/export"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

// maxExportBytes is the largest file that an export makes.
const maxExportBytes = 20_000_000

// ExportDeps are what an ExportAPI needs.
type ExportDeps struct {
	Goals   *GoalAPI
	Changes *ChangesAPI
	Store   *store.Store
	Mask    *secret.Mask
	Page    fs.FS // the built page, nil if the program has none
	Version string
	Now     func() time.Time
}

// ExportAPI makes the files in which goals can be looked at without Goalpost.
type ExportAPI struct {
	deps ExportDeps
	apiBase
}

// NewExportAPI makes the API; ctx is the program's life.
func NewExportAPI(ctx context.Context, d ExportDeps) *ExportAPI {
	return &ExportAPI{deps: d, apiBase: apiBase{ctx}}
}

// ExportOutput is a goal as one HTML file.
type ExportOutput struct {
	Name string `json:"name"` // proposed for the file
	HTML string `json:"html"`
	// LeftOut says what is not in the file because it would be too large.
	LeftOut []string `json:"left_out"`
}

// HTML returns a goal as one HTML file of at most 20 MB: its result, checks, changes, activity, replay and receipt,
// without the values of secrets.
func (e *ExportAPI) HTML(id string) (ExportOutput, error) {
	return withGoal(e.apiBase, e.deps.Store, id, func(row store.GoalRow) (out ExportOutput, err error) {
		viewer, err := export.OpenViewer(e.deps.Page)
		if err != nil {
			return out, err
		}
		data, err := e.collect(row, maxExportBytes-viewer.Size())
		if err != nil {
			return out, err
		}
		b, err := json.Marshal(data)
		if err != nil {
			return out, fmt.Errorf("export: %w", err)
		}
		file := viewer.HTML(e.deps.Mask.Text(titleOf(row.Goal)), b)
		if len(file) > maxExportBytes {
			return out, fault.New(fault.Internal, "the file would be larger than 20 MB",
				"look at the goal in the window, or with goalctl show")
		}
		return ExportOutput{Name: "goalpost-" + row.ID.Short() + ".html", HTML: string(file), LeftOut: data.LeftOut}, nil
	})
}

// titleOf returns the title of the document.
func titleOf(g goal.Goal) string {
	const maxTitle = 80
	return text.SanitizeLine(g.Objective, maxTitle) + " · Goalpost"
}

// exportData is what the document's script shows. Its lists are JSON already, because their sizes count.
type exportData struct {
	Version string                       `json:"version"`
	At      string                       `json:"at"`
	View    json.RawMessage              `json:"view"`
	Receipt json.RawMessage              `json:"receipt"`
	Events  []json.RawMessage            `json:"events"`
	Entries []json.RawMessage            `json:"entries"` // of the transcript
	Changes json.RawMessage              `json:"changes"`
	Files   []json.RawMessage            `json:"files"` // differences
	Panes   []RecordedPane               `json:"panes"`
	Records map[string][]json.RawMessage `json:"records"` // by pane
	Outputs map[string]json.RawMessage   `json:"outputs"` // whole outputs of checks, by hash
	LeftOut []string                     `json:"left_out"`
}

// exporter collects the data of one goal. What is collected first has space for sure.
type exporter struct {
	*ExportAPI
	row   store.GoalRow
	space int // bytes that are left
	data  exportData
}

// collect reads what the document shows, at most space bytes of it. Too much is left out in this order: the oldest
// pictures, long outputs, the oldest output of terminals, the oldest entries of the activity; and of the changes what
// needs more than half of the space.
func (e *ExportAPI) collect(row store.GoalRow, space int) (exportData, error) {
	const names = 64 << 10 // of the fields and the panes, and the sentences about what is left out
	ex := &exporter{ExportAPI: e, row: row, space: space - names, data: exportData{
		Version: e.deps.Version, At: formatTime(e.deps.Now()), LeftOut: []string{},
		Events: []json.RawMessage{}, Entries: []json.RawMessage{}, Files: []json.RawMessage{},
		Panes: []RecordedPane{}, Records: map[string][]json.RawMessage{}, Outputs: map[string]json.RawMessage{},
	}}
	for _, step := range []func() error{ex.addGoal, ex.addEvents, ex.addChanges, ex.addTexts, ex.addReplay} {
		if err := step(); err != nil {
			return exportData{}, err
		}
	}
	return ex.data, nil
}

// take reserves space, if there is enough.
func (ex *exporter) take(bytes int) bool {
	const separators = 4
	if bytes+separators > ex.space {
		return false
	}
	ex.space -= bytes + separators
	return true
}

func (ex *exporter) leaveOut(format string, args ...any) {
	ex.data.LeftOut = append(ex.data.LeftOut, fmt.Sprintf(format, args...))
}

// encode returns JSON without the values of secrets, and with nothing that ends a script.
func (ex *exporter) encode(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	var out bytes.Buffer
	json.HTMLEscape(&out, ex.deps.Mask.JSON(b))
	return out.Bytes(), nil
}

// addGoal adds the view and the receipt; of a goal with very many claims those of the newest.
func (ex *exporter) addGoal() error {
	const maxReceipt = 4_000_000
	view, err := ex.deps.Goals.Get(string(ex.row.ID))
	if err != nil {
		return err
	}
	receipt, err := ex.deps.Goals.Receipt(string(ex.row.ID))
	if err != nil {
		return err
	}
	if ex.data.View, err = ex.encode(view); err != nil {
		return err
	}
	all := len(receipt.Claims)
	for {
		if ex.data.Receipt, err = ex.encode(receipt); err != nil {
			return err
		}
		if len(ex.data.Receipt) <= maxReceipt || len(receipt.Claims) == 0 {
			break
		}
		receipt.Claims = receipt.Claims[(len(receipt.Claims)+1)/2:]
	}
	if missing := all - len(receipt.Claims); missing > 0 {
		ex.leaveOut("the oldest %s of the receipt", goal.FormatCount(missing, "claim"))
	}
	ex.space -= len(ex.data.View) + len(ex.data.Receipt)
	return nil
}

// addEvents adds the events from which the replay knows pauses and the course of the spend.
func (ex *exporter) addEvents() error {
	const maxEvents = 2_000_000
	size, missing := 0, 0
	for after := int64(0); ; {
		list, err := ex.deps.Store.History.Events(ex.ctx, ex.row.ID, after, exportPage)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		for _, ev := range list {
			after = ev.Seq
			switch ev.Body.EventType() {
			case "usage", "paused", "resumed", "reopened":
			default:
				continue
			}
			raw, err := ex.encode(ev)
			if err != nil {
				return err
			}
			if size+len(raw) > maxEvents || !ex.take(len(raw)) {
				missing++
				continue
			}
			size += len(raw)
			ex.data.Events = append(ex.data.Events, raw)
		}
		if len(list) < exportPage {
			break
		}
	}
	if missing > 0 {
		ex.leaveOut("the newest part of the spend over time")
	}
	return nil
}

// addChanges adds the changed files with their differences, in at most half of the space.
func (ex *exporter) addChanges() error {
	const maxFiles = 2000
	view, err := ex.deps.Changes.List(string(ex.row.ID), nil)
	if err != nil {
		// The folder may be gone: that is what is to be said about its changes.
		f := api.ToProblem(err)
		view = api.ChangesView{GoalID: string(ex.row.ID), Unavailable: f.Message}
	}
	view.Checkpoints, view.LeftOut, view.Protected = nil, view.LeftOut[:min(len(view.LeftOut), maxFiles)], nil
	if missing := len(view.Files) - maxFiles; missing > 0 {
		view.Files = view.Files[:maxFiles]
		ex.leaveOut("%s of the changes", goal.FormatCount(missing, "file"))
	}
	if ex.data.Changes, err = ex.encode(view); err != nil {
		return err
	}
	ex.space -= len(ex.data.Changes)
	if len(view.Files) == 0 {
		return nil
	}
	listed := map[string]bool{}
	for _, f := range view.Files {
		listed[f.Path] = true
	}
	return ex.addDifferences(func(f api.ChangedFile) bool { return listed[f.Path] })
}

func (ex *exporter) addDifferences(isListed func(api.ChangedFile) bool) error {
	const maxColored = 200_000 // characters, as the page colors
	reserved, missing := ex.space/2, 0
	err := ex.deps.Changes.history.EachDiff(ex.ctx, ex.row.ID, nil, isListed, func(d api.FileDiff) error {
		d.Patch = "" // the same as the hunks
		if d.IsText {
			// The file leaves this computer: what looks like a secret is hidden, as in the journal.
			d.Was, d.Is = secret.MaskLikely(d.Was), secret.MaskLikely(d.Is)
			d.Hunks = snapshot.Hunks([]byte(d.Was), []byte(d.Is))
		}
		if len(d.Was)+len(d.Is) > maxColored {
			d.Was, d.Is = "", ""
		}
		raw, err := ex.encode(d)
		if err != nil {
			return err
		}
		if ex.space-len(raw) < reserved || !ex.take(len(raw)) {
			missing++
			return nil
		}
		ex.data.Files = append(ex.data.Files, raw)
		return nil
	})
	if missing > 0 {
		ex.leaveOut("the contents of %s of the changes", goal.FormatCount(missing, "file"))
	}
	return err
}
