package verify

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/text"
	"goalpost/backend/verify/check"
	"goalpost/backend/verify/inputs"
	"goalpost/backend/verify/protect"
)

const (
	maxListed       = 200      // changes in a verdict
	maxGuessedBytes = 64 << 10 // of a script whose names are read
)

// judgeInputs looks at a pass whether what the check used still is what it was, and says how much it proves.
func (h CheckRunner) judgeInputs(
	ctx context.Context, k check.Indexed, r check.Result, outputs map[string]goal.FileState,
) check.Result {
	if r.Outcome != goal.Pass || !k.RunsCommand() {
		return r
	}
	if r.Observed == goal.PartlyObserved {
		again := check.NewResult(goal.CheckErr, fmt.Sprintf(
			"its file accesses could not be followed to the end (%s), so that it passed proves nothing",
			text.OneLine(r.Observation.Incomplete, 300)))
		again.Retryable, again.Tail, again.Observed = true, r.Tail, r.Observed
		return again
	}
	if k.N < 0 { // pre-flight: there is nothing to compare with
		return r
	}
	_, remote := k.Server()
	if h.World.comparison() == nil || remote {
		r.Assurance, r.AssuranceReason = goal.Shared, "nothing is known of the goal's start"
		if remote {
			r.AssuranceReason = "it ran on a server, where nobody could observe which files it used"
		}
		return r
	}
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return check.RetryableError(fmt.Errorf("the goal's folder: %w", text.StripPathError(err)))
	}
	defer func() { _ = root.Close() }()
	w := inputComparison{host: h, check: k, root: root, now: map[string]fileNow{}, outputs: outputs}
	seen := r.Observation
	if seen == nil {
		changed, err := h.World.comparison().ChangedFiles(ctx)
		if err != nil {
			return check.RetryableError(err)
		}
		seen = inputs.Guess(k.Command, path.Clean(k.Dir), h.Dir, changed, func(file string) []byte {
			text, _, _ := fileio.Read(root, file, maxGuessedBytes) // nil where it cannot be read
			return text
		})
	}
	changes := w.comparison(seen).FindChanges()
	w.tryEmptyParts(ctx, seen, changes)
	switch bad := inputs.Tampering(changes); {
	case len(bad) > 0 && inputs.NeedsInstallation(bad):
		if err := h.World.guard().Hold(k.N, bad, w.original); err != nil {
			return check.RetryableError(fmt.Errorf("protecting what runs the check: %w", err))
		}
		again := check.NewResult(goal.Fail, "what runs this check is not what was installed at the start: install the same "+
			"again (npm ci, pip install --force-reinstall …); what is checked is your work, not its runner. If it stays as it "+
			"is, the user decides about it")
		again.Tail, again.Changes, again.Observed = w.describeAll(bad), bad[:min(len(bad), maxListed)], r.Observed
		return again
	case len(bad) > 0:
		return w.tampered(ctx, bad, r)
	}
	r.Assurance, r.AssuranceReason = inputs.Assurance(k.Command, h.Dir,
		h.World.guard().Observation(k.N), r.Observation, changes)
	if n := len(changes); n > maxListed {
		changes = changes[:maxListed]
		r.Detail = text.JoinClauses(r.Detail, fmt.Sprintf("it used %d changed files, of which %d are listed", n, maxListed))
	}
	r.Changes = changes
	return r
}

// inputComparison compares the files of one pass with the start.
type inputComparison struct {
	host  CheckRunner
	check check.Indexed
	root  *os.Root
	now   map[string]fileNow

	outputs map[string]goal.FileState // what the check wrote in pre-flight, as it was before the check
}

type fileNow struct {
	goal.FileState
	changed time.Time
}

func (w *inputComparison) comparison(after *goal.Observation) inputs.Comparison {
	guard := w.host.World.guard()
	before := guard.Observation(w.check.N)
	return inputs.Comparison{
		Before:  before,
		After:   after,
		Start:   func(file string) goal.FileState { return w.start(before, file) },
		Now:     func(file string) goal.FileState { return w.present(file).FileState },
		Dir:     w.host.Dir,
		Command: w.check.Command,
		IsFree:  guard.IsFree,
		SameDecision: func(file string, role goal.FileRole) bool {
			if role != goal.RoleMakefile && guard.IsCompared(w.check.N, file) {
				return true
			}
			was, ok := w.host.World.comparison().ContentAtStart(file)
			if !ok {
				return false
			}
			if role == goal.RoleMakefile {
				return inputs.LacksTarget(w.check.Command, string(was))
			}
			is, _, err := fileio.Read(w.root, file, maxStateBytes)
			return err == nil && protect.SameDecision(file, was, is)
		},
		IsUntouched: func(file string) bool {
			was := w.outputs[file]
			return was.SHA256 != "" && was.SHA256 == w.present(file).SHA256
		},
		OutsideExists: func(file string) bool {
			_, err := os.Stat(file)
			return err == nil
		},
	}
}

