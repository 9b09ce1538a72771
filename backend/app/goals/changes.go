package goals

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/app/session"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/snapshot"
	"goalpost/backend/store"
	"goalpost/backend/verify"
)

// Bounds of what is compared line by line in one list: beyond it, files have no counts.
const (
	maxCountedFiles = 500
	maxCountedBytes = 32 << 20
	maxImageBytes   = 4 << 20
)

// Changes compares a goal's folder, as it is now, with the goal's start.
func (h *folderHistory) Changes(ctx context.Context, id goal.ID, paths []string) (api.ChangesView, error) {
	out := api.ChangesView{
		GoalID:      string(id),
		Files:       []api.ChangedFile{},
		Protected:   []api.ProtectedFile{},
		LeftOut:     []api.LeftOutPath{},
		Checkpoints: []api.CheckpointView{},
	}
	row, err := h.store.Goal(ctx, id)
	if err != nil {
		return out, fmt.Errorf("changes: %w", err)
	}
	out.Dir = row.Policy.Dir
	a, unavailable, err := h.open(row)
	if a == nil {
		out.Unavailable = unavailable
		return out, err
	}
	c, err := h.compare(ctx, row, a, paths)
	if err != nil {
		return out, err
	}
	if out.Running, err = h.isWorking(row); err != nil {
		return out, err
	}
	marks, err := h.marks(ctx, row)
	if err != nil {
		return out, err
	}
	changed, counted := map[string]bool{}, int64(0)
	for i, one := range c.Files() {
		f := marks.describe(one)
		f.EditedSince = f.EditedSince && !out.Running
		if counted += f.Before.Size + f.After.Size; i < maxCountedFiles && counted < maxCountedBytes {
			h.count(a, one, &f)
		}
		changed[one.Path] = true
		out.Files = append(out.Files, f)
	}
	for _, p := range marks.protected {
		if !changed[p.Path] {
			out.Protected = append(out.Protected, p)
		}
	}
	out.LeftOut = leftOut(c.LeftOut)
	out.KeptBytes = a.Size()
	_, out.CanRedo = a.LastUndo()
	for _, p := range a.Checkpoints() {
		out.Undone = p.Kind == snapshot.AfterUndo && !p.Redo || out.Undone && p.Kind == snapshot.BeforeUndo
		out.Checkpoints = append(out.Checkpoints, api.CheckpointView{
			N:    p.N,
			Kind: string(p.Kind),
			Step: p.Step,
			At:   p.At.UTC().Format(event.TimeLayout),
		})
	}
	out.FromStep = out.Checkpoints[0].Step
	return out, nil
}

func leftOut(list []*snapshot.Entry) []api.LeftOutPath {
	out := []api.LeftOutPath{}
	for _, e := range list {
		if e.Path != ".git" { // everybody expects that one
			out = append(out, api.LeftOutPath{Path: snapshot.Display(string(e.Path)), Why: e.LeftOut})
		}
	}
	return out
}

// count counts the lines of a change.
func (h *folderHistory) count(a *snapshot.Archive, c snapshot.Change, f *api.ChangedFile) {
	before, after, ok := a.Texts(c)
	if !ok {
		f.Binary = true
		return
	}
	f.Added, f.Removed = snapshot.CountLines(snapshot.Hunks(before, after))
}

// checkMarks say what the checks have to do with files.
type checkMarks struct {
	protected []api.ProtectedFile
	readBy    map[string][]string
	decides   map[string]bool
}

func (h *folderHistory) marks(ctx context.Context, row store.GoalRow) (*checkMarks, error) {
	m := &checkMarks{readBy: map[string][]string{}, decides: map[string]bool{}}
	if p, err := verify.OpenProtection(session.WorkspaceOptions(row.Goal, h.store.GoalDir(row.ID))); err == nil {
		m.protected = viewProtected(p.Protected())
		for i, check := range row.Criterion.Checks {
			o := p.Observation(i)
			if o == nil {
				continue
			}
			for _, f := range append(slices.Clone(o.Files), o.Found...) {
				m.add(f.Path, check.Name(), f.Role.Decides() && f.Examined == "")
			}
		}
	}
	claims, err := h.store.Claims(ctx, row.ID)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	_, verdicts := lastClaim(claims)
	for _, v := range verdicts {
		for _, f := range v.Changes {
			m.add(f.Path, v.Name, f.Role.Decides())
		}
	}
	return m, nil
}

func (m *checkMarks) add(path, check string, decides bool) {
	if !slices.Contains(m.readBy[path], check) {
		m.readBy[path] = append(m.readBy[path], check)
	}
	m.decides[path] = m.decides[path] || decides
}

