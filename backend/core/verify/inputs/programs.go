package inputs

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// kind says how a program uses the files that it reads.
type kind string

const (
	kindShell       kind = "shell"
	kindMake        kind = "make"
	kindInterpreter kind = "interpreter"
	kindOther       kind = ""
)

var (
	shellNames = []string{"sh", "bash", "dash", "ash", "ksh", "zsh", "fish", "busybox"}
	makeNames  = []string{"make", "gmake", "bmake", "just", "ninja", "task", "rake"}
	// launchers start other programs and pass on their exit codes.
	launchers = []string{
		"env", "xargs", "find", "time", "timeout", "nice", "nohup", "flock", "setsid", "stdbuf", "npm",
		"npx", "git",
	}

	versionSuffix = text.NewPattern(`[-0-9.]*$`)
	targetPrefix  = text.NewPattern(`^\w+-linux-(gnu|musl)\w*-`)
)

// valueFlags are flags of an interpreter that take the next word; true marks those whose value is the program to run.
var valueFlags = map[string]map[string]bool{
	"python": {"-W": false, "-X": false, "--check-hash-based-pycs": false},
	"node": {
		"-r": false, "--require": false, "--import": false, "--loader": false, "--experimental-loader": false,
		"--env-file": false, "-C": false, "--conditions": false, "--test-reporter": false,
		"--test-reporter-destination": false, "--test-name-pattern": false,
	},
	"deno":    {"-c": false, "--config": false},
	"bun":     {"-r": false, "--preload": false},
	"ruby":    {"-r": false, "-I": false, "-C": false, "-E": false},
	"perl":    {"-I": false},
	"php":     {"-c": false, "-d": false, "-f": true},
	"lua":     {"-l": false},
	"tsx":     {"-r": false, "--require": false, "--import": false, "--tsconfig": false},
	"ts-node": {"-r": false, "--require": false, "-P": false, "--project": false},
	"Rscript": {"-f": true},
	"awk":     {"-f": true, "--file": true, "-v": false, "-F": false},
	"sed":     {"-f": true, "--file": true, "-e": false},
	"jq":      {"-f": true, "--from-file": true, "-L": false, "--indent": false},
	"sqlite3": {"-init": true, "-cmd": false},
	"java":    {"-cp": false, "-classpath": false, "--class-path": false, "-jar": true},
}

// inlineFlags pass a program to an interpreter as text.
var inlineFlags = map[string][]string{
	"python": {"-c"}, "node": {"-e", "--eval", "-p", "--print"}, "ruby": {"-e"}, "perl": {"-e", "-E"},
	"php": {"-r"}, "lua": {"-e"}, "Rscript": {"-e"}, "bun": {"-e"}, "deno": {"eval"},
}

// dataArguments are interpreters whose arguments are data, not a program.
var dataArguments = []string{"awk", "sed", "jq", "sqlite3", "java"}

// program is a traced program with what its command line means.
type program struct {
	process.TracedProgram
	name      string // without its version: python
	kind      kind
	runners   []string // the test runners that it is, by the names of runnerTable
	mains     []string // absolute paths, perhaps without an ending, of what it was started with
	modules   []string // python -m: paths relative to a folder of modules, without an ending
	fromInput bool

	readsRepository bool // it is git and read the repository of the goal's folder
}

// baseName returns the name of a program without its version: python for /usr/bin/python3.11.
func baseName(file string) string {
	base := targetPrefix.ReplaceAllString(path.Base(file), "")
	if slices.Contains([]string{"sqlite3", "Rscript"}, base) || checksumName.MatchString(base) {
		return base
	}
	switch name := versionSuffix.ReplaceAllString(base, ""); name {
	case "nodejs":
		return "node"
	case "pypy", "pypy3":
		return "python"
	case "gawk", "mawk", "nawk":
		return "awk"
	case "":
		return base
	default:
		return name
	}
}

// readProgram classifies a traced program and finds what it was started with.
func readProgram(t process.TracedProgram) program {
	p := program{TracedProgram: t, name: baseName(t.Path)}
	switch {
	case slices.Contains(shellNames, p.name):
		p.kind = kindShell
	case slices.Contains(makeNames, p.name):
		p.kind = kindMake
	case valueFlags[p.name] != nil && !p.looksAtSyntax():
		p.kind = kindInterpreter
	}
	if p.kind == kindShell || p.kind == kindInterpreter {
		p.readArguments()
	}
	p.runners = runnersOf(p)
	return p
}

