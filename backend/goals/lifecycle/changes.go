package lifecycle

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

const (
	// Files beyond these limits are listed without the number of changed lines.
	maxCountedFiles = 500
	maxCountedBytes = 32 << 20

	maxImageBytes = 4 << 20
)

// Changes compares the present state of a goal's folder with its state at the goal's start.
func (fh *FolderHistory) Changes(ctx context.Context, id goal.ID, paths []string) (api.ChangesView, error) {
	out := api.ChangesView{
		GoalID:      string(id),
		Files:       []api.ChangedFile{},
		Protected:   []api.ProtectedFile{},
		LeftOut:     []api.LeftOutPath{},
		Checkpoints: []api.CheckpointView{},
	}
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return out, fmt.Errorf("changes: %w", err)
	}
	out.Dir = row.Policy.Dir
	a, unavailable, err := fh.open(row)
	if a == nil {
		out.Unavailable = unavailable
		return out, err
	}
	c, err := fh.compare(ctx, row, a, paths)
	if err != nil {
		return out, err
	}
	if out.Running, err = fh.isWorking(row); err != nil {
		return out, err
	}
	marks, err := fh.marks(ctx, row)
	if err != nil {
		return out, err
	}
	changed, counted := map[string]bool{}, int64(0)
	for i, one := range c.Files() {
		f := marks.describe(one)
		f.EditedSince = f.EditedSince && !out.Running
		if counted += f.Before.Size + f.After.Size; i < maxCountedFiles && counted < maxCountedBytes {
			fh.count(a, one, &f)
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
	undone, _ := a.Undone()
	out.Undone = len(undone) > 0
	for _, p := range a.Checkpoints() {
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
		if e.Path != ".git" { // users expect that it is left out
			out = append(out, api.LeftOutPath{Path: snapshot.Display(string(e.Path)), Why: e.LeftOut})
		}
	}
	return out
}

// count counts the lines of a change.
func (fh *FolderHistory) count(a *snapshot.Archive, c snapshot.Change, f *api.ChangedFile) {
	before, after, ok := a.Texts(c)
	if !ok {
		f.Binary = true
		return
	}
	f.Added, f.Removed = snapshot.CountLines(snapshot.Hunks(before, after))
}

// checkMarks say which checks protect or read a file, and whether the file decides how they end.
type checkMarks struct {
	protected []api.ProtectedFile
	readBy    map[string][]string
	decides   map[string]bool
}

func (fh *FolderHistory) marks(ctx context.Context, row store.GoalRow) (*checkMarks, error) {
	m := &checkMarks{readBy: map[string][]string{}, decides: map[string]bool{}}
	if p, err := verify.OpenProtection(session.WorkspaceOptions(row.Goal, fh.store.GoalDir(row.ID))); err == nil {
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
	claims, err := fh.store.History.Claims(ctx, row.ID)
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

func (cm *checkMarks) add(path, check string, decides bool) {
	if !slices.Contains(cm.readBy[path], check) {
		cm.readBy[path] = append(cm.readBy[path], check)
	}
	cm.decides[path] = cm.decides[path] || decides
}

// describe returns the view of a change, without its content.
func (cm *checkMarks) describe(c snapshot.Change) api.ChangedFile {
	f := api.ChangedFile{
		Path:        snapshot.Display(c.Path),
		Change:      changeOf(c),
		Before:      side(c.Before),
		After:       side(c.After),
		Added:       -1,
		Removed:     -1,
		Ignored:     c.IsIgnored(),
		EditedSince: c.EditedSince,
		ReadBy:      append([]string{}, cm.readBy[c.Path]...),
		RunsCheck:   cm.decides[c.Path],
	}
	for _, p := range cm.protected {
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
func (fh *FolderHistory) FileDiff(ctx context.Context, id goal.ID, path string) (out api.FileDiff, err error) {
	found := false
	err = fh.EachDiff(ctx, id, nil, func(c api.ChangedFile) bool { return c.Path == path }, func(d api.FileDiff) error {
		out, found = d, true
		return nil
	})
	if err == nil && !found {
		err = fault.Kind(fault.NotFound, "path", path+" has not changed since the start of the goal",
			"list the changes again")
	}
	return out, err
}

// EachDiff calls do, sorted by path, with both sides of each changed file below paths that want accepts.
func (fh *FolderHistory) EachDiff(
	ctx context.Context, id goal.ID, paths []string, want func(api.ChangedFile) bool, do func(api.FileDiff) error,
) error {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	a, unavailable, err := fh.open(row)
	if err != nil {
		return err
	}
	if a == nil {
		return fault.Kind(fault.NotFound, "", unavailable, "if the folder is a git repository, git can show what changed")
	}
	c, err := fh.compare(ctx, row, a, paths)
	if err != nil {
		return err
	}
	marks, err := fh.marks(ctx, row)
	if err != nil {
		return err
	}
	running, err := fh.isWorking(row)
	if err != nil {
		return err
	}
	for _, one := range c.Files() {
		f := marks.describe(one)
		f.EditedSince = f.EditedSince && !running
		if !want(f) {
			continue
		}
		if err := do(fh.diffOf(a, one, f)); err != nil {
			return err
		}
	}
	return nil
}

// diffOf reads both sides of a change.
func (fh *FolderHistory) diffOf(a *snapshot.Archive, c snapshot.Change, f api.ChangedFile) api.FileDiff {
	out := api.FileDiff{ChangedFile: f}
	before, after, ok := a.Texts(c)
	out.IsText, out.Binary = ok, !ok
	if !ok {
		out.Patch = snapshot.Patch(c, nil, nil, false)
		out.WasImage, out.IsImage = image(c.Before, a.Content), image(c.After, a.Present)
		return out
	}
	was, is := []byte(fh.mask.Text(string(before))), []byte(fh.mask.Text(string(after)))
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
