// Package commandline determines what a command line for a shell would run and delete, without running it. The results
// serve explanations and rules that always ask; they are not a security boundary, because a command line can hide
// anything from them.
package commandline

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/lib/shell"

	"mvdan.cc/sh/v3/syntax"
)

// Analyze analyzes a command line for a shell in the folder dir, "" if the folder is unknown.
func Analyze(dir, line string) Analysis {
	s := Analysis{dir: dir}
	s.analyze(line)
	return s
}

// analyze parses a command line.
func (s *Analysis) analyze(line string) {
	s.budget = extraForShort + maxReadings*len(line)
	s.readLine(line, 0)
}

func (s *Analysis) readLine(line string, depth int) {
	if depth > maxNested {
		s.giveUp("it nests too many shells")
	}
	if depth > maxNested || !s.spendBudget(len(line)) {
		return
	}
	if s.isUnconfined && history.MatchString(line) {
		s.markUnparsed("an exclamation mark repeats an earlier command")
	}
	file, err := shell.Parse(line)
	if err != nil {
		s.markUnparsed("it is incomplete, or not a shell command")
		return // the shell reports the error, too
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if s.isUnconfined {
			s.checkWords(n)
		}
		s.readStdin(n, depth)
		if r, ok := n.(*syntax.Redirect); ok && s.isUnconfined {
			s.noteOverwrite(r)
		}
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			s.analyzeCommand(literalWords(call), depth)
		}
		return true
	})
}

// analyzeCommand analyzes one program with its arguments, and the programs that it starts.
func (s *Analysis) analyzeCommand(argv []string, depth int) {
	if s.budget < 0 || !s.spendBudget(wordsLength(argv)) {
		return
	}
	s.commands = append(s.commands, argv)
	name := path.Base(argv[0])
	if s.isUnconfined {
		s.checkCommand(argv)
	}
	switch name {
	case "cd", "pushd":
		s.noteChange(argv[1:])
	case "mv":
		s.noteMove(listOperands(argv[1:]))
	case "find", "gfind", "bfs":
		s.analyzeFind(argv[1:], depth)
	case "git":
		s.analyzeGit(argv[1:], depth)
	case "ssh":
		s.readRemote(argv[1:], depth)
	case "trap":
		s.readLine(strings.Join(argv[1:min(2, len(argv))], ""), depth+1)
	case "alias":
		for _, a := range argv[1:] {
			_, line, _ := strings.Cut(a, "=")
			s.readLine(line, depth+1)
		}
	case "eval":
		s.readLine(strings.Join(argv[1:], " "), depth+1)
	default:
		switch {
		case slices.Contains(deleters, name):
			s.noteOperands(listOperands(argv[1:]))
		case slices.Contains(shells, name):
			if !s.shellOptions(argv[1:], depth) {
				s.markUnparsed(name + " runs something else")
			}
		default:
			s.analyzeLaunched(name, argv[1:], depth)
		}
	}
}

// analyzeFind analyzes find, which deletes files below its folders with -delete or by a program.
func (s *Analysis) analyzeFind(args []string, depth int) {
	below, args := findRoots(args)
	if slices.Contains(args, "-delete") {
		s.noteDelete(below)
	}
	for i, a := range args {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			if s.budget < 0 {
				return
			}
			if argv := s.substituteFound(findExecCommand(args[i+1:]), below); len(argv) > 0 {
				s.analyzeStarted(argv, depth)
			}
		}
	}
}

// analyzeGit analyzes the commands that git runs: an alias on the command line, or a command for each commit or
// submodule.
func (s *Analysis) analyzeGit(args []string, depth int) {
	for i, a := range args {
		if s.budget < 0 {
			return
		}
		rest := args[i+1:]
		name, value, _ := strings.Cut(a, "=")
		switch {
		case i > 0 && args[i-1] == "-c" && strings.HasPrefix(name, "alias."):
			if line, ok := strings.CutPrefix(value, "!"); ok {
				s.readLine(line, depth+1)
			} else {
				s.readLine("git "+value, depth+1)
			}
		case name == "--exec" && value != "":
			s.readLine(value, depth+1)
		case (a == "--exec" || a == "-x" || strings.HasSuffix(a, "-filter")) && len(rest) > 0:
			s.readLine(rest[0], depth+1)
		case a == "foreach", a == "run" && i > 0 && args[i-1] == "bisect":
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
				rest = rest[1:]
			}
			s.readLine(strings.Join(rest, " "), depth+1)
		}
	}
}

