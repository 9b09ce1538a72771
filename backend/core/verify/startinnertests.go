package verify

import (
	"context"
	"slices"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/innertests"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
)

// findInnerTests finds the changed files with tests inside, and whether these count as they were at the start.
func (ic *inputComparison) findInnerTests(o *goal.Observation, changes []goal.FileChange) map[string]bool {
	found := map[string]bool{}
	for _, c := range changes {
		was, is, ok := ic.innerTests(o, c)
		if tests := innertests.Find(was, o.Tests); ok && len(tests) > 0 {
			found[c.Path] = ic.startTests[c.Path] || slices.Equal(tests, innertests.Find(is, o.Tests))
		}
	}
	return found
}

// innerTests returns the text of a changed file at the start and now; ok is false for one that is not both, or that is
// a test as a whole.
func (ic *inputComparison) innerTests(o *goal.Observation, c goal.FileChange) (was, is string, ok bool) {
	if len(o.Tests) == 0 || c.Change != "changed" || c.Role == goal.RoleTest {
		return "", "", false
	}
	content, ok := ic.host.Folder.baseline().ContentAtStart(c.Path)
	now, _, err := fileio.Read(ic.root, c.Path, maxStateBytes)
	return string(content), string(now), ok && err == nil
}

// rerunInnerTests runs a passing check again with the changed tests inside files of the work as they were at the start,
// beside the work as it is now.
func (ic *inputComparison) rerunInnerTests(
	ctx context.Context, r check.Result, j judgement,
) (check.Result, judgement, []goal.Rerun) {
	var files []string
	var overrides []process.FileOverride
	for _, c := range j.changes {
		if isSame, ok := j.innerTests[c.Path]; !ok || isSame {
			continue
		}
		o, err := ic.withStartTests(r.Observation, c)
		if err != nil {
			return r, j, nil
		}
		files, overrides = append(files, c.Path), append(overrides, o)
	}
	if len(files) == 0 || !ic.canRunAgain(r) {
		return r, j, nil
	}
	e := ic.host.environment()
	e.StartFiles = overrides
	again := e.Decide(ctx, ic.check, goal.Claim{})
	run := goal.Rerun{TestsOf: files, Passed: again.Outcome == goal.Pass, Detail: again.Detail}
	for _, file := range files {
		ic.startTests[file] = run.Passed
	}
	if !run.Passed || again.Observed != goal.WasObserved {
		j.failRerun(run)
		return r, j, []goal.Rerun{run}
	}
	return again, ic.judge(ctx, again, again.Observation), []goal.Rerun{run}
}

// withStartTests returns an override for a file of the work: as it is, with the tests of the start.
func (ic *inputComparison) withStartTests(o *goal.Observation, c goal.FileChange) (process.FileOverride, error) {
	was, is, _ := ic.innerTests(o, c)
	merged := protect.Original{
		Content: []byte(innertests.Replace(is, o.Tests, innertests.Find(was, o.Tests))),
		Mode:    ic.currentState(c.Path).Mode,
	}
	return ic.host.Folder.protectedState().StartCopy(c.Path, merged)
}