// readArguments finds the script or module that a shell or an interpreter was started with.
func (p *program) readArguments() {
	if len(p.Args) == 0 {
		return
	}
	// The first line of an executed script names the interpreter.
	if base := baseName(p.Args[0]); base != p.name && !slices.Contains(shellNames, base) && valueFlags[base] == nil {
		p.mains = append(p.mains, p.absolute(p.Args[0]))
		return
	}
	words := p.Args[1:]
	positional := ""
	for i := 0; i < len(words); i++ {
		w := words[i]
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if w == "-" || w == "-s" && p.kind == kindShell {
			p.fromInput = true
			return
		}
		if p.name == "java" && strings.HasPrefix(w, "@") { // more arguments
			p.mains = append(p.mains, p.absolute(w[1:]))
			continue
		}
		if !strings.HasPrefix(w, "-") && (!strings.HasPrefix(w, "+") || p.kind != kindShell) {
			positional = w
			break
		}
		if w == "--" {
			positional = next
			break
		}
		if p.kind == kindShell {
			if w == "-o" || w == "+o" || w == "--rcfile" || w == "--init-file" {
				i++
			} else if !strings.HasPrefix(w, "--") && strings.Contains(w, "c") {
				return // the program is an argument
			}
			continue
		}
		if p.name == "python" && strings.HasPrefix(w, "-") && strings.HasSuffix(w, "m") && !strings.HasPrefix(w, "--") {
			p.modules = append(p.modules, strings.ReplaceAll(next, ".", "/"))
			return
		}
		if slices.Contains(inlineFlags[p.name], w) || p.name == "perl" && regexp.MustCompile(`^-\w*[eE]$`).MatchString(w) {
			return
		}
		flag, value, hasValue := strings.Cut(w, "=")
		loads, isKnown := valueFlags[p.name][flag]
		if !isKnown {
			continue
		}
		if !hasValue {
			value = next
			i++
		}
		if loads && value != "" {
			p.mains = append(p.mains, p.absolute(value))
		}
	}
	switch {
	case slices.Contains(dataArguments, p.name):
	case positional != "":
		p.mains = append(p.mains, p.absolute(positional))
	case p.name == "node" && slices.Contains(words, "--test"):
	case len(p.mains) == 0 && !slices.ContainsFunc(words, isInfoFlag):
		p.fromInput = true
	}
}

// isInfoFlag reports whether a flag only asks for a program's version or help.
func isInfoFlag(word string) bool {
	return slices.Contains([]string{"--version", "--help", "-V", "-h", "-v"}, word)
}

func (p *program) absolute(word string) string {
	if path.IsAbs(word) {
		return path.Clean(word)
	}
	return path.Join(p.Dir, word)
}

// mainArgs returns the command line from the name of the script that an interpreter runs: npm start.
func (p *program) mainArgs() []string {
	for i, word := range p.Args {
		if i > 0 && slices.Contains(p.mains, p.absolute(word)) {
			return p.Args[i:]
		}
	}
	return nil
}

// hasMain reports whether the program was started with a file, or with the file's module.
func (p *program) hasMain(file string) bool {
	stem := strings.TrimSuffix(file, path.Ext(file))
	return p.isStartedWith(file) || isCode(file) && slices.ContainsFunc(p.modules, func(m string) bool {
		return strings.HasSuffix(stem, "/"+m) || path.Base(stem) == "__main__" && strings.HasSuffix(path.Dir(file), "/"+m)
	})
}

// isStartedWith reports whether the program's command line names a file: by its name, by its name without an
// extension, or by its folder's name.
func (p *program) isStartedWith(file string) bool {
	return namesFile(p.mains, file)
}

// namesFile reports whether one of the words of a command line names a file.
func namesFile(words []string, file string) bool {
	stem := strings.TrimSuffix(file, path.Ext(file))
	inFolder := slices.Contains([]string{"__main__", "index", "__init__", "package"}, path.Base(stem))
	return slices.ContainsFunc(words, func(w string) bool {
		return file == w || stem == w || inFolder && path.Dir(file) == w
	})
}

// command returns the command line for users.
func (p *program) command() string {
	const maxCommand = 120
	words := p.Args
	if len(words) == 0 {
		words = []string{p.Path}
	}
	return text.SanitizeLine(strings.Join(words, " "), maxCommand)
}

// isJudge reports whether a program runs a file whose name says that it judges, and is no test runner.
func (p *program) isJudge() bool {
	return len(p.summaries()) == 0 && slices.ContainsFunc(p.mains, func(m string) bool {
		return judgeName.MatchString(path.Base(m))
	})
}

// isLauncher reports whether a program ends with the exit code of the program that it starts: shells, make, env
// and the like.
func (p *program) isLauncher() bool {
	return p.kind == kindShell || p.kind == kindMake || slices.Contains(launchers, p.name) ||
		slices.Contains(p.runners, "npm")
}
