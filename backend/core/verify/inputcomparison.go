package verify

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

const (
	maxListed       = 200      // changes in a verdict
	maxGuessedBytes = 64 << 10 // of a script whose names are read
)

// judgeInputs decides whether a pass still counts after what the check used has changed, and how much it proves.
func (cr CheckRunner) judgeInputs(
	ctx context.Context, k check.Item, r check.Result, outputs map[string]goal.FileState,
) check.Result {
	if r.Outcome != goal.Pass || !k.RunsCommand() {
		return r
	}
	if r.Observed == goal.PartlyObserved {
		result := check.NewResult(goal.CheckErr, fmt.Sprintf(
			"its file accesses could not be followed to the end (%s), so its pass proves nothing",
			text.SanitizeLine(r.Observation.Incomplete, 300)))
		result.Retryable, result.Tail, result.Observed = true, r.Tail, r.Observed
		return result
	}
	if k.N < 0 { // pre-flight: there is nothing to compare with
		return r
	}
	_, remote := k.Server()
	if cr.Folder.baseline() == nil || remote {
		r.Proof = goal.Proof{Assurance: goal.Weakened, AssuranceReason: "the folder's state at the start is unknown"}
		if remote {
			r.AssuranceReason = "it ran on a server, where Goalpost cannot observe which files it used"
		}
		return r
	}
	root, err := os.OpenRoot(cr.Environment.Dir)
	if err != nil {
		return check.RetryableError(fmt.Errorf("the goal's folder: %w", text.StripPathError(err)))
	}
	defer func() { _ = root.Close() }()
	w := inputComparison{host: cr, check: k, root: root, now: map[string]fileNow{}, outputs: outputs}
	observation := r.Observation
	if observation == nil {
		files, err := cr.Folder.baseline().ChangedFiles(ctx)
		if err != nil {
			return check.RetryableError(err)
		}
		readText := func(file string) []byte {
			text, _, _ := fileio.Read(root, file, maxGuessedBytes) // nil where it cannot be read
			return text
		}
		observation = inputs.GuessInputs(k.Command, path.Clean(k.Dir), cr.Environment.Dir, files, readText)
	}
	changes := w.comparisonWith(observation).FindChanges()
	w.tryEmptyParts(ctx, observation, changes)
	switch bad := inputs.FindTampering(changes); {
	case len(bad) > 0 && inputs.NeedsInstallation(bad):
		if err := cr.Folder.protectedState().Hold(k.N, bad, w.original); err != nil {
			return check.RetryableError(fmt.Errorf("protecting the programs that run the check: %w", err))
		}
		result := check.NewResult(goal.Fail, "what runs this check is not what was installed at the start: install the same "+
			"versions again (npm ci, pip install --force-reinstall …). The check tests your work, not its runner; if the "+
			"runner stays changed, the user decides about it")
		result.Tail, result.Changes, result.Observed = w.describeAll(bad), bad[:min(len(bad), maxListed)], r.Observed
		return result
	case len(bad) > 0:
		return w.tamperedResult(ctx, bad, r)
	}
	r.Proof = inputs.PassedCheck{
		Command: k.Command, Dir: cr.Environment.Dir, Before: cr.Folder.protectedState().Observation(k.N),
		After: r.Observation, Changes: changes, Ran: r.Tests, Fewer: r.Fewer,
	}.Proof()
	if n := len(changes); n > maxListed {
		changes = changes[:maxListed]
		r.Detail = text.JoinClauses(r.Detail, fmt.Sprintf("it used %d changed files, of which %d are listed", n, maxListed))
	}
	r.Changes = changes
	return r
}

// inputComparison compares the files that one passing check used with the start.
type inputComparison struct {
	host  CheckRunner
	check check.Item
	root  *os.Root
	now   map[string]fileNow

	outputs map[string]goal.FileState // states, before the check, of what it wrote in pre-flight
}

type fileNow struct {
	goal.FileState
	changed time.Time
}

func (ic *inputComparison) comparisonWith(after *goal.Observation) inputs.Comparison {
	state := ic.host.Folder.protectedState()
	before := state.Observation(ic.check.N)
	return inputs.Comparison{
		Before:  before,
		After:   after,
		Start:   func(file string) goal.FileState { return ic.startState(before, file) },
		Now:     func(file string) goal.FileState { return ic.currentState(file).FileState },
		Dir:     ic.host.Environment.Dir,
		Command: ic.check.Command,
		IsFree:  state.IsFree,
		HasSameDecision: func(file string, role goal.FileRole) bool {
			if role != goal.RoleMakefile && state.IsCompared(ic.check.N, file) {
				return true
			}
			was, ok := ic.host.Folder.baseline().ContentAtStart(file)
			if !ok {
				return false
			}
			if role == goal.RoleMakefile {
				return inputs.LacksTarget(ic.check.Command, string(was))
			}
			is, _, err := fileio.Read(ic.root, file, maxStateBytes)
			return err == nil && protect.HasSameDecision(file, was, is)
		},
		IsUntouched: func(file string) bool {
			was := ic.outputs[file]
			return was.SHA256 != "" && was.SHA256 == ic.currentState(file).SHA256
		},
		OutsideExists: func(file string) bool {
			_, err := os.Stat(file)
			return err == nil
		},
	}
}

