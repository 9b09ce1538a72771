// Package commandline finds out what a command line for a shell would run and delete, without running it. Its answers
// serve explanations and rules that always ask: a command line can hide anything from it.
package commandline

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/shell"

	"mvdan.cc/sh/v3/syntax"
)

// Analyze analyzes a command line for a shell in a folder; "" is an unknown one.
func Analyze(dir, line string) Analysis {
	s := Analysis{dir: dir}
	s.analyze(line)
	return s
}

// analyze parses a command line.
func (s *Analysis) analyze(line string) {
	s.left = extraForShort + maxReadings*len(line)
	s.read(line, 0)
}

func (s *Analysis) read(line string, depth int) {
	if depth > maxNested {
		s.giveUp("shells run shells that run shells")
	}
	if depth > maxNested || !s.withinBudget(len(line)) {
		return
	}
	if s.loose && history.MatchString(line) {
		s.markUnparsed("an exclamation mark repeats an earlier command")
	}
	file, err := shell.Parse(line)
	if err != nil {
		s.markUnparsed("it is incomplete, or not a shell command")
		return // the shell reports it, too
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if s.loose {
			s.checkWords(n)
		}
		s.readStdin(n, depth)
		if r, ok := n.(*syntax.Redirect); ok && s.loose {
			s.noteOverwrite(r)
		}
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			s.analyzeCommand(literalWords(call), depth)
		}
		return true
	})
}

// analyzeCommand analyzes one program with its arguments, and what it starts in turn.
func (s *Analysis) analyzeCommand(argv []string, depth int) {
	if s.left < 0 || !s.withinBudget(wordsLength(argv)) {
		return
	}
	s.commands = append(s.commands, argv)
	name := path.Base(argv[0])
	if s.loose {
		s.checkCommand(argv)
	}
	switch name {
	case "cd", "pushd":
		s.noteChange(argv[1:])
	case "mv":
		s.recordMove(listOperands(argv[1:]))
	case "find", "gfind", "bfs":
		s.analyzeFind(argv[1:], depth)
	case "git":
		s.analyzeGit(argv[1:], depth)
	case "ssh":
		s.readRemote(argv[1:], depth)
	case "trap":
		s.read(strings.Join(argv[1:min(2, len(argv))], ""), depth+1)
	case "alias":
		for _, a := range argv[1:] {
			_, line, _ := strings.Cut(a, "=")
			s.read(line, depth+1)
		}
	case "eval":
		s.read(strings.Join(argv[1:], " "), depth+1)
	default:
		switch {
		case slices.Contains(deleters, name):
			s.remove(listOperands(argv[1:]))
		case slices.Contains(shells, name):
			if !s.shellOptions(argv[1:], depth) {
				s.markUnparsed(name + " runs something else")
			}
		default:
			s.analyzeLaunched(name, argv[1:], depth)
		}
	}
}

// analyzeFind analyzes find: it deletes below its folders with -delete, or by a program.
func (s *Analysis) analyzeFind(args []string, depth int) {
	below, args := findRoots(args)
	if slices.Contains(args, "-delete") {
		s.noteDelete(below)
	}
	for i, a := range args {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			if s.left < 0 {
				return
			}
			if argv := s.substituteFound(findExecCommand(args[i+1:]), below); len(argv) > 0 {
				s.analyzeStarted(argv, depth)
			}
		}
	}
}

// analyzeGit analyzes commands that git runs: an alias on the command line, a command for each commit or submodule.
func (s *Analysis) analyzeGit(args []string, depth int) {
	for i, a := range args {
		if s.left < 0 {
			return
		}
		rest := args[i+1:]
		name, value, _ := strings.Cut(a, "=")
		switch {
		case i > 0 && args[i-1] == "-c" && strings.HasPrefix(name, "alias."):
			if line, ok := strings.CutPrefix(value, "!"); ok {
				s.read(line, depth+1)
			} else {
				s.read("git "+value, depth+1)
			}
		case name == "--exec" && value != "":
			s.read(value, depth+1)
		case (a == "--exec" || a == "-x" || strings.HasSuffix(a, "-filter")) && len(rest) > 0:
			s.read(rest[0], depth+1)
		case a == "foreach", a == "run" && i > 0 && args[i-1] == "bisect":
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
				rest = rest[1:]
			}
			s.read(strings.Join(rest, " "), depth+1)
		}
	}
}

