package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/autorun"
)

// AutorunChanges lists what the user should know before working in the goal's folder: files that git, an
// editor or a shell would now run or obey and did not at the goal's start, changes to the goal's copies of
// git's configuration, and files in its private /tmp.
func (r *Session) AutorunChanges() []string {
	if r.policy.Unconfined || r.policy.Risk == policy.ReadOnly && len(r.policy.AllowWrite)+
		len(r.sandbox.MachineGrants.WritablePaths()) == 0 {
		return nil
	}
	layer := r.registry.Sandboxes.PrivateDir(r.goal)
	var before []string
	text, err := os.ReadFile(filepath.Join(layer, goalsandbox.AutorunBaselineFile))
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	var list []string
	if err != nil {
		list = append(list, "What git or an editor runs automatically in the folder could not be compared: "+err.Error())
	} else if fresh := slices.DeleteFunc(goalsandbox.ListAutorun(r.policy, r.sandbox.MachineGrants.WritablePaths()...),
		func(l string) bool {
			return slices.Contains(before, l) && !strings.Contains(l, autorun.TruncatedPrefix)
		}); len(fresh) > 0 {
		// list all of them: a malicious file could hide behind a shortened list
		list = append(list, "Look before you go there: git, an editor or a shell would obey this, which is new: "+
			strings.Join(fresh, "; "))
	}
	if changed := autorun.DiffGitCopies(layer, r.policy.Dir); len(changed) > 0 {
		list = append(list, "Changed in the goal's copy only; yours is as it was: "+joinSome(changed))
	}
	if left, err := autorun.ListTmp(layer); err == nil && len(left) > 0 {
		list = append(list, "Left in the goal's private /tmp, which goes with it ("+filepath.Join(layer, "tmp")+"): "+
			joinSome(left))
	}
	return list
}

// joinSome joins the first entries of a list in one line.
func joinSome(list []string) string {
	const most = 10
	if len(list) > most {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", len(list)-most)
	}
	return strings.Join(list, "; ")
}

var _ runner.LeftoverReporter = (*Session)(nil)
