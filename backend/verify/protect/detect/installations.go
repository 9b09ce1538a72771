package detect

import (
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/verify/shellline"
	"goalpost/backend/verify/workspace"
)

// installDirs are the folders that programs are installed in.
var installDirs = []string{"node_modules", ".venv", "venv", ".tox"}

// IsInstalled reports whether a file is in a folder that programs are installed in.
func IsInstalled(file string) bool {
	names := strings.Split(file, "/")
	return slices.ContainsFunc(names[:len(names)-1], func(name string) bool { return slices.Contains(installDirs, name) })
}

// addInstalledProgram finds where the program of a call is installed in the goal's folder, and
// protects that.
func (f *Scanner) addInstalledProgram(c shellline.Call) {
	word := c.Name()
	if word == "" || c.Lost {
		return
	}
	if strings.Contains(word, "/") {
		if p, ok := c.PathInFolder(word); ok {
			f.addInstallation(p)
		}
		return
	}
	for dir := path.Clean(c.Dir); ; dir = path.Dir(dir) { // as npm looks
		if p := path.Join(dir, "node_modules", ".bin", word); f.isFile(p) {
			f.addInstallation(p)
			return
		}
		if dir == "." {
			return
		}
	}
}

// addInstallation protects what p is installed in, if it is.
func (f *Scanner) addInstallation(p string) bool {
	names := strings.Split(p, "/")
	for i, name := range names[:len(names)-1] {
		if slices.Contains(installDirs, name) {
			if at := path.Join(names[:i+1]...); f.isDir(at) {
				f.addInstalled(at)
			}
			return true
		}
	}
	return false
}

func (f *Scanner) addInstalled(at string) {
	f.add(Protected{Path: at, Kind: KindMonitored, Part: InstalledPart, Why: "what runs the check is installed there"})
}

// addVirtualenv protects the virtual environment that uv, poetry and the like run in.
func (f *Scanner) addVirtualenv(dir string) {
	for _, name := range []string{".venv", "venv"} {
		if at := path.Join(dir, name); f.isDir(at) {
			f.addInstalled(at)
			return
		}
	}
}

// ShadowsProgram says whether a file that has come into an installation takes a part in
// what runs the check, whoever installed it: a program that is found before that
// of the system, or what an interpreter loads at its start.
func ShadowsProgram(p string) bool {
	dir, name := path.Split(p)
	switch dir = path.Clean(dir); {
	case path.Base(dir) == ".bin":
		return slices.Contains(pathLookupNames, name) || slices.Contains(shells, name)
	case path.Base(dir) == "bin" && strings.Contains(dir, "venv"), path.Base(dir) == "bin" &&
		strings.Contains(dir, ".tox"):
		return true
	case strings.HasSuffix(dir, "site-packages"):
		return strings.HasSuffix(name, ".pth") || name == "sitecustomize.py" || name == "usercustomize.py"
	}
	return false
}

// pathLookupNames are names that scripts and the first lines of programs call without a path.
var pathLookupNames = []string{
	"node", "npm", "npx", "yarn", "pnpm", "bun", "deno", "env", "make", "git", "python", "python3", "go", "cargo", "test",
	"true", "false",
	"cat", "grep", "diff", "cmp", "sed", "awk", "curl", "ls", "rm", "cp", "mv", "mkdir", "find", "xargs", "head", "tail",
	"wc", "sort", "cross-env",
}

func (f *Scanner) isDir(p string) bool {
	info, err := f.root.Stat(p)
	return err == nil && info.IsDir()
}

// FindInstallDirs are the folders of dir in which what a check runs is installed by now.
func FindInstallDirs(dir string, without ignore.Globs, k goal.Check) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // the check says so itself
	}
	defer func() { _ = root.Close() }()
	f := &Scanner{
		root:    root,
		dir:     dir,
		without: without,
		found:   map[string]*Protected{},
		look:    func() ([]workspace.Entry, error) { return nil, nil },
	}
	f.scanLine(k.Command, shellline.Location{Dir: path.Clean(k.Dir), Root: dir}, 0)
	var list []string
	for _, p := range f.found {
		if p.Part == InstalledPart {
			list = append(list, p.Path)
		}
	}
	slices.Sort(list)
	return list
}