// readRemote analyzes a command that runs on another machine. Files that it deletes there are outside of every goal's
// folder.
func (s *Analysis) readRemote(args []string, depth int) {
	for i, host := range args {
		if s.left < 0 {
			return
		}
		if strings.HasPrefix(host, "-") {
			continue
		}
		there := Analysis{dir: "/", loose: s.loose, left: s.left}
		there.read(strings.Join(args[i+1:], " "), depth+1)
		if s.left = there.left; there.lost != "" {
			s.giveUp(there.lost)
		}
		s.commands = append(s.commands, there.commands...)
		for _, f := range there.deletes {
			s.deletes = append(s.deletes, "/"+host+":"+f)
		}
		if i == 0 || !strings.HasPrefix(args[i-1], "-") { // otherwise it may be the value of an option
			break
		}
	}
}

// readStdin analyzes what a shell gets as input: a here-document, a here-string, or the output piped to it.
func (s *Analysis) readStdin(n syntax.Node, depth int) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if words := simpleArgv(n.X); n.Op == syntax.Pipe && len(words) > 0 && isShell(n.Y) {
			s.read(strings.Join(listOperands(words[1:]), " "), depth+1)
		}
	case *syntax.Stmt:
		if !isShell(n) {
			return
		}
		for _, r := range n.Redirs {
			switch {
			case r.Hdoc != nil:
				s.read(literalWord(r.Hdoc), depth+1)
			case r.Op == syntax.WordHdoc && r.Word != nil:
				s.read(literalWord(r.Word), depth+1)
			}
		}
	}
}

// analyzeLaunched analyzes the program that another one starts, if it does.
func (s *Analysis) analyzeLaunched(name string, args []string, depth int) {
	by := launcherSubcommands[name]
	switch {
	case strings.HasPrefix(name, "python"):
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			s.analyzeStarted(args[i+1:], depth)
		}
		return
	case by == nil && !slices.Contains(launcherPrograms, name):
		s.afterDoubleDash(args, depth)
		return
	case by != nil:
		i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(by, a) })
		if i < 0 || i > maxLeadingWords {
			return
		}
		args = args[i+1:]
	}
	if i := slices.IndexFunc(args, func(a string) bool {
		return a == "-S" || strings.HasPrefix(a, "--split-string")
	}); name == "env" && i >= 0 {
		line := strings.Join(args[i:], " ")
		s.read(line[strings.IndexAny(line, " =")+1:], depth+1)
	}
	for _, rest := range skipLauncherOptions(args) {
		s.analyzeLauncherArgs(name, rest, depth)
		if slices.Contains(launchersWithOperand, name) && s.left >= 0 {
			for _, after := range skipLauncherOptions(rest[1:]) {
				s.analyzeLauncherArgs(name, after, depth)
			}
		}
	}
	if slices.Contains(launchersTakingShell, name) {
		s.shellOptions(args, depth)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		s.markUnparsed(name + " runs something else")
	}
}

// afterDoubleDash analyzes what a program of any kind may run after two dashes.
func (s *Analysis) afterDoubleDash(args []string, depth int) {
	i := slices.Index(args, "--")
	runs := func(a string) bool { return a == "run" || a == "exec" }
	if i >= 0 && i+1 < len(args) && slices.ContainsFunc(args[:i], runs) {
		s.analyzeStarted(args[i+1:], depth)
	}
}

// analyzeLauncherArgs analyzes a launcher's arguments as a program with its arguments. Some launchers pass them to a
// shell.
func (s *Analysis) analyzeLauncherArgs(name string, argv []string, depth int) {
	if s.left < 0 {
		return
	}
	s.analyzeStarted(argv, depth)
	if name == "watch" || name == "parallel" || strings.ContainsAny(argv[0], " \t\n;") {
		s.read(strings.Join(argv, " "), depth+1)
	}
	if (name == "xargs" || name == "parallel") && slices.Contains(deleters, path.Base(argv[0])) {
		s.remove(nil)
	}
}

// shellOptions analyzes the command lines that options pass to a shell, and reports whether one does. Options with
// values may come between -c and the line: every word is parsed up to one that can be neither.
func (s *Analysis) shellOptions(args []string, depth int) (found bool) {
	for i, a := range args {
		line, takes := parseShellOption(a)
		if !takes {
			continue
		}
		found = true
		if s.read(line, depth+1); strings.HasPrefix(a, "--") && line != "" {
			continue
		}
		for _, line := range args[i+1:] {
			s.read(line, depth+1)
			if strings.ContainsAny(line, " \n\t;") {
				break
			}
		}
		break
	}
	return found
}

// analyzeStarted analyzes a program that a command starts.
func (s *Analysis) analyzeStarted(argv []string, depth int) {
	if depth > maxNested {
		s.giveUp("programs start programs that start programs")
		return
	}
	s.analyzeCommand(argv, depth+1)
}
