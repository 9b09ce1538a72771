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
func (an *Analysis) analyze(line string) {
	an.budget = extraForShort + maxReadings*len(line)
	an.readLine(line, 0)
}

func (an *Analysis) readLine(line string, depth int) {
	if depth > maxNested {
		an.giveUp("it nests too many shells")
	}
	if depth > maxNested || !an.spendBudget(len(line)) {
		return
	}
	if an.isUnconfined && history.MatchString(line) {
		an.markUnparsed("an exclamation mark repeats an earlier command")
	}
	file, err := shell.Parse(line)
	if err != nil {
		an.markUnparsed("it is incomplete, or not a shell command")
		return // the shell reports the error, too
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if an.isUnconfined {
			an.checkWords(n)
		}
		an.readStdin(n, depth)
		if r, ok := n.(*syntax.Redirect); ok && an.isUnconfined {
			an.noteOverwrite(r)
		}
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			an.analyzeCommand(literalWords(call), depth)
		}
		return true
	})
}

// analyzeCommand analyzes one program with its arguments, and the programs that it starts.
func (an *Analysis) analyzeCommand(argv []string, depth int) {
	if an.budget < 0 || !an.spendBudget(wordsLength(argv)) {
		return
	}
	an.commands = append(an.commands, argv)
	name := path.Base(argv[0])
	if an.isUnconfined {
		an.checkCommand(argv)
	}
	switch name {
	case "cd", "pushd":
		an.noteChange(argv[1:])
	case "mv":
		an.noteMove(listOperands(argv[1:]))
	case "find", "gfind", "bfs":
		an.analyzeFind(argv[1:], depth)
	case "git":
		an.analyzeGit(argv[1:], depth)
	case "ssh":
		an.readRemote(argv[1:], depth)
	case "trap":
		an.readLine(strings.Join(argv[1:min(2, len(argv))], ""), depth+1)
	case "alias":
		for _, a := range argv[1:] {
			_, line, _ := strings.Cut(a, "=")
			an.readLine(line, depth+1)
		}
	case "eval":
		an.readLine(strings.Join(argv[1:], " "), depth+1)
	default:
		switch {
		case slices.Contains(deleters, name):
			an.noteOperands(listOperands(argv[1:]))
		case slices.Contains(shells, name):
			if !an.shellOptions(argv[1:], depth) {
				an.markUnparsed(name + " runs something else")
			}
		default:
			an.analyzeLaunched(name, argv[1:], depth)
		}
	}
}

// analyzeFind analyzes find, which deletes files below its folders with -delete or by a program.
func (an *Analysis) analyzeFind(args []string, depth int) {
	below, args := findRoots(args)
	if slices.Contains(args, "-delete") {
		an.noteDelete(below)
	}
	for i, a := range args {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			if an.budget < 0 {
				return
			}
			if argv := an.substituteFound(findExecCommand(args[i+1:]), below); len(argv) > 0 {
				an.analyzeStarted(argv, depth)
			}
		}
	}
}

// analyzeGit analyzes the commands that git runs: an alias on the command line, or a command for each commit or
// submodule.
func (an *Analysis) analyzeGit(args []string, depth int) {
	for i, a := range args {
		if an.budget < 0 {
			return
		}
		rest := args[i+1:]
		name, value, _ := strings.Cut(a, "=")
		switch {
		case i > 0 && args[i-1] == "-c" && strings.HasPrefix(name, "alias."):
			if line, ok := strings.CutPrefix(value, "!"); ok {
				an.readLine(line, depth+1)
			} else {
				an.readLine("git "+value, depth+1)
			}
		case name == "--exec" && value != "":
			an.readLine(value, depth+1)
		case (a == "--exec" || a == "-x" || strings.HasSuffix(a, "-filter")) && len(rest) > 0:
			an.readLine(rest[0], depth+1)
		case a == "foreach", a == "run" && i > 0 && args[i-1] == "bisect":
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
				rest = rest[1:]
			}
			an.readLine(strings.Join(rest, " "), depth+1)
		}
	}
}

