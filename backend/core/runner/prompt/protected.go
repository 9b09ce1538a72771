package prompt

import (
	"fmt"
	"path"
	"strings"

	"goalpost/backend/domain/goal"
)

// ProtectedFile is a file of the goal's folder that decides the goal and that the agent cannot change.
type ProtectedFile struct {
	Path string
	Role goal.FileRole // what the check uses it for, "" if the user chose the file
}

// protectedKinds are the groups in which protected files are listed.
var protectedKinds = []struct {
	words string
	roles []goal.FileRole
}{
	{"tests", []goal.FileRole{goal.RoleTest}},
	{"what the check runs", []goal.FileRole{goal.RoleScript, goal.RoleMain, goal.RoleProgram}},
	{"settings", []goal.FileRole{goal.RoleSettings, goal.RoleMakefile}},
	{"expected results", []goal.FileRole{goal.RoleData}},
	{"helpers of tests", []goal.FileRole{goal.RoleCode}},
	{"chosen by the user", []goal.FileRole{""}},
}

// describeProtected names the protected files by kind and says how to ask for one.
func describeProtected(files []ProtectedFile) string {
	var kinds []string
	for _, k := range protectedKinds {
		var paths []string
		for _, role := range k.roles {
			for _, f := range files {
				if f.Role == role {
					paths = append(paths, f.Path)
				}
			}
		}
		if len(paths) > 0 {
			kinds = append(kinds, k.words+": "+joinByFolder(paths))
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return "These files decide about the goal, so they are read-only: " + strings.Join(kinds, "; ") +
		". If your work needs one of them changed (a wrong test, a recorded result, a lock file), or new settings of the " +
		"tests such as a conftest.py, ask with request_access: kind write, its path, and why. Only the user can allow it.\n"
}

// joinByFolder lists at most four files, and more than that by their folders.
func joinByFolder(paths []string) string {
	const maxNames = 4
	entries := paths
	if len(paths) > maxNames {
		counts := map[string]int{}
		for _, p := range paths {
			counts[path.Dir(p)]++
		}
		entries = nil
		for _, p := range paths {
			dir := path.Dir(p)
			switch n := counts[dir]; {
			case n == 1:
				entries = append(entries, p)
			case n > 1:
				entries = append(entries, fmt.Sprintf("%d files in %s/", n, dir))
			}
			delete(counts, dir)
		}
	}
	if more := len(entries) - maxNames; more > 0 {
		return strings.Join(entries[:maxNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(entries, ", ")
}
