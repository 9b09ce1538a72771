package suggest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

const (
	maxFileBytes = 256 << 10 // of a file that is read
	maxEntries   = 4000      // files and folders that are read
	maxDepth     = 5
)

// Folder is a folder from which proposals are made. It is read through an os.Root, so that no link leads out of it.
type Folder struct {
	root    *os.Root
	entries []string // files, relative, in the order of the walk
}

// OpenFolder lists the files of a folder, up to a limit. The caller closes the Folder.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	f := &Folder{root: root}
	entries := 0
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a folder that cannot be read has nothing to propose
		}
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		switch {
		case d.IsDir() && p != "." && (d.Name() == ".git" || ignore.IsGenerated(d.Name()) ||
			strings.Count(p, "/") >= maxDepth):
			return fs.SkipDir
		case d.Type().IsRegular():
			f.entries = append(f.entries, p)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listing the folder: %w", err), root.Close())
	}
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() } //nolint:wrapcheck // nothing to add

// FS returns the folder as a file system.
func (f *Folder) FS() fs.FS { return f.root.FS() }

// Names returns the names of at most limit files, for a model. Names with hidden text are left out.
func (f *Folder) Names(limit int) []string {
	var names []string
	for _, name := range f.entries {
		if len(names) < limit && len(name) <= 200 && !hasHiddenText(name) {
			names = append(names, name)
		}
	}
	return names
}

// hasFile reports whether there is a file with a path, relative to the folder.
func (f *Folder) hasFile(name string) bool { return slices.Contains(f.entries, name) }

// hasFileLike reports whether the base name of any file matches a pattern of path.Match.
func (f *Folder) hasFileLike(pattern string) bool {
	return slices.ContainsFunc(f.entries, func(p string) bool {
		ok, err := path.Match(pattern, path.Base(p))
		return err == nil && ok
	})
}

// readFile returns the beginning of a file, "" if it cannot be read.
func (f *Folder) readFile(name string) string {
	if !f.hasFile(name) { // not a pipe or a device
		return ""
	}
	file, err := f.root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	if err != nil {
		return ""
	}
	return string(b)
}

// Proposals returns checks with the test commands of the folder: those of its scripts, its Makefile, its languages and
// its CI.
func (f *Folder) Proposals() []Proposal {
	list := Merge(f.packageScripts(), f.makeTargets(), f.languageCommands(), f.ciCommands())
	return list[:min(len(list), maxProposals)]
}

func folderProposal(command, reason string) Proposal {
	return Proposal{Check: shellCommand(command), Reason: reason, From: FromFolder}
}

// testNames are the names of scripts and targets that test, build or lint, the best first.
var testNames = []string{
	"test", "check", "verify", "ci", "test:unit", "test:e2e", "e2e", "lint", "typecheck", "type-check", "build",
}

// packageScripts proposes scripts of package.json, run with the package manager that made the lock file.
func (f *Folder) packageScripts() (list []Proposal) {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(f.readFile("package.json")), &manifest) != nil {
		return nil
	}
	manager := "npm"
	for _, m := range []struct{ lock, name string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
	} {
		if f.hasFile(m.lock) {
			manager = m.name
			break
		}
	}
	for _, name := range testNames {
		script, ok := manifest.Scripts[name]
		if !ok || strings.Contains(script, "no test specified") {
			continue
		}
		command := manager + " run " + name
		if name == "test" && manager != "bun" { // "bun test" would start bun's own test runner
			command = manager + " test"
		}
		list = append(list, folderProposal(command, fmt.Sprintf("package.json has the script %q.", name)))
	}
	return list
}

var makeTarget = text.NewPattern(`(?m)^([A-Za-z0-9_.-]+)[ \t]*:(?:[^=]|$)`)

// makeTargets proposes targets of the Makefile.
func (f *Folder) makeTargets() (list []Proposal) {
	for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
		var targets []string
		for _, m := range makeTarget.FindAllStringSubmatch(f.readFile(file), -1) {
			targets = append(targets, m[1])
		}
		for _, name := range testNames {
			if slices.Contains(targets, name) {
				list = append(list, folderProposal("make "+name, fmt.Sprintf("%s has the target %q.", file, name)))
			}
		}
		if len(targets) > 0 {
			break // make reads only the first one
		}
	}
	return list
}

// languageCommands proposes the usual test command of each language in the folder.
func (f *Folder) languageCommands() (list []Proposal) {
	add := func(command, reason string) { list = append(list, folderProposal(command, reason)) }
	if f.hasFile("go.mod") {
		if f.hasFileLike("*_test.go") {
			add("go test ./...", "go.mod: a Go module with tests.")
		} else {
			add("go build ./...", "go.mod: a Go module without tests.")
		}
	}
	if f.hasFile("Cargo.toml") {
		add("cargo test", "Cargo.toml: a Rust package.")
	}
	f.addPython(add)
	for _, l := range []struct{ file, command, what string }{
		{"deno.json", "deno test", "a Deno project"},
		{"pom.xml", "mvn -q test", "a Maven project"},
		{"gradlew", "./gradlew test", "a Gradle project"},
		{"mix.exs", "mix test", "an Elixir project"},
		{"phpunit.xml", "vendor/bin/phpunit", "PHP tests"},
		{"Package.swift", "swift test", "a Swift package"},
		{".rspec", "bundle exec rspec", "Ruby tests"},
	} {
		if f.hasFile(l.file) {
			add(l.command, l.file+": "+l.what+".")
		}
	}
	if f.hasFileLike("*.sln") || f.hasFileLike("*.csproj") {
		add("dotnet test", "A .NET project.")
	}
	return list
}

// addPython proposes tox where it is configured, or pytest where there are tests for it.
func (f *Folder) addPython(add func(command, reason string)) {
	if f.hasFile("tox.ini") {
		add("tox", "tox.ini: test environments.")
	}
	runner := "python3 -m pytest"
	if f.hasFile("uv.lock") {
		runner = "uv run pytest"
	}
	switch {
	case f.hasFile("pytest.ini"):
		add(runner, "pytest.ini: pytest tests.")
	case strings.Contains(f.readFile("pyproject.toml"), "[tool.pytest"):
		add(runner, "pyproject.toml configures pytest.")
	case strings.Contains(f.readFile("setup.cfg"), "[tool:pytest]"):
		add(runner, "setup.cfg configures pytest.")
	case f.hasFileLike("test_*.py") || f.hasFileLike("*_test.py"):
		add(runner, "The folder has Python tests.")
	}
}

var ciPrefix = text.NewPattern(`^\s*(?:- )?\s*(?:run:|script:)?\s*(?:- )?["']?`)

// ciCommands proposes lines of CI files that consist of one known command.
func (f *Folder) ciCommands() (list []Proposal) {
	for _, name := range f.entries {
		ext := path.Ext(name)
		if name != ".gitlab-ci.yml" && (path.Dir(name) != ".github/workflows" || ext != ".yml" && ext != ".yaml") {
			continue
		}
		for line := range strings.Lines(f.readFile(name)) {
			line = strings.TrimRight(strings.TrimSpace(ciPrefix.ReplaceAllString(line, "")), `"'`)
			if isKnownCommand(line) {
				list = append(list, folderProposal(line, "CI runs this command ("+name+")."))
			}
		}
	}
	return list
}
