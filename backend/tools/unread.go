package tools

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// doubt says why a line cannot be read; the first reason stays.
func (s *shellLine) doubt(why string) {
	if s.unread == "" {
		s.unread = why
	}
}

var (
	plainProgram = regexp.MustCompile(`^(\[|[A-Za-z0-9_./~+:@%,=-]+)$`)
	history      = regexp.MustCompile(`![^\s=(]`)
	runByShell   = regexp.MustCompile(`^(PROMPT_COMMAND|PS[0-4]|ENV|BASH_ENV)$`)
	interpreter  = regexp.MustCompile(`^(python|perl|ruby|node|php|lua|awk|gawk|mawk)[0-9.]*$`)
)

// shows are programs that do nothing with a word but show it, whatever it is.
var shows = []string{"echo", "printf", "ls", "cat", "cd", "pwd", "test", "[", "grep", "head", "tail", "wc"}

// runsWords are programs that run what their arguments or a file say, or make one
// command mean another.
var runsWords = []string{
	"source", ".", "xargs", "alias", "bind", "trap", "complete", "fc", "enable", "parallel", "script", "su", "ssh", "tmux", "screen", "at", "batch",
	"docker", "podman", "chroot", "nsenter", "unshare",
}

// look doubts what of a line can be anything.
func (s *shellLine) look(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		s.doubt("it makes a command of its own")
	case *syntax.Assign:
		if n.Name != nil && runByShell.MatchString(n.Name.Value) {
			s.doubt("the shell runs what " + n.Name.Value + " holds")
		}
	case *syntax.Word:
		split := *n
		if syntax.SplitBraces(&split) {
			s.doubt("braces make other words")
		}
	}
}

// judge doubts a command of which nobody can say what it runs.
func (s *shellLine) judge(argv []string) {
	name := path.Base(argv[0])
	switch {
	case !plainProgram.MatchString(argv[0]):
		s.doubt("its program is known only when it runs")
	case slices.Contains(runsWords, name):
		s.doubt(name + " runs something else")
	case interpreter.MatchString(name) && (strings.HasSuffix(name, "awk") || slices.ContainsFunc(argv[1:], code)):
		s.doubt(name + " runs what is written there")
	case !slices.Contains(shows, name) && slices.ContainsFunc(argv[1:], func(a string) bool { return strings.Contains(a, hidden) }):
		s.doubt("the arguments of " + name + " are known only when it runs")
	}
}

// code says whether an option gives an interpreter its program.
func code(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (strings.ContainsAny(arg[1:], "cerEp") && arg[1] != '-' || arg == "--eval" || arg == "--print")
}