func (ic *inputComparison) currentState(file string) fileNow {
	n, isKnown := ic.now[file]
	if !isKnown {
		n.FileState, n.changed = readState(ic.root, file)
		ic.now[file] = n
	}
	return n
}

// startState returns a file's state at the goal's start, from pre-flight or from the baseline. A file that neither
// recorded counts as new if it changed since the start, and as unchanged otherwise.
func (ic *inputComparison) startState(before *goal.Observation, file string) goal.FileState {
	if before != nil {
		if s, ok := before.States[file]; ok {
			return s
		}
	}
	folder := ic.host.Folder.baseline()
	if folder == nil {
		return ic.currentState(file).FileState
	}
	s, isKnown := folder.AtStart(file)
	n := ic.currentState(file)
	switch {
	case !isKnown && n.changed.Before(folder.StartedAt()):
		return n.FileState
	case isKnown && s.Exists && n.SHA256 != "" && s.SHA256 == "" && s.Mode.IsRegular():
		return n.FileState
	}
	if !isKnown {
		return goal.FileState{}
	}
	if s.Link == "" && n.Link != "" { // a link above it may have been there
		if at, ok := folder.AtStart(n.Link); ok && at.Link != "" {
			s = n.FileState
		}
	}
	return s
}

// tryEmptyParts finds changed scripts that a judge starts without looking at their output. It runs the check once
// more for each, at most three times, with an empty script in its place. If that passes, the change counts. A check
// that writes in the goal's folder is not tried: it could find there what it has just made.
func (ic *inputComparison) tryEmptyParts(
	ctx context.Context, observation *goal.Observation, changes []goal.FileChange,
) {
	state, tries := ic.host.Folder.protectedState(), 3
	outputs := slices.DeleteFunc(slices.Concat(observation.Written, observation.Rewritten), inputs.IsCache)
	for i, c := range changes {
		isPart := slices.ContainsFunc(observation.Files, func(u goal.UsedFile) bool {
			return u.Path == c.Path && u.Examined == goal.ByJudge
		})
		was, ok := ic.original(c.Path)
		if !isPart || !ok || c.Change != "changed" || state.IsFree(c.Path) || len(outputs) > 0 || tries == 0 ||
			!ic.host.usesOverrides(ic.check) {
			continue
		}
		tries--
		empty, err := state.EmptyScript(c.Path, was)
		e := ic.host.environment()
		e.StartFiles = []process.FileOverride{empty}
		if err == nil && e.Decide(ctx, ic.check, goal.Claim{}).Outcome == goal.Pass {
			changes[i].Reason = inputs.ReasonEndOnly
		}
	}
}

// original returns a file's content at the goal's start; ok is false if it was not kept.
func (ic *inputComparison) original(file string) (was protect.Original, ok bool) {
	folder, state := ic.host.Folder.baseline(), ic.host.Folder.protectedState()
	was.Content, ok = folder.ContentAtStart(file)
	s, _ := folder.AtStart(file)
	was.Mode, was.SHA256 = s.Mode, ic.startState(state.Observation(ic.check.N), file).SHA256
	return was, ok
}

// describeAll describes changes with their diffs, shortened.
func (ic *inputComparison) describeAll(list []goal.FileChange) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(inputs.Describe(f) + "\n" + ic.host.Folder.baseline().FileDiff(ic.root, f.Path))
	}
	return string(text.TruncateMiddle([]byte(b.String()), protect.MaxDiffBytes))
}

// tamperedResult returns the verdict for changes that count. It protects the changed files from now on, so that the
// user can restore or accept them.
func (ic *inputComparison) tamperedResult(
	ctx context.Context, bad []goal.FileChange, passed check.Result,
) check.Result {
	if err := ic.host.Folder.protectedState().Hold(ic.check.N, bad, ic.original); err != nil {
		return check.RetryableError(fmt.Errorf("protecting the files that decide the check: %w", err))
	}
	r := check.NewResult(goal.Tampered, "what decides this check has changed since the start: "+
		text.SanitizeLine(inputs.Describe(bad[0]), 500))
	if len(bad) > 1 {
		r.Detail += fmt.Sprintf(", and %d more", len(bad)-1)
	}
	r.Detail += ic.repeatWithStartFiles(ctx, bad)
	r.Tail = ic.describeAll(bad)
	r.Changes, r.Observed = bad[:min(len(bad), maxListed)], passed.Observed
	return r
}

// repeatWithStartFiles runs the check once more on the changed files as they were at the start, and describes the
// result. It returns "" if that cannot be tried.
func (ic *inputComparison) repeatWithStartFiles(ctx context.Context, bad []goal.FileChange) string {
	e := ic.host.environment()
	e.StartFiles = ic.host.Folder.protectedState().StartCopies(bad)
	if len(e.StartFiles) == 0 || !ic.host.usesOverrides(ic.check) {
		return ""
	}
	result := e.Decide(ctx, ic.check, goal.Claim{})
	if result.Outcome == goal.Pass {
		return "; it also passes with the files as they were at the start"
	}
	return "; it does not pass with the files as they were at the start: " + result.Detail
}
