package protect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/protect/detect"
)

// What is installed in the goal's folder (node_modules, a virtual environment) is
// not looked into where files are compared: it is large, and programs fill it by
// themselves. Where the runner of a check lives in it, the files that were there
// at the start are compared at each claim all the same: new ones may come, and to
// install the same again changes nothing.

// What makes itself the runner, or is loaded with it whatever it is, may not come:
// see detect.ShadowsProgram.

// Bounds of what is compared; a larger folder is not, and that is said.
const (
	installedFiles = 60_000
	installedBytes = 512 << 20
)

// volatilePaths are parts of such a folder that installers and caches write again.
var volatilePaths = []string{
	"__pycache__", ".cache", ".vite", ".vite-temp", ".vitest", ".package-lock.json",
	".yarn-integrity", ".yarn-state.yml", ".modules.yaml",
}

var errTooManyInstalled = fmt.Errorf("more than %d files or %d MiB", installedFiles, installedBytes>>20)

// listInstalled lists the files of an installation with their sums, a line each. Sums of
// files that have not changed are taken from known, and kept there.
func listInstalled(ctx context.Context, root *os.Root, at string, known map[string]installedHash) ([]byte, error) {
	lines := []string{}
	total := int64(0)
	err := fs.WalkDir(root.FS(), at, func(p string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fileio.StripPathError(err)
		case slices.Contains(volatilePaths, e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		case len(lines) >= installedFiles || total > installedBytes:
			return errTooManyInstalled
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // gone: it is missing in the list
		}
		sum := ""
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if sum, err = root.Readlink(p); err != nil {
				return nil //nolint:nilerr // as before
			}
			sum = "link " + sum
		case info.Mode().IsRegular():
			total += info.Size()
			if sum, err = cachedHash(root, p, info, known); err != nil {
				return err
			}
		}
		lines = append(lines, p+"\x00"+sum)
		return nil
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // the callers say what for
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "\n")), nil
}

// installedHash is the sum of an installed file as long as its size and times are these.
type installedHash struct {
	size, mtime, ctime int64
	sum                string
}

func cachedHash(root *os.Root, p string, info fs.FileInfo, sums map[string]installedHash) (string, error) {
	is := installedHash{size: info.Size(), mtime: info.ModTime().UnixNano(), ctime: fileio.ChangeTime(info)}
	if was, ok := sums[p]; ok && was.size == is.size && was.mtime == is.mtime && was.ctime == is.ctime {
		return was.sum, nil
	}
	f, _, err := fileio.Open(root, p)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, installedBytes)); err != nil {
		return "", fileio.StripPathError(err)
	}
	is.sum = hex.EncodeToString(sum.Sum(nil))
	if fileio.IsStable(info) {
		sums[p] = is
	}
	return is.sum, nil
}

// installationChanges says what of an installation is not what it was, "" if all is there.
func installationChanges(at string, was, is []byte) string {
	parse := func(text []byte) map[string]string {
		m := map[string]string{}
		for line := range strings.SplitSeq(string(text), "\n") {
			p, sum, _ := strings.Cut(line, "\x00")
			m[p] = sum
		}
		delete(m, "")
		return m
	}
	before, after := parse(was), parse(is)
	var changed []string
	for _, p := range slices.Sorted(maps.Keys(before)) {
		if sum, there := after[p]; !there {
			changed = append(changed, p+" (removed)")
		} else if sum != before[p] {
			changed = append(changed, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(after)) {
		if _, old := before[p]; !old && detect.ShadowsProgram(p) {
			changed = append(changed, p+" (new)")
		}
	}
	if len(changed) == 0 {
		return ""
	}
	n := len(changed)
	if n > 10 {
		changed = append(changed[:10], fmt.Sprintf("and %d more", n-10))
	}
	return fmt.Sprintf("%s: %s of what runs the check changed since the start: %s\nInstall the same again (npm ci, "+
		"pip install --force-reinstall …) and remove what is new; what is checked is your work, not its runner.\n",
		at, goal.FormatCount(n, "file"), strings.Join(changed, ", "))
}

// UncomparedRunners says what runs a check and is compared with nothing, "" if all of it is:
// it was installed since the start, or was too large to be taken down.
func (g *State) UncomparedRunners(check int, k goal.Check) string {
	if g == nil || k.Where == "host" {
		return ""
	}
	var parts []string
	known := map[string]bool{}
	for _, h := range g.items() {
		if h.Part != detect.InstalledPart || !slices.Contains(h.Checks, check) {
			continue
		}
		if known[h.Path] = true; h.Missing {
			parts = append(parts, fmt.Sprintf("%s held %v at the start", h.Path, errTooManyInstalled))
		}
	}
	for _, p := range detect.FindInstallDirs(g.dir, g.without, k) {
		if !known[p] {
			parts = append(parts, p+" was installed since the start")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "what runs it is not compared: " + strings.Join(parts, ", ")
}
