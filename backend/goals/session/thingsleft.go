package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox/autorun"
	"goalpost/backend/lib/text"
)

// ThingsLeft lists what the goal leaves behind: programs in its panes that still run, and changes that the user should
// know before working in its folder.
func (se *Session) ThingsLeft(ctx context.Context) []string {
	return append(se.runningPrograms(ctx), se.autorunChanges()...)
}

// runningPrograms lists the programs that run in the goal's terminals or that its commands left running, and when they
// will end.
func (se *Session) runningPrograms(ctx context.Context) []string {
	var running []string
	for _, i := range se.registry.Panes.Terminals.List() {
		if i.GoalID != string(se.goal) || !i.Running {
			continue
		}
		if s, err := se.registry.Panes.Terminals.Get(i.ID); err == nil {
			if command, isKnown := s.Running(); isKnown && command != "" {
				running = append(running, fmt.Sprintf("%s (%s)", i.ID, text.TruncateBytes(command, 100)))
			}
		}
	}
	if se.tools != nil {
		for _, command := range se.tools.LeftRunning.List(ctx) {
			running = append(running, text.TruncateBytes(command, 100))
		}
	}
	if len(running) == 0 {
		return nil
	}
	until := "with the goal"
	if grace := se.registry.gracePeriod(); grace > 0 {
		until = goal.FormatDuration(grace) + " after the goal is done"
	}
	return []string{"Programs that still run end " + until + ": " + joinSome(running)}
}

// autorunChanges lists what the user should know before working in the goal's folder: files that git, an editor or a
// shell would run now but would not have at the goal's start, changes in the goal's copy of git's configuration, and
// files in its private /tmp.
func (se *Session) autorunChanges() []string {
	if se.policy.Unconfined || se.policy.Risk == policy.ReadOnly && len(se.policy.AllowWrite)+
		len(se.sandbox.MachineGrants.WritablePaths()) == 0 {
		return nil
	}
	layer := se.registry.Sandboxes.PrivateDir(se.goal)
	var before []string
	baseline, err := os.ReadFile(filepath.Join(layer, goalsandbox.AutorunBaselineFile))
	if err == nil {
		err = json.Unmarshal(baseline, &before)
	}
	var list []string
	if err != nil {
		list = append(list, "What git or an editor runs automatically in the folder could not be compared: "+err.Error())
	} else if fresh := slices.DeleteFunc(goalsandbox.ListAutorun(se.policy, se.sandbox.MachineGrants.WritablePaths()...),
		func(l string) bool {
			return slices.Contains(before, l) && !strings.Contains(l, autorun.TruncatedPrefix)
		}); len(fresh) > 0 {
		// lists all of them, because a malicious file could hide behind a shortened list
		list = append(list, "Review these new files before you work in the folder, because git, an editor or a shell "+
			"would run them: "+strings.Join(fresh, "; "))
	}
	if files := autorun.DiffGitCopies(layer, se.policy.Dir); len(files) > 0 {
		list = append(list, "Changed only in the goal's copy of git's files, not in yours: "+joinSome(files))
	}
	if files, err := autorun.ListTmp(layer); err == nil && len(files) > 0 {
		list = append(list, "Left in the goal's private /tmp, which is deleted with the goal ("+
			filepath.Join(layer, "tmp")+"): "+joinSome(files))
	}
	return list
}

// joinSome joins the first entries of a list in one line.
func joinSome(list []string) string {
	const maxEntries = 10
	if len(list) > maxEntries {
		return strings.Join(list[:maxEntries], "; ") + fmt.Sprintf("; and %d more", len(list)-maxEntries)
	}
	return strings.Join(list, "; ")
}

var _ runner.LeftoverReporter = (*Session)(nil)
