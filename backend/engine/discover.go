package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Installed is an agent on this machine, or what is missing.
type Installed struct {
	Profile Profile
	Command string // what was found, "" if nothing was
	Program string // what is started: absolute, without links
	Version string // "" if it is not known
}

// IsTested reports whether this version was tested with Goalpost.
func (i Installed) IsTested() bool { return slices.Contains(i.Profile.Tested, i.Version) }

// ReadFolders are the folders that the program needs to read.
func (i Installed) ReadFolders() []string { return []string{filepath.Dir(i.Program)} }

// Find looks for an agent: on the PATH, in the usual folders, and in npm's global folders. Nothing is started.
func Find(p Profile, path, home string) Installed {
	found := Installed{Profile: p}
	dirs := filepath.SplitList(path)
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".local/bin"), filepath.Join(home, ".opencode/bin"),
			filepath.Join(home, ".npm-global/bin"), filepath.Join(home, ".bun/bin"), filepath.Join(home, ".volta/bin"))
	}
	dirs = append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
	for _, dir := range dirs {
		if dir == "" || !filepath.IsAbs(dir) { // not in the current folder
			continue
		}
		command := filepath.Join(dir, p.Command)
		info, err := os.Stat(command)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(command)
		if err != nil {
			continue
		}
		found.Command, found.Program = command, real
		if native := p.Native(real); native != "" {
			found.Program = native
		}
		found.Version = packageVersion(real)
		return found
	}
	return found
}

// packageVersion is the version of the npm package that a file belongs to, "" if it belongs to none.
func packageVersion(file string) string {
	for dir := filepath.Dir(file); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var p struct {
			Version string `json:"version"`
		}
		if json.Unmarshal(b, &p) == nil {
			return p.Version
		}
	}
	return ""
}

// opencodeProgram finds the binary that the command of OpenCode's npm package starts: the command itself is a script,
// or a copy that needs twice the disk. "" if it is not from npm.
func opencodeProgram(command string) string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	name := "opencode-" + runtime.GOOS + "-" + arch
	for dir := filepath.Dir(command); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		for _, modules := range []string{dir, filepath.Join(dir, "node_modules")} {
			program := filepath.Join(modules, name, "bin", "opencode")
			if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
				return program
			}
		}
	}
	return ""
}
