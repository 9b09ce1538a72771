package tools

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shells run a command line given with -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "su", "script"}

// deleters delete their operands.
var deleters = []string{"rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put"}

// analyzeGit analyzes commands that git runs: an alias on the command line, a command for each commit or submodule.
func (s *commandAnalysis) analyzeGit(args []string, depth int) {
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
func (s *commandAnalysis) readRemote(args []string, depth int) {
	for i, host := range args {
		if s.left < 0 {
			return
		}
		if strings.HasPrefix(host, "-") {
			continue
		}
		there := commandAnalysis{dir: "/", loose: s.loose, left: s.left}
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
func (s *commandAnalysis) readStdin(n syntax.Node, depth int) {
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

func isShell(stmt *syntax.Stmt) bool {
	words := simpleArgv(stmt)
	return len(words) > 0 && slices.Contains(shells, path.Base(words[0]))
}

// simpleArgv returns the words of a simple command, nil for anything else.
func simpleArgv(stmt *syntax.Stmt) []string {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = literalWord(w)
	}
	return words
}
