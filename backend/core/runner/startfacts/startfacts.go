// Package startfacts reads what an agent knows of its folder and machine before its first turn, so that it need not
// spend calls on it. It starts no program.
package startfacts

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Facts are what is known at the start of a session.
type Facts struct {
	At           time.Time
	Git          string   // the state of the folder's repository in words, "" if unknown
	Programs     []string // that were found
	Entries      []string // of the folder, sorted; folders end with a slash
	More         int      // entries that are not listed
	Instructions []Instructions
	Skills       []Skill
	Memory       []string // what earlier goals and the user noted about the folder, newest first
}

// Skill is what an agent knows of a skill before it loads it.
type Skill struct{ Name, Description string }

// maxEntries limits the listing of the folder.
const maxEntries = 40

// Read reads the facts of a folder without its repository. hidden are paths that the agent must not know. path is the
// PATH of the agent's programs.
func Read(dir string, hidden []string, path string, at time.Time) Facts {
	f := Facts{At: at, Programs: findPrograms(path), Instructions: ReadInstructions(dir)}
	isHidden := func(path string) bool { return slices.Contains(hidden, filepath.Join(dir, path)) }
	f.Instructions = slices.DeleteFunc(f.Instructions, func(i Instructions) bool { return isHidden(i.Path) })
	list, err := os.ReadDir(dir)
	if err != nil {
		return f // the first call of the agent says why
	}
	for _, one := range list {
		if isHidden(one.Name()) {
			continue
		}
		name := text.SanitizeLine(one.Name(), 100)
		if one.IsDir() {
			name += "/"
		}
		f.Entries = append(f.Entries, name)
	}
	if f.More = len(f.Entries) - maxEntries; f.More > 0 {
		f.Entries = f.Entries[:maxEntries]
	}
	return f
}

// programs are those whose presence decides how an agent works.
var programs = []string{
	"git", "go", "node", "npm", "pnpm", "yarn", "bun", "deno", "python3", "pip3", "uv", "poetry", "cargo", "java", "mvn",
	"gradle", "ruby", "bundle", "php", "composer", "dotnet", "gcc", "clang", "make", "cmake", "docker", "psql", "sqlite3",
	"jq", "rg",
}

// findPrograms returns the programs that a PATH has. A link that names a version, such as python3.12, shows it.
func findPrograms(path string) []string {
	var found []string
	for _, name := range programs {
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, name)
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
				continue
			}
			if target, err := os.Readlink(file); err == nil && strings.HasPrefix(filepath.Base(target), name+".") {
				name = filepath.Base(target)
			}
			found = append(found, name)
			break
		}
	}
	return found
}

// Instructions is a file in which a project tells agents how to work in it.
type Instructions struct {
	Path  string // relative to the folder
	Bytes int64  // of the whole file
	Text  string // cut to MaxInstructions of all files
}

// MaxInstructions limits the text of all instructions, in bytes.
const MaxInstructions = 16 << 10

// instructionFiles are the names that agents agreed on.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md", ".cursorrules"}

// ReadInstructions reads the instructions of a folder. It leaves out links, and files with the same content as an
// earlier one.
func ReadInstructions(dir string) []Instructions {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read
	var list []Instructions
	var known []string
	left := MaxInstructions
	for _, path := range instructionFiles {
		one, ok := readInstructions(root, path)
		if !ok || slices.Contains(known, one.Text) {
			continue
		}
		known = append(known, one.Text)
		one.Text = text.TruncateBytes(one.Text, max(0, left))
		left -= len(one.Text)
		list = append(list, one)
	}
	return list
}

func readInstructions(root *os.Root, path string) (Instructions, bool) {
	file, info, err := fileio.Open(root, filepath.FromSlash(path))
	if err != nil {
		return Instructions{}, false
	}
	defer func() { _ = file.Close() }() // only read
	content, err := io.ReadAll(io.LimitReader(file, MaxInstructions+1))
	words := strings.TrimSpace(text.Sanitize(text.ToUTF8(string(content))))
	if err != nil || words == "" || bytes.IndexByte(content, 0) >= 0 {
		return Instructions{}, false
	}
	return Instructions{Path: path, Bytes: info.Size(), Text: words}, true
}
