package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/autorun"
)

// autorunBaselineFile is what ran by itself in the goal's folders before the goal did
// anything, in its private folder.
const autorunBaselineFile = "selfrun.json"

// recordAutorunBaseline notes what git and editors run by themselves in the goal's folders,
// once: at its first start.
func recordAutorunBaseline(p policy.Policy, layer string) error {
	path := filepath.Join(layer, autorunBaselineFile)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // nil, or it says stat and the path
	}
	body, err := json.Marshal(listAutorun(p))
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting what git obeys: %w", err)
	}
	return nil
}

// recordAutorunOf notes the same of a folder that the user allows later.
func recordAutorunOf(dir, layer string) error {
	path := filepath.Join(layer, autorunBaselineFile)
	before := []string{}
	body, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(body, &before)
	}
	if err == nil {
		body, err = json.Marshal(append(before, listAutorun(policy.Policy{}, dir)...))
	}
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting what git obeys in %s: %w", dir, err)
	}
	return nil
}

func listAutorun(p policy.Policy, more ...string) []string {
	list := []string{}
	for _, dir := range slices.Concat([]string{p.Dir}, p.AllowWrite, more) {
		if dir == "" {
			continue
		}
		found, err := autorun.ListAutorun(dir)
		if err != nil {
			continue // the folder is gone, and nothing in it runs
		}
		for _, line := range found {
			list = append(list, filepath.Join(dir, line))
		}
	}
	return list
}

// AutorunChanges are what the user should know before going to the goal's folder: what
// git or an editor would run there since the goal worked in it, what it did to its
// copies of git's configuration, and what is in its private /tmp.
func (r *Session) AutorunChanges() []string {
	if r.policy.Unconfined || r.policy.Risk == policy.ReadOnly && len(r.policy.AllowWrite)+len(r.sandbox.machineGrants.writablePaths()) == 0 {
		return nil
	}
	layer := r.app.sandboxDir(r.goal)
	var before []string
	text, err := os.ReadFile(filepath.Join(layer, autorunBaselineFile))
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	var list []string
	if err != nil {
		list = append(list, "What git or an editor runs by itself in the folder could not be compared: "+err.Error())
	} else if fresh := slices.DeleteFunc(listAutorun(r.policy, r.sandbox.machineGrants.writablePaths()...), func(l string) bool {
		return slices.Contains(before, l) && !strings.Contains(l, autorun.TruncatedPrefix)
	}); len(fresh) > 0 {
		list = append(list, "Look before you go there: git, an editor or a shell would obey this, which is new: "+strings.Join(fresh, "; ")) // all: the one that is not named is the one
	}
	if changed := autorun.DiffGitCopies(layer, r.policy.Dir); len(changed) > 0 {
		list = append(list, "Changed in the goal's copy only; yours is as it was: "+joinSome(changed))
	}
	if left, err := autorun.ListTmp(layer); err == nil && len(left) > 0 {
		list = append(list, "Left in the goal's private /tmp, which goes with it ("+filepath.Join(layer, "tmp")+"): "+joinSome(left))
	}
	return list
}

// joinSome are the first of a list, in a line.
func joinSome(list []string) string {
	const most = 10
	if len(list) > most {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", len(list)-most)
	}
	return strings.Join(list, "; ")
}

var _ runner.LeftoverReporter = (*Session)(nil)
