package lifecycle

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// TracedCheck is a check whose use of files was observed.
type TracedCheck struct {
	Dir                string // the folder, absolute
	Check              goal.Check
	Protect, NoProtect []string // as in api.ProtectInput
}

// maxTraced is how many files of each list are returned.
const maxTraced = 200

// Describe sorts the files that the check used: those that decide, those that it did not find, and the others. It also
// proposes paths to which an agent could be limited. Without an observation it lists only files that are protected by
// their names.
func (t TracedCheck) Describe(ctx context.Context, o *goal.Observation) (*api.TraceView, error) {
	judges, err := protect.Find(ctx, protect.Options{
		Dir:          t.Dir,
		Criterion:    goal.Criterion{Checks: []goal.Check{t.Check}},
		Protect:      t.Protect,
		NoProtect:    t.NoProtect,
		Observations: []*goal.Observation{o},
	})
	if err != nil {
		return nil, fault.Invalid("protect", fmt.Sprintf("the protected files cannot be listed: %v", err),
			"correct the patterns")
	}
	if o == nil {
		o = &goal.Observation{}
		if t.Check.Type == goal.Shell || t.Check.From == goal.FromCommand {
			o.Incomplete = "the check could not be observed here, so its files are protected by their names"
		}
	}
	decides, others, missing, outputs := fileList{}, fileList{}, fileList{}, fileList{}
	var work []string // code that the check reads, and data that its command names
	for _, p := range judges {
		if p.Kind != protect.KindForbiddenNew {
			decides.add(api.TracedFile{Path: p.Path, Why: p.Why})
		}
	}
	scope := inputs.Scope{Dir: t.Dir, At: path.Clean(t.Check.Dir), Command: t.Check.Command}
	for _, u := range o.Files {
		file := api.TracedFile{Path: u.Path, Why: string(u.Role), By: programName(o, u.Program)}
		if decides.noteProgram(file) {
			continue
		}
		others.add(file)
		if u.Role != goal.RoleData || scope.IsNamed(u.Path) {
			work = append(work, u.Path)
		}
	}
	for _, decisive := range []bool{true, false} { // first the files that would decide if they existed
		for _, u := range o.Missing {
			if (u.Role.Decides() || u.Opened) == decisive && !inputs.IsInstalled(u.Path) {
				missing.add(api.TracedFile{Path: u.Path, Why: string(u.Role), By: programName(o, u.Program)})
			}
		}
	}
	for _, file := range slices.Concat(o.Written, o.Rewritten) {
		outputs.add(api.TracedFile{Path: file})
	}
	return &api.TraceView{
		Decides:    decides.first(maxTraced),
		Missing:    missing.first(maxTraced),
		Read:       others.first(maxTraced),
		Written:    outputs.first(maxTraced),
		Incomplete: o.Incomplete,
		Work:       proposeWork(scope, decides.paths(), work, outputs.paths(), missing.paths()),
	}, nil
}

func programName(o *goal.Observation, program int) string {
	if program < 0 || program >= len(o.Programs) {
		return ""
	}
	return filepath.Base(o.Programs[program].Name)
}

// fileList is a list of files that has each path once.
type fileList struct {
	files []api.TracedFile
	index map[string]int
}

func (fl *fileList) add(f api.TracedFile) {
	if fl.index == nil {
		fl.index = map[string]int{}
	}
	if _, isKnown := fl.index[f.Path]; !isKnown {
		fl.index[f.Path] = len(fl.files)
		fl.files = append(fl.files, f)
	}
}

// noteProgram notes which program used a file, and reports whether the list has that file.
func (fl *fileList) noteProgram(f api.TracedFile) bool {
	i, isKnown := fl.index[f.Path]
	if isKnown && fl.files[i].By == "" {
		fl.files[i].By = f.By
	}
	return isKnown
}

func (fl *fileList) paths() []string {
	list := make([]string, 0, len(fl.files))
	for _, f := range fl.files {
		list = append(list, f.Path)
	}
	return list
}

func (fl *fileList) first(n int) api.TracedFiles {
	return api.TracedFiles{
		Files: append([]api.TracedFile{}, fl.files[:min(n, len(fl.files))]...),
		Total: len(fl.files),
	}
}
