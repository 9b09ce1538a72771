package protect

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/ignore"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/protect/detect"
	"goalpost/backend/verify/workspace"
)

// forbiddenFile is a pattern of Appears: a name in a folder, or anywhere below it.
type forbiddenFile struct {
	base string
	name ignore.Glob
}

func parseForbidden(pattern string) (forbiddenFile, error) {
	base, name, deep := strings.Cut(pattern, "**/")
	if !deep {
		base, name = path.Split(pattern)
		name = "/" + name
	}
	glob, err := ignore.New(name)
	return forbiddenFile{base, glob}, err
}

func (a forbiddenFile) matches(path string) bool {
	rel, below := strings.CutPrefix(path, a.base)
	return below && a.name.Match(rel)
}

// unreadable are the places where something may have appeared that nobody can see.
func (g *State) unreadable(h protectedItem) []mismatch {
	var found []mismatch
	if g.here.More {
		found = append(found, mismatch{
			protectedItem: h,
			text:          workspace.TooManyFiles + ": remove what was made there, then continue\n",
		})
	}
	for _, p := range g.here.Shut {
		if !slices.Contains(g.shut, p) {
			found = append(found, mismatch{
				protectedItem: h,
				path:          p,
				text:          fmt.Sprintf("%s cannot be looked into: %s\n", p, h.Why),
			})
		}
	}
	return found
}

// newForbidden lists the files that are there and that a pattern of Appears means, of
// which none may be new.
func (g *State) newForbidden(root *os.Root, h protectedItem) ([]string, error) {
	if h.Part == detect.AnyPart {
		if _, err := root.Lstat(h.Path); err == nil {
			return []string{h.Path}, nil
		}
		return nil, nil
	}
	a, err := parseForbidden(h.Path)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range g.here.Entries {
		if e.Mode.IsDir() || !a.matches(e.Path) || g.without.MatchesAncestor(e.Path) || h.Holding != "" &&
			!g.fileMatches(root, e.Path, h.Holding) {
			continue
		}
		found = append(found, e.Path)
	}
	return found, nil
}

// fileMatches says whether a regular expression is found in a file. One that had not when it was last looked at
// is not read again as long as it is the same.
func (g *State) fileMatches(root *os.Root, path, text string) bool {
	key := path + "\x00" + text
	info, err := root.Stat(path)
	if err == nil && fileio.ChangeTime(info) != 0 && g.plain[key] == (statStamp{info.Size(), fileio.ChangeTime(info)}) {
		return false
	}
	b, _, err := fileio.Read(root, path, detect.MaxPartBytes)
	if err == nil && compilePattern(text).Match(b) {
		return true
	}
	if err == nil && info != nil && fileio.IsStable(info) {
		g.plain[key] = statStamp{info.Size(), fileio.ChangeTime(info)}
	}
	return false
}

func compilePattern(text string) *regexp.Regexp {
	if r, err := regexp.Compile(text); err == nil {
		return r
	}
	return regexp.MustCompile(regexp.QuoteMeta(text)) // of a goal that an older version made
}