// readRemote analyzes a command that runs on another machine, where all files are outside of the goal's folder.
func (an *Analysis) readRemote(args []string, depth int) {
	for i, host := range args {
		if an.budget < 0 {
			return
		}
		if strings.HasPrefix(host, "-") {
			continue
		}
		there := Analysis{dir: "/", isUnconfined: an.isUnconfined, budget: an.budget}
		there.readLine(strings.Join(args[i+1:], " "), depth+1)
		if an.budget = there.budget; there.giveUpReason != "" {
			an.giveUp(there.giveUpReason)
		}
		an.commands = append(an.commands, there.commands...)
		for _, f := range there.deletes {
			an.deletes = append(an.deletes, "/"+host+":"+f)
		}
		if i == 0 || !strings.HasPrefix(args[i-1], "-") { // after an option, it may be the option's value
			break
		}
	}
}

// readStdin analyzes the input of a shell: a here-document, a here-string, or output piped to it.
func (an *Analysis) readStdin(n syntax.Node, depth int) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if words := simpleArgv(n.X); n.Op == syntax.Pipe && len(words) > 0 && isShell(n.Y) {
			an.readLine(strings.Join(listOperands(words[1:]), " "), depth+1)
		}
	case *syntax.Stmt:
		if !isShell(n) {
			return
		}
		for _, r := range n.Redirs {
			switch {
			case r.Hdoc != nil:
				an.readLine(literalWord(r.Hdoc), depth+1)
			case r.Op == syntax.WordHdoc && r.Word != nil:
				an.readLine(literalWord(r.Word), depth+1)
			}
		}
	}
}

// analyzeLaunched analyzes the program that another program starts, if any.
func (an *Analysis) analyzeLaunched(name string, args []string, depth int) {
	by := launcherSubcommands[name]
	switch {
	case strings.HasPrefix(name, "python"):
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			an.analyzeStarted(args[i+1:], depth)
		}
		return
	case by == nil && !slices.Contains(launcherPrograms, name):
		an.afterDoubleDash(args, depth)
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
		an.readLine(line[strings.IndexAny(line, " =")+1:], depth+1)
	}
	for _, rest := range skipLauncherOptions(args) {
		an.analyzeLauncherArgs(name, rest, depth)
		if slices.Contains(launchersWithOperand, name) && an.budget >= 0 {
			for _, after := range skipLauncherOptions(rest[1:]) {
				an.analyzeLauncherArgs(name, after, depth)
			}
		}
	}
	if slices.Contains(launchersTakingShell, name) {
		an.shellOptions(args, depth)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		an.markUnparsed(name + " runs something else")
	}
}

// afterDoubleDash analyzes the arguments after two dashes as a command that any program may run.
func (an *Analysis) afterDoubleDash(args []string, depth int) {
	i := slices.Index(args, "--")
	runs := func(a string) bool { return a == "run" || a == "exec" }
	if i >= 0 && i+1 < len(args) && slices.ContainsFunc(args[:i], runs) {
		an.analyzeStarted(args[i+1:], depth)
	}
}

// analyzeLauncherArgs analyzes a launcher's arguments as a program with its arguments, or as a line for a shell.
func (an *Analysis) analyzeLauncherArgs(name string, argv []string, depth int) {
	if an.budget < 0 {
		return
	}
	an.analyzeStarted(argv, depth)
	if name == "watch" || name == "parallel" || strings.ContainsAny(argv[0], " \t\n;") {
		an.readLine(strings.Join(argv, " "), depth+1)
	}
	if (name == "xargs" || name == "parallel") && slices.Contains(deleters, path.Base(argv[0])) {
		an.noteOperands(nil)
	}
}

// shellOptions analyzes the command lines in options such as -c, and reports whether there are any. Options with values
// may come between -c and the line, so every word is parsed up to one that can be neither.
func (an *Analysis) shellOptions(args []string, depth int) (found bool) {
	for i, a := range args {
		line, takes := parseShellOption(a)
		if !takes {
			continue
		}
		found = true
		if an.readLine(line, depth+1); strings.HasPrefix(a, "--") && line != "" {
			continue
		}
		for _, line := range args[i+1:] {
			an.readLine(line, depth+1)
			if strings.ContainsAny(line, " \n\t;") {
				break
			}
		}
		break
	}
	return found
}

// analyzeStarted analyzes a program that a command starts.
func (an *Analysis) analyzeStarted(argv []string, depth int) {
	if depth > maxNested {
		an.giveUp("it nests too many programs")
		return
	}
	an.analyzeCommand(argv, depth+1)
}