func (w *inputComparison) present(file string) fileNow {
	n, known := w.now[file]
	if !known {
		n.FileState, n.changed = stateOf(w.root, file)
		w.now[file] = n
	}
	return n
}

// start is a file as it was at the goal's start: as pre-flight found it, or as it was when the goal's folder was looked
// at first. What nobody looked at counts as new if it was changed since, and as unchanged otherwise.
func (w *inputComparison) start(before *goal.Observation, file string) goal.FileState {
	if before != nil {
		if s, ok := before.States[file]; ok {
			return s
		}
	}
	folder := w.host.World.comparison()
	if folder == nil {
		return w.present(file).FileState
	}
	s, known := folder.AtStart(file)
	n := w.present(file)
	switch {
	case !known && n.changed.Before(folder.StartedAt()):
		return n.FileState
	case known && s.Exists && n.SHA256 != "" && s.SHA256 == "" && s.Mode.IsRegular():
		return n.FileState
	}
	if !known {
		return goal.FileState{}
	}
	if s.Link == "" && n.Link != "" { // a link above it may have been there
		if at, ok := folder.AtStart(n.Link); ok && at.Link != "" {
			s = n.FileState
		}
	}
	return s
}

// tryEmptyParts runs the check once more for each changed script that a judge starts, at most three, with an empty one
// in its place. If that passes, the change counts. A check that writes in the goal's folder may find there what it has
// just made, so it is not tried.
func (w *inputComparison) tryEmptyParts(ctx context.Context, seen *goal.Observation, changes []goal.FileChange) {
	guard, tries := w.host.World.guard(), 3
	made := slices.DeleteFunc(slices.Concat(seen.Written, seen.Rewritten), inputs.IsCache)
	for i, c := range changes {
		isPart := slices.ContainsFunc(seen.Files, func(u goal.UsedFile) bool {
			return u.Path == c.Path && u.Examined == goal.ByJudge
		})
		was, ok := w.original(c.Path)
		if !isPart || !ok || c.Change != "changed" || guard.IsFree(c.Path) || len(made) > 0 || tries == 0 ||
			!w.host.usesOverrides(w.check) {
			continue
		}
		tries--
		empty, err := guard.EmptyScript(c.Path, was)
		e := w.host.environment()
		e.StartFiles = []process.FileOverride{empty}
		if err == nil && e.Decide(ctx, w.check, goal.Claim{}).Outcome == goal.Pass {
			changes[i].Reason = inputs.ReasonEndOnly
		}
	}
}

// original is a file at the goal's start; ok is false where its content was not kept.
func (w *inputComparison) original(file string) (was protect.Original, ok bool) {
	folder, guard := w.host.World.comparison(), w.host.World.guard()
	was.Content, ok = folder.ContentAtStart(file)
	s, _ := folder.AtStart(file)
	was.Mode, was.SHA256 = s.Mode, w.start(guard.Observation(w.check.N), file).SHA256
	return was, ok
}

// describeAll describes changes with their diffs, shortened.
func (w *inputComparison) describeAll(list []goal.FileChange) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(inputs.Describe(f) + "\n" + w.host.World.comparison().FileDiff(w.root, f.Path))
	}
	return string(text.TruncateMiddle([]byte(b.String()), protect.MaxDiffBytes))
}

// tampered is the verdict for changes that count. They are protected from now on, so that the user can put them back or
// accept them.
func (w *inputComparison) tampered(ctx context.Context, bad []goal.FileChange, passed check.Result) check.Result {
	if err := w.host.World.guard().Hold(w.check.N, bad, w.original); err != nil {
		return check.RetryableError(fmt.Errorf("protecting what decides the check: %w", err))
	}
	r := check.NewResult(goal.Tampered, "what decides this check is not what it was at the start: "+
		text.OneLine(inputs.Describe(bad[0]), 500))
	if len(bad) > 1 {
		r.Detail += fmt.Sprintf(", and %d more", len(bad)-1)
	}
	r.Detail += w.repeatWithStartFiles(ctx, bad)
	r.Tail = w.describeAll(bad)
	r.Changes, r.Observed = bad[:min(len(bad), maxListed)], passed.Observed
	return r
}

// repeatWithStartFiles runs the check once more on the files of the start that were changed, and says what it decides
// then; "" where that cannot be tried.
func (w *inputComparison) repeatWithStartFiles(ctx context.Context, bad []goal.FileChange) string {
	e := w.host.environment()
	e.StartFiles = w.host.World.guard().StartCopies(bad)
	if len(e.StartFiles) == 0 || !w.host.usesOverrides(w.check) {
		return ""
	}
	again := e.Decide(ctx, w.check, goal.Claim{})
	if again.Outcome == goal.Pass {
		return "; with the files of the start it passes as well"
	}
	return "; with the files of the start it does not pass: " + again.Detail
}