// readRemote analyzes a command that runs on another machine, where all files are outside of the goal's folder.
func (s *Analysis) readRemote(args []string, depth int) {
	for i, host := range args {
		if s.budget < 0 {
			return
		}
		if strings.HasPrefix(host, "-") {
			continue
		}
		there := Analysis{dir: "/", isUnconfined: s.isUnconfined, budget: s.budget}
		there.readLine(strings.Join(args[i+1:], " "), depth+1)
		if s.budget = there.budget; there.giveUpReason != "" {
			s.giveUp(there.giveUpReason)
		}
		s.commands = append(s.commands, there.commands...)
		for _, f := range there.deletes {
			s.deletes = append(s.deletes, "/"+host+":"+f)
		}
		if i == 0 || !strings.HasPrefix(args[i-1], "-") { // after an option, it may be the option's value
			break
		}
	}
}

// readStdin analyzes the input of a shell: a here-document, a here-string, or output piped to it.
func (s *Analysis) readStdin(n syntax.Node, depth int) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if words := simpleArgv(n.X); n.Op == syntax.Pipe && len(words) > 0 && isShell(n.Y) {
			s.readLine(strings.Join(listOperands(words[1:]), " "), depth+1)
		}
	case *syntax.Stmt:
		if !isShell(n) {
			return
		}
		for _, r := range n.Redirs {
			switch {
			case r.Hdoc != nil:
				s.readLine(literalWord(r.Hdoc), depth+1)
			case r.Op == syntax.WordHdoc && r.Word != nil:
				s.readLine(literalWord(r.Word), depth+1)
			}
		}
	}
}

// analyzeLaunched analyzes the program that another program starts, if any.
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
		s.readLine(line[strings.IndexAny(line, " =")+1:], depth+1)
	}
	for _, rest := range skipLauncherOptions(args) {
		s.analyzeLauncherArgs(name, rest, depth)
		if slices.Contains(launchersWithOperand, name) && s.budget >= 0 {
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

// afterDoubleDash analyzes the arguments after two dashes as a command that any program may run.
func (s *Analysis) afterDoubleDash(args []string, depth int) {
	i := slices.Index(args, "--")
	runs := func(a string) bool { return a == "run" || a == "exec" }
	if i >= 0 && i+1 < len(args) && slices.ContainsFunc(args[:i], runs) {
		s.analyzeStarted(args[i+1:], depth)
	}
}

// analyzeLauncherArgs analyzes a launcher's arguments as a program with its arguments, or as a line for a shell.
func (s *Analysis) analyzeLauncherArgs(name string, argv []string, depth int) {
	if s.budget < 0 {
		return
	}
	s.analyzeStarted(argv, depth)
	if name == "watch" || name == "parallel" || strings.ContainsAny(argv[0], " \t\n;") {
		s.readLine(strings.Join(argv, " "), depth+1)
	}
	if (name == "xargs" || name == "parallel") && slices.Contains(deleters, path.Base(argv[0])) {
		s.noteOperands(nil)
	}
}

// shellOptions analyzes the command lines in options such as -c, and reports whether there are any. Options with values
// may come between -c and the line, so every word is parsed up to one that can be neither.
func (s *Analysis) shellOptions(args []string, depth int) (found bool) {
	for i, a := range args {
		line, takes := parseShellOption(a)
		if !takes {
			continue
		}
		found = true
		if s.readLine(line, depth+1); strings.HasPrefix(a, "--") && line != "" {
			continue
		}
		for _, line := range args[i+1:] {
			s.readLine(line, depth+1)
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
		s.giveUp("it nests too many programs")
		return
	}
	s.analyzeCommand(argv, depth+1)
}