// describe describes a change without its content.
func (m *checkMarks) describe(c snapshot.Change) api.ChangedFile {
	f := api.ChangedFile{
		Path:        snapshot.Display(c.Path),
		Change:      changeOf(c),
		Before:      side(c.Before),
		After:       side(c.After),
		Added:       -1,
		Removed:     -1,
		Ignored:     c.IsIgnored(),
		EditedSince: c.EditedSince,
		ReadBy:      append([]string{}, m.readBy[c.Path]...),
		RunsCheck:   m.decides[c.Path],
	}
	for _, p := range m.protected {
		if p.Path == c.Path {
			f.Protected = p.Why
		}
	}
	return f
}

func side(e *snapshot.Entry) (s api.FileSide) {
	if e == nil {
		return s
	}
	s.Type, s.Mode = "file", fmt.Sprintf("%o", e.Mode.Perm())
	switch {
	case e.Mode.IsDir():
		s.Type = "folder"
	case e.Target != "":
		s.Type, s.Target = "link", snapshot.Display(string(e.Target))
	default:
		s.Size, s.SHA256 = e.Size, e.SHA256
	}
	return s
}

// FileDiff reads both sides of one changed file.
func (h *folderHistory) FileDiff(ctx context.Context, id goal.ID, path string) (out api.FileDiff, err error) {
	found := false
	err = h.EachDiff(ctx, id, nil, func(c api.ChangedFile) bool { return c.Path == path }, func(d api.FileDiff) error {
		out, found = d, true
		return nil
	})
	if err == nil && !found {
		err = fault.Kind(fault.NotFound, "path", path+" is what it was at the start of the goal", "list the changes again")
	}
	return out, err
}

// EachDiff calls do with both sides of each changed file below paths that want accepts, in order of paths.
func (h *folderHistory) EachDiff(
	ctx context.Context, id goal.ID, paths []string, want func(api.ChangedFile) bool, do func(api.FileDiff) error,
) error {
	row, err := h.store.Goal(ctx, id)
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	a, unavailable, err := h.open(row)
	if err != nil {
		return err
	}
	if a == nil {
		return fault.Kind(fault.NotFound, "", unavailable, "")
	}
	c, err := h.compare(ctx, row, a, paths)
	if err != nil {
		return err
	}
	marks, err := h.marks(ctx, row)
	if err != nil {
		return err
	}
	running, err := h.isWorking(row)
	if err != nil {
		return err
	}
	for _, one := range c.Files() {
		f := marks.describe(one)
		f.EditedSince = f.EditedSince && !running
		if !want(f) {
			continue
		}
		if err := do(h.diffOf(a, one, f)); err != nil {
			return err
		}
	}
	return nil
}

// diffOf reads both sides of a change.
func (h *folderHistory) diffOf(a *snapshot.Archive, c snapshot.Change, f api.ChangedFile) api.FileDiff {
	out := api.FileDiff{ChangedFile: f}
	before, after, ok := a.Texts(c)
	out.IsText, out.Binary = ok, !ok
	if !ok {
		out.Patch = snapshot.Patch(c, nil, nil, false)
		out.WasImage, out.IsImage = image(c.Before, a.Content), image(c.After, a.Present)
		return out
	}
	was, is := []byte(h.mask.Text(string(before))), []byte(h.mask.Text(string(after)))
	out.Was, out.Is, out.Hunks = string(was), string(is), snapshot.Hunks(was, is)
	out.Added, out.Removed = snapshot.CountLines(out.Hunks)
	out.Patch = snapshot.Patch(c, was, is, true)
	return out
}

// image returns a picture as a data URL, "" for a format that the page cannot show. SVG is shown as text.
func image(e *snapshot.Entry, read func(*snapshot.Entry, int64) ([]byte, error)) string {
	if e == nil || !e.Mode.IsRegular() {
		return ""
	}
	b, err := read(e, maxImageBytes)
	if err != nil {
		return ""
	}
	kind := http.DetectContentType(b)
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b)
	}
	return ""
}

// UndoChanges brings a goal's folder, or some of its files, back to an earlier state. The goal must not run.
func (h *folderHistory) UndoChanges(
	ctx context.Context, id goal.ID, in api.UndoInput,
) (out api.UndoOutput, err error) {
	row, err := h.store.Goal(ctx, id)
	if err != nil {
		return out, fmt.Errorf("undo: %w", err)
	}
	if err := h.refuseUndo(ctx, row); err != nil {
		return out, err
	}
	own, err := h.lockStopped(ctx, id)
	if errors.Is(err, store.ErrGoalLocked) {
		return out, goalRuns(id)
	}
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, own.Unlock()) }()
	a, unavailable, err := h.open(row)
	if err != nil {
		return out, err
	}
	if a == nil {
		return out, fault.Kind(fault.Conflict, "", unavailable, "there is nothing to bring back")
	}
	if a, err = snapshot.Open(session.SnapshotOptions(row.Goal, h.state, h.store.GoalDir(id))); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	q := snapshot.Request{DryRun: in.DryRun, Redo: in.Redo}
	if q.To, out.To, err = undoTarget(a, in); err != nil {
		return out, err
	}
	if q.Paths, err = relativePaths(row.Policy.Dir, in.Paths); err != nil {
		return out, err
	}
	if q.Force, err = relativePaths(row.Policy.Dir, in.Force); err != nil {
		return out, err
	}
	done, err := a.Restore(ctx, q)
	describeOutcome(&out, done)
	if err == nil && done.Saved >= 0 {
		err = h.reportUndo(ctx, row, in, out)
	}
	if err != nil {
		return out, fmt.Errorf("undo: %w", err)
	}
	_, out.CanRedo = a.LastUndo()
	return out, nil
}

