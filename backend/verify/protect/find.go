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

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/text"
	"goalpost/backend/verify/inputs"
)

// Kind says how a file is protected.
type Kind string

// The kinds. A locked file stays as it was; of a monitored one a part must, and the rest is free; a forbidden one may
// not come to be.
const (
	KindLocked       Kind = "held"
	KindMonitored    Kind = "compared"
	KindForbiddenNew Kind = "appears"
)

// Protected is one thing that decides a check and that the agent must not change.
type Protected struct {
	Path string `json:"path"` // relative to the goal's folder
	Kind Kind   `json:"kind"`
	// Part is what of a monitored file counts, "" all of it.
	Part   string `json:"part,omitempty"`
	Why    string `json:"why"`
	Checks []int  `json:"checks"` // indices of the checks that it decides
}

// Bounds of what is protected.
const (
	maxScriptBytes = 64 << 10  // of a file that may be a script
	MaxDiffBytes   = 16 << 10  // of the text of a tampered verdict
	maxProtected   = 5000      // more would cost every claim seconds
	maxNames       = 1_000_000 // files that patterns of the user are compared with
)

// Find lists what is known to decide the checks of a criterion before they are observed: the scripts that their
// commands name, and what the user protects, without what noProtect names. Patterns are as in .gitignore. dir is the
// goal's folder, absolute.
func Find(ctx context.Context, dir string, c goal.Criterion, protect, noProtect []string) ([]Protected, error) {
	free, err := ignore.NewGlobs(noProtect)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	text := func(file string) []byte {
		b, _, err := fileio.Read(root, file, maxScriptBytes)
		if err != nil {
			return nil
		}
		return b
	}
	var list []Protected
	add := func(file, why string, check int) {
		switch i := slices.IndexFunc(list, func(p Protected) bool { return p.Path == file }); {
		case free.MatchesAncestor(file):
		case i < 0:
			list = append(list, Protected{Path: file, Kind: KindLocked, Why: why, Checks: []int{check}})
		case !slices.Contains(list[i].Checks, check):
			list[i].Checks = append(list[i].Checks, check)
		}
	}
	for i, k := range c.Checks {
		if _, remote := k.Server(); remote || !k.RunsCommand() {
			continue
		}
		for _, file := range inputs.StartedScripts(k.Command, path.Clean(k.Dir), dir, text) {
			add(file, "the check runs it", i)
		}
	}
	chosen, err := matchingFiles(ctx, root, protect)
	if err != nil {
		return nil, err
	}
	for _, file := range chosen {
		for i := range c.Checks {
			add(file, reasonChosen, i)
		}
	}
	if len(list) > maxProtected {
		return nil, fmt.Errorf("%d files would be protected, and at most %d can be: leave some out with --no-protect",
			len(list), maxProtected)
	}
	slices.SortFunc(list, func(a, b Protected) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// reasonChosen is why files are protected that the user names.
const reasonChosen = "you protect it"

// matchingFiles lists the regular files that patterns of the user name, also where a .gitignore names them.
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
			return fmt.Errorf("the folder holds more than %d names: choose a smaller one", maxNames)
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fs.SkipDir // nobody may look into it
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
		return nil, fmt.Errorf("--protect %s: no file in the folder is like that", strings.Join(patterns, " "))
	}
	return files, nil
}
