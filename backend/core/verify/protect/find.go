package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// Limits of what is protected.
const (
	MaxDiffBytes = 16 << 10  // of the diff in a tampered verdict
	maxProtected = 5000      // more would slow down every claim by seconds
	maxNames     = 1_000_000 // files that the user's patterns are matched against
)

// Find lists what decides the checks of a criterion: the scripts that their commands name, what the user protects,
// and what a check used in pre-flight, without what NoProtect names. Patterns are those of .gitignore.
func Find(ctx context.Context, o Options) ([]Item, error) {
	free, err := ignore.NewGlobs(o.freePatterns())
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	f := itemCollector{Options: o, free: free, text: func(file string) []byte {
		b, _, _ := fileio.Read(root, file, maxManifestBytes) // nil where it cannot be read
		return b
	}}
	files, err := matchingFiles(ctx, root, o.Protect)
	if err != nil {
		return nil, err
	}
	for i, k := range o.Criterion.Checks {
		for _, file := range files {
			f.add(Item{Path: file, Kind: KindLocked, Why: reasonChosen}, i)
		}
		if _, remote := k.Server(); !remote && k.RunsCommand() {
			f.addStarted(i, k)
		}
	}
	if len(f.list) > maxProtected {
		return nil, fmt.Errorf("%d files would be protected, and at most %d can be: leave some out of the protection",
			len(f.list), maxProtected)
	}
	for i := range o.Criterion.Checks {
		f.addJudges(i)
	}
	slices.SortFunc(f.list, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	return f.list, nil
}

// itemCollector collects what is protected, each path once.
type itemCollector struct {
	Options
	free ignore.Globs
	text func(file string) []byte
	list []Item
}

func (ic *itemCollector) add(p Item, check int) {
	switch i := slices.IndexFunc(ic.list, func(old Item) bool { return old.Path == p.Path }); {
	case ic.free.MatchesAncestor(p.Path):
	case i < 0:
		p.Checks = []int{check}
		ic.list = append(ic.list, p)
	case !slices.Contains(ic.list[i].Checks, check):
		ic.list[i].Checks = append(ic.list[i].Checks, check)
	}
}

// addStarted adds the scripts that a command names, except those that pre-flight observed: addJudges handles them.
func (ic *itemCollector) addStarted(check int, k goal.Check) {
	observation := ic.observation(check)
	for _, file := range inputs.StartedScripts(k.Command, path.Clean(k.Dir), ic.Dir, ic.text) {
		isSeen := observation != nil && observation.Incomplete == "" &&
			slices.ContainsFunc(observation.Files, func(u goal.UsedFile) bool { return u.Path == file })
		if !isSeen {
			ic.add(Item{Path: file, Kind: KindLocked, Why: roleReasons[goal.RoleScript], Role: goal.RoleScript}, check)
		}
	}
}

// addJudges adds the files that decided a check in pre-flight.
func (ic *itemCollector) addJudges(check int) {
	observation := ic.observation(check)
	if observation == nil {
		return
	}
	for _, u := range observation.Files {
		isWork := u.Role == goal.RoleMakefile &&
			inputs.LacksTarget(ic.Criterion.Checks[check].Command, string(ic.text(u.Path)))
		isManifest := u.Role != goal.RoleMakefile && IsManifest(u.Path) // of the work, too: compared at a claim
		if isWork || isManifest || !inputs.IsJudge(observation, u) || inputs.IsInstalled(u.Path) {
			continue
		}
		ic.add(Item{Path: u.Path, Kind: KindLocked, Why: roleReasons[u.Role], Role: u.Role}, check)
	}
}

// roleReasons say why a file decides, by what the check uses it for.
var roleReasons = map[goal.FileRole]string{
	goal.RoleScript:   "the check runs it",
	goal.RoleMain:     "the check runs it",
	goal.RoleProgram:  "the check runs it",
	goal.RoleMakefile: "the check takes its commands from it",
	goal.RoleSettings: "the check takes its settings from it",
	goal.RoleTest:     "the check runs it as a test",
	goal.RoleCode:     "the tests use it",
	goal.RoleData:     "it is what the check compares with",
}

// reasonChosen is the reason for files that the user protects.
const reasonChosen = "you protect it"

// matchingFiles lists the regular files that match the user's patterns, including ignored ones.
func matchingFiles(ctx context.Context, root *os.Root, patterns []string) (files []string, err error) {
	globs, err := ignore.NewGlobs(patterns)
	if err != nil || len(patterns) == 0 {
		return nil, err
	}
	names := 0
	err = fs.WalkDir(root.FS(), ".", func(file string, e fs.DirEntry, err error) error {
		switch names++; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case names > maxNames:
			return fmt.Errorf("the folder contains more than %d files: choose a smaller one", maxNames)
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fs.SkipDir // no permission to read it
		case file != "." && (ignore.Rules{}).Ignored(file, e.IsDir()):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular() && globs.MatchesAncestor(file):
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the protected files: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the protected pattern %s matches no file in the folder", strings.Join(patterns, " "))
	}
	return files, nil
}
