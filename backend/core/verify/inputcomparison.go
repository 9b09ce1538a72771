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
	w := inputComparison{
		host: cr, check: k, root: root, now: map[string]fileNow{}, atStart: map[string]bool{}, outputs: outputs,
		startTests: map[string]bool{},
	}
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
	j := w.judge(ctx, r, observation)
	var reruns []goal.Rerun
	r, j, reruns = w.rerun(ctx, r, j)
	if len(j.tampering) > 0 {
		r = w.tamperedResult(j.tampering, r)
		if n := len(reruns); n > 0 {
			r.Detail = text.JoinClauses(r.Detail, reruns[n-1].Describe()+": "+reruns[n-1].Detail)
		}
		r.Reruns = reruns
		return r
	}
	r.Proof, r.Grounds, r.Reruns = j.proof, j.grounds, reruns
	if n := len(j.changes); n > maxListed {
		j.changes = j.changes[:maxListed]
		r.Detail = text.JoinClauses(r.Detail, fmt.Sprintf("it used %d changed files, of which %d are listed", n, maxListed))
	}
	r.Changes = j.changes
	return r
}

// judgement says whether one pass counts, and what it proves.
type judgement struct {
	changes   []goal.FileChange
	tampering []goal.FileChange // those of the changes that make it tampered
	proof     goal.Proof
	grounds   *goal.Grounds
	doubts    []inputs.Doubt
	posts     []string // changed files that are not the work
	newTests  []string // files of tests that a pass by tests used
	newData   []string // new files that it read as data
	// innerTests are the changed files with tests inside; whether these count as they were at the start.
	innerTests map[string]bool
}

// judge compares what a pass used with the start. observation is what it used, or a guess.
func (ic *inputComparison) judge(ctx context.Context, r check.Result, observation *goal.Observation) judgement {
	j := judgement{changes: ic.comparisonWith(observation, r.Observation != nil).FindChanges()}
	ic.tryEmptyParts(ctx, observation, j.changes)
	j.innerTests = ic.findInnerTests(observation, j.changes)
	j.tampering = inputs.FindTampering(j.changes)
	passed := inputs.PassedCheck{
		Scope: ic.scope(), Before: ic.host.Folder.protectedState().Observation(ic.check.N), After: r.Observation,
		Changes: j.changes, Ran: r.Tests, Fewer: r.Fewer,
		InnerTests: j.innerTests,
	}
	j.proof, j.doubts = passed.Assess()
	j.posts, j.newTests, j.grounds = passed.Posts(j.doubts), passed.NewTests(j.proof), passed.Grounds()
	for _, f := range j.changes {
		if f.Role == goal.RoleData && f.Change == "new" {
			j.newData = append(j.newData, f.Path)
		}
	}
	return j
}

// inputComparison compares the files that one passing check used with the start.
type inputComparison struct {
	host  CheckRunner
	check check.Item
	root  *os.Root
	now   map[string]fileNow
	// atStart are the files that the check last used as they were at the start.
	atStart map[string]bool
	// startTests are changed files that the check last used with the tests inside as they were at the start.
	startTests map[string]bool

	outputs map[string]goal.FileState // states, before the check, of what it wrote in pre-flight
}

type fileNow struct {
	goal.FileState
	changed time.Time
}

func (ic *inputComparison) comparisonWith(after *goal.Observation, isObserved bool) inputs.Comparison {
	state := ic.host.Folder.protectedState()
	before := state.Observation(ic.check.N)
	return inputs.Comparison{
		Before: before,
		After:  after,
		Start:  func(file string) goal.FileState { return ic.startState(before, file) },
		Now: func(file string) goal.FileState {
			if ic.atStart[file] {
				return ic.startState(before, file)
			}
			return ic.currentState(file).FileState
		},
		Scope:  ic.scope(),
		IsFree: state.IsFree,
		HasSameDecision: func(file string, role goal.FileRole) bool {
			if role != goal.RoleMakefile && state.IsCompared(ic.check.N, file) {
				return true
			}
			was, ok := ic.host.Folder.baseline().ContentAtStart(file)
			if !isObserved && protect.IsManifest(file) {
				return true // an unobserved pass is weakened in any case
			}
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

func (ic *inputComparison) scope() inputs.Scope {
	return inputs.Scope{Dir: ic.host.Environment.Dir, At: path.Clean(ic.check.Dir), Command: ic.check.Command}
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
func (ic *inputComparison) tamperedResult(bad []goal.FileChange, passed check.Result) check.Result {
	if err := ic.host.Folder.protectedState().Hold(ic.check.N, bad, ic.original); err != nil {
		return check.RetryableError(fmt.Errorf("protecting the files that decide the check: %w", err))
	}
	r := check.NewResult(goal.Tampered, "what decides this check has changed since the start: "+
		text.SanitizeLine(inputs.Describe(bad[0]), 500))
	if inputs.NeedsInstallation(bad) {
		r = check.NewResult(goal.Fail, "what runs this check is not what was installed at the start: install the same "+
			"versions again (npm ci, pip install --force-reinstall …). The check tests your work, not its runner; if the "+
			"runner stays changed, the user decides about it")
	} else if len(bad) > 1 {
		r.Detail += fmt.Sprintf(", and %d more", len(bad)-1)
	}
	r.Tail = ic.describeAll(bad)
	r.Changes, r.Observed = bad[:min(len(bad), maxListed)], passed.Observed
	return r
}