// describeOutcome fills in what was done, and what was not.
func describeOutcome(out *api.UndoOutput, o *snapshot.Outcome) {
	out.Done, out.Skipped, out.LeftOut = []api.ChangedPath{}, []api.SkippedPath{}, []api.LeftOutPath{}
	if o == nil {
		return
	}
	for _, c := range (&snapshot.Comparison{Changes: o.Done}).Files() {
		out.Done = append(out.Done, api.ChangedPath{Path: snapshot.Display(c.Path), Change: changeOf(c)})
	}
	for _, p := range o.Skipped {
		out.Skipped = append(out.Skipped, api.SkippedPath{
			Path:     snapshot.Display(p.Path),
			Why:      p.Why,
			CanForce: p.CanForce,
		})
	}
	out.LeftOut = leftOut(o.LeftOut)
}

// goalRuns refuses an undo while a run could change the folder.
func goalRuns(id goal.ID) error {
	return fault.New(fault.Conflict, "the goal runs, and would work on while its folder is brought back",
		"pause it first: pause "+id.Short())
}

// refuseUndo returns why the folder of a goal cannot be restored now.
func (h *folderHistory) refuseUndo(ctx context.Context, row store.GoalRow) error {
	locked, err := h.store.IsLocked(row.ID)
	if err != nil {
		return err
	}
	if locked && (row.Status == goal.Running || row.Status == goal.Pending || isParked(row)) {
		return goalRuns(row.ID)
	}
	others, _, err := h.store.List(ctx, store.Filter{Status: goal.Running, Limit: 1000})
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	for _, o := range others {
		dir, other := row.Policy.Dir, o.Policy.Dir
		if o.ID == row.ID || !session.MayChangeFolder(o.Policy) ||
			!policy.IsWithin(dir, other) && !policy.IsWithin(other, dir) {
			continue
		}
		if alive, err := h.store.IsLocked(o.ID); err != nil || !alive {
			continue
		}
		return fault.New(fault.Conflict, fmt.Sprintf("goal %s runs in the same folder", o.ID.Short()),
			"pause it first: pause "+o.ID.Short())
	}
	return nil
}

// undoTarget finds the snapshot that an undo restores, and describes it.
func undoTarget(a *snapshot.Archive, in api.UndoInput) (n int, words string, err error) {
	list := a.Checkpoints()
	switch {
	case in.Redo && in.Step != 0:
		return 0, "", fault.Invalid("step", "an undo is undone as a whole", "leave the step out")
	case in.Redo:
		n, ok := a.LastUndo()
		if !ok {
			return 0, "", fault.Kind(fault.Conflict, "", "there is no undo that can be undone", "")
		}
		return n, "the state before the undo", nil
	case in.Step == 0:
		return 0, "the start of the goal", nil
	}
	var steps []string
	for _, p := range slices.Backward(list) {
		if p.Kind != snapshot.Step && p.Kind != snapshot.End {
			continue
		}
		if p.Step == in.Step {
			return p.N, fmt.Sprintf("step %d", in.Step), nil
		}
		steps = append(steps, fmt.Sprint(p.Step))
	}
	hint := "no step has one: leave the step out to go back to the start"
	if slices.Reverse(steps); len(steps) > 0 {
		hint = "steps with a snapshot: " + strings.Join(slices.Compact(steps), ", ")
	}
	return 0, "", fault.Invalid("step", fmt.Sprintf("no snapshot was taken after step %d", in.Step), hint)
}

// reportUndo writes the undo into the journal, and tells the agent of a paused goal.
func (h *folderHistory) reportUndo(
	ctx context.Context, row store.GoalRow, in api.UndoInput, out api.UndoOutput,
) error {
	const most = 50
	body := &event.ChangesUndone{To: out.To, Count: len(out.Done), Skipped: len(out.Skipped), Redo: in.Redo}
	body.Files = []string{}
	for _, p := range out.Done[:min(most, len(out.Done))] {
		body.Files = append(body.Files, p.Path)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := h.store.Append(ctx, goal.Run{Goal: row.ID, ID: row.RunID}, body); err != nil {
		return err
	}
	if row.Status != goal.Paused {
		return nil
	}
	return h.AddOrder(ctx, row.ID, goal.Order{
		Kind: goal.OrderSteer,
		Text: fmt.Sprintf("I brought files in the goal's folder back to %s: %s. Look at them again before you continue.",
			out.To, nameSome(body.Files)),
	})
}
