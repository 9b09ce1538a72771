package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Installation is the result of a search for an agent: its program, or what is missing.
type Installation struct {
	Profile Profile
	Command string // the command that was found, "" if none
	Program string // the program to start: absolute, without links; "" if something is missing
	Script  string // the script that Program runs, "" if Program is the agent itself
	Version string // "" if unknown
}

// IsTested reports whether this version was tested with Goalpost.
func (i Installation) IsTested() bool { return slices.Contains(i.Profile.Tested, i.Version) }

// Missing returns what must be installed before the agent can run, "" if nothing is missing.
func (i Installation) Missing() string {
	switch {
	case i.Program != "":
		return ""
	case i.Command != "":
		return fmt.Sprintf("%s needs Node.js %d or newer on the PATH", i.Profile.Name, i.Profile.Node)
	}
	return fmt.Sprintf("%s is not installed: install it with %q", i.Profile.Name, i.Profile.Install)
}

// Argv returns the command line that starts the agent.
func (i Installation) Argv() []string {
	argv := []string{i.Program}
	if i.Script != "" {
		argv = append(argv, i.Script)
	}
	return append(argv, i.Profile.Args...)
}

// ReadFolders returns the folders that the program needs to read.
func (i Installation) ReadFolders() []string {
	list := []string{filepath.Dir(i.Program)}
	if i.Script != "" {
		list = append(list, modulesFolder(i.Script))
	}
	return list
}

// modulesFolder returns the outermost node_modules folder of a script, which has its dependencies, or the script's own
// folder if there is none.
func modulesFolder(script string) string {
	found := filepath.Dir(script)
	for dir := found; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "node_modules" {
			found = dir
		}
	}
	return found
}

// Find looks for an agent on the PATH, in the usual folders, and in npm's global folders. It starts no program.
func Find(p Profile, path, home string) Installation {
	found := Installation{Profile: p}
	dirs := searchFolders(path, home)
	command, file := findProgram(p.Command, dirs)
	if command == "" {
		return found
	}
	found.Command, found.Version = command, packageVersion(file)
	if p.Node > 0 {
		// the Node.js that the command was installed with is beside it
		found.Script, found.Program = file, findNode(p.Node, append([]string{filepath.Dir(command)}, dirs...))
		return found
	}
	found.Program = file
	if p.Native != nil {
		found.Program = cmp.Or(p.Native(file), file)
	}
	return found
}

// searchFolders returns the folders in which programs are searched, in order.
func searchFolders(path, home string) []string {
	dirs := filepath.SplitList(path)
	if home != "" {
		for _, dir := range []string{".local/bin", ".opencode/bin", ".npm-global/bin", ".bun/bin", ".volta/bin"} {
			dirs = append(dirs, filepath.Join(home, dir))
		}
		versions, err := filepath.Glob(filepath.Join(home, ".nvm/versions/node/*/bin"))
		if err == nil {
			dirs = append(dirs, versions...)
		}
	}
	dirs = append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) }) // not the current folder
}

// findProgram returns the first program with a name, and the file that it links to.
func findProgram(name string, dirs []string) (command, file string) {
	for _, dir := range dirs {
		command = filepath.Join(dir, name)
		info, err := os.Stat(command)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if file, err = filepath.EvalSymlinks(command); err == nil {
			return command, file
		}
	}
	return "", ""
}

// findNode returns the first Node.js that is new enough, or else one of unknown version, or "".
func findNode(oldest int, dirs []string) string {
	unknown := ""
	for _, dir := range dirs {
		_, file := findProgram("node", []string{dir})
		if file == "" {
			continue
		}
		switch major := nodeMajor(file); {
		case major >= oldest:
			return file
		case major == 0 && unknown == "":
			unknown = file
		}
	}
	return unknown
}

// nodeMajor reads the major version of an installed Node.js from its headers or its npm package. It returns 0 if it is
// unknown.
func nodeMajor(file string) int {
	root := filepath.Dir(filepath.Dir(file))
	version := packageVersion(file)
	if b, err := os.ReadFile(filepath.Join(root, "include/node/node_version.h")); err == nil {
		_, rest, _ := strings.Cut(string(b), "#define NODE_MAJOR_VERSION ")
		version, _, _ = strings.Cut(rest, "\n")
	}
	text, _, _ := strings.Cut(strings.TrimSpace(version), ".")
	major, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return major
}

// packageVersion returns the version of the npm package that a file belongs to, "" if there is none.
func packageVersion(file string) string {
	for dir := filepath.Dir(file); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var p struct {
			Version string `json:"version"`
		}
		if json.Unmarshal(b, &p) == nil && p.Version != "" {
			return p.Version
		}
	}
	return ""
}
