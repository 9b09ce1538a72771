package verify

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// Limits of running a check again.
const (
	maxReruns    = 3
	maxRerunTime = time.Minute // of the check
)

// rerun asks a doubted pass the same question again: the check runs with every changed file that is not the work as it
// was at the start. If it passes, those changes did not make it pass, and this run is judged instead. A pass by tests
// must also pass without the new tests, whose code could have changed the others. The result names each run.
func (ic *inputComparison) rerun(
	ctx context.Context, r check.Result, j judgement,
) (check.Result, judgement, []goal.Rerun) {
	r, j, reruns := ic.rerunInnerTests(ctx, r, j)
	for len(reruns) < maxReruns && ic.canSettle(r, j) {
		again, run, ok := ic.runWithPosts(ctx, r, j)
		if !ok {
			break
		}
		reruns = append(reruns, run)
		if !run.Passed || again.Observed != goal.WasObserved {
			j.failRerun(run)
			break
		}
		for _, file := range run.AsAtStart {
			ic.atStart[file] = true
		}
		r, j = again, ic.judge(ctx, again, again.Observation)
	}
	if len(j.newTests) > 0 && len(reruns) == 0 && ic.canRunAgain(r) {
		if _, run, ok := ic.runWith(ctx, j, append(ic.outputsOf(r), j.newTests...)); ok {
			reruns = append(reruns, run)
			if !run.Passed {
				j.proof = goal.Proof{Assurance: goal.Weakened, AssuranceReason: run.Describe()}
			}
		}
	}
	return r, j, reruns
}

// runWithPosts runs a check again with the posts as at the start. If it fails so, it runs once more without the new
// data: a new pair of input and wanted output belongs together.
func (ic *inputComparison) runWithPosts(
	ctx context.Context, r check.Result, j judgement,
) (again check.Result, run goal.Rerun, ok bool) {
	files := append(ic.outputsOf(r), j.posts...)
	again, run, ok = ic.runWith(ctx, j, files)
	if !ok || run.Passed || len(j.newData) == 0 {
		return again, run, ok
	}
	if wider, without, ok := ic.runWith(ctx, j, append(files, j.newData...)); ok && without.Passed {
		return wider, without, true
	}
	return again, run, true
}

// runWith runs a check again with more files as at the start. ok is false if it cannot, or if they already are.
func (ic *inputComparison) runWith(
	ctx context.Context, j judgement, files []string,
) (again check.Result, run goal.Rerun, ok bool) {
	atStart := maps.Clone(ic.atStart)
	for _, file := range files {
		atStart[file] = true
	}
	run.AsAtStart = slices.Sorted(maps.Keys(atStart))
	var used []string // and as they are now
	for _, f := range j.changes {
		if !atStart[f.Path] {
			used = append(used, f.Path)
		}
	}
	overrides, ok := ic.startFiles(run.AsAtStart, used)
	if !ok || len(run.AsAtStart) == len(ic.atStart) {
		return again, run, false
	}
	e := ic.host.environment()
	e.StartFiles = overrides
	again = e.Decide(ctx, ic.check, goal.Claim{})
	run.Passed, run.Detail = again.Outcome == goal.Pass, again.Detail
	return again, run, true
}

// canSettle reports whether another run can show more about a pass.
func (ic *inputComparison) canSettle(r check.Result, j judgement) bool {
	isLasting := slices.ContainsFunc(j.doubts, func(d inputs.Doubt) bool { return d.IsLasting })
	isOpen := len(j.tampering) > 0 || len(j.doubts) > 0 && !isLasting
	return isOpen && len(j.posts) > 0 && ic.canRunAgain(r)
}

// canRunAgain reports whether a check may run once more, and can be observed.
func (ic *inputComparison) canRunAgain(r check.Result) bool {
	return !ic.check.NoRerun && ic.host.usesOverrides(ic.check) && r.Observed == goal.WasObserved &&
		r.Took < maxRerunTime && len(r.Observation.Written) <= maxOutputs
}

// failRerun adds to the reason of a weakened pass that it does not pass without the changes.
func (j *judgement) failRerun(run goal.Rerun) {
	if j.proof.AssuranceReason != "" && !run.Passed {
		j.proof.AssuranceReason += "; " + run.Describe()
	}
}

// outputsOf lists the new files that a run left in the folder, so that the next one does not find them.
func (ic *inputComparison) outputsOf(r check.Result) []string {
	before := ic.host.Folder.protectedState().Observation(ic.check.N)
	return slices.DeleteFunc(slices.Clone(r.Observation.Written), func(file string) bool {
		return inputs.IsCache(file) || !ic.currentState(file).Exists || ic.startState(before, file).Exists
	})
}

// startFiles returns the overrides that show files as they were at the start, beside others that stay. ok is false if
// one of them was not kept.
func (ic *inputComparison) startFiles(files, others []string) (list []process.FileOverride, ok bool) {
	state := ic.host.Folder.protectedState()
	before := state.Observation(ic.check.N)
	for _, file := range files {
		was := ic.startState(before, file)
		if was.Link != "" || ic.currentState(file).Link != "" {
			return nil, false
		}
		absent := filepath.FromSlash(ic.newFolder(file, others))
		o := process.FileOverride{Path: filepath.Join(ic.host.Environment.Dir, absent)}
		if was.Exists && !isMadeBy(before, file) {
			content, ok := ic.original(file)
			if !ok {
				return nil, false
			}
			var err error
			if o, err = state.StartCopy(file, content); err != nil {
				return nil, false
			}
		}
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list, true
}

// newFolder returns the outermost new folder above a file in which nothing else is used, or the file: an empty folder
// may count, too.
func (ic *inputComparison) newFolder(file string, others []string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		was, isKnown := ic.host.Folder.baseline().AtStart(dir)
		isUsed := slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, dir+"/") })
		if !isKnown || was.Exists || isUsed {
			break
		}
		file = dir
	}
	return file
}

// isMadeBy reports whether a check made a file itself.
func isMadeBy(o *goal.Observation, file string) bool {
	return o != nil && slices.Contains(o.Written, file)
}
