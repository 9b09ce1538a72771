package session

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner/prompt"
	"goalpost/backend/core/runner/startfacts"
	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/text"
)

// OpenWorkspace opens the goal's folder for comparison with its baseline. The baseline is in a private folder
// that the goal cannot reach, and is deleted with the goal.
func (reg *Registry) OpenWorkspace(ctx context.Context, g goal.Goal) (*verify.FolderState, error) {
	w, err := verify.OpenFolderState(ctx, WorkspaceOptions(g, reg.Store.GoalDir(g.ID)))
	if err != nil {
		return nil, fmt.Errorf("open the goal's folder: %w", err)
	}
	w.ListChangesOf(storedSnapshots{SnapshotOptions(g, reg.Config.State(), reg.Store.GoalDir(g.ID))})
	w.WatchPages(func(ctx context.Context) (string, error) { return reg.Panes.PagesFingerprint(ctx, g.ID) })
	return w, nil
}

// WorkspaceOptions returns which files of a goal's folder are compared and protected. dir is the goal's private folder.
func WorkspaceOptions(g goal.Goal, dir string) verify.Options {
	return verify.Options{
		Dir: g.Policy.Dir, Private: dir, Criterion: g.Criterion, Protect: g.Options.Protect, NoProtect: g.Options.NoProtect,
		Tests: g.TestsBefore, Observations: g.Observations, Hidden: goalsandbox.HiddenPaths(g.Policy),
	}
}

// lockedFiles lists the files that a goal's programs may read but not write. It returns at most 1,000, because more
// mounts would slow down the start of the sandbox.
func lockedFiles(dir string, w *verify.FolderState) []string {
	const maxFiles = 1000
	var list []string
	for _, p := range w.Protected() {
		if p.Kind == protect.KindLocked && len(list) < maxFiles {
			list = append(list, filepath.Join(dir, filepath.FromSlash(p.Path)))
		}
	}
	return list
}

// isSubset reports whether all files of one list are in the other.
func isSubset(files, of []string) bool {
	return !slices.ContainsFunc(files, func(file string) bool { return !slices.Contains(of, file) })
}

// Environment describes the machine of the goal for the agent's prompt.
func (se *Session) Environment() prompt.Environment {
	e := prompt.Environment{
		Shell: filepath.Base(tools.CommandShell()),
		OS:    runtime.GOOS,
		Grace: se.registry.gracePeriod(),
	}
	for _, p := range se.workspace.Protected() {
		if p.Kind == protect.KindLocked {
			e.Protected = append(e.Protected, prompt.ProtectedFile{Path: p.Path, Role: p.Role})
		}
	}
	return e
}

// ReadStart reads what the agent should know before its first turn.
func (se *Session) ReadStart(ctx context.Context) startfacts.Facts {
	path := ""
	for _, entry := range se.sandbox.Env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	dir := se.policy.Dir
	f := startfacts.Read(dir, goalsandbox.HiddenPaths(se.policy), path, se.registry.Clock.Now())
	f.Skills = se.registry.listSkills(dir)
	f.Memory = se.registry.listMemory(ctx, se.memoryDir)
	f.Git = text.JoinClauses(se.registry.Worktrees.Describe(ctx, dir), se.sandbox.Git)
	return f
}

// protectedReasons returns why each locked file is protected, by its path below the goal's folder.
func (se *Session) protectedReasons() map[string]string {
	why := map[string]string{}
	for _, p := range se.workspace.Protected() {
		if p.Kind == protect.KindLocked {
			why[filepath.FromSlash(p.Path)] = p.Why
		}
	}
	return why
}
