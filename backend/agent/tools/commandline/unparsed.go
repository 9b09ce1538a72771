package commandline

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/lib/text"
)

var (
	plainProgram        = text.NewPattern(`^(\[|[A-Za-z0-9_./~+:@%,=-]+)$`)
	history             = text.NewPattern(`![^\s=(]`)
	shellBuiltinRunners = text.NewPattern(`^(PROMPT_COMMAND|PS[0-4]|ENV|BASH_ENV)$`)
	interpreter         = text.NewPattern(`^(python|perl|ruby|node|php|lua|awk|gawk|mawk)[0-9.]*$`)
)

// displayPrograms only display their arguments.
var displayPrograms = []string{"echo", "printf", "ls", "cat", "cd", "pwd", "test", "[", "grep", "head", "tail", "wc"}

// evalPrograms run their arguments or a file as code, or redefine commands.
var evalPrograms = []string{
	"source", ".", "xargs", "alias", "bind", "trap", "complete", "fc", "enable", "parallel", "script", "su", "ssh",
	"tmux", "screen", "at", "batch",
	"docker", "podman", "chroot", "nsenter", "unshare",
}

// checkWords marks a line with words that can expand to anything.
func (an *Analysis) checkWords(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		an.markUnparsed("it defines a command")
	case *syntax.Assign:
		if n.Name != nil && shellBuiltinRunners.MatchString(n.Name.Value) {
			an.markUnparsed("the shell runs the value of " + n.Name.Value)
		}
	case *syntax.Word:
		split := *n
		if syntax.SplitBraces(&split) {
			an.markUnparsed("braces expand to other words")
		}
	}
}

// checkCommand marks a line if it is unknown what its command runs.
func (an *Analysis) checkCommand(argv []string) {
	name := path.Base(argv[0])
	switch {
	case !plainProgram.MatchString(argv[0]):
		an.markUnparsed("its program is only known when it runs")
	case slices.Contains(evalPrograms, name):
		an.markUnparsed(name + " runs something else")
	case interpreter.MatchString(name) && (strings.HasSuffix(name, "awk") || slices.ContainsFunc(argv[1:], isCodeOption)):
		an.markUnparsed(name + " runs its arguments as code")
	case !slices.Contains(displayPrograms, name) && slices.ContainsFunc(argv[1:], func(a string) bool {
		return strings.Contains(a, unknownWord)
	}):
		an.markUnparsed("the arguments of " + name + " are only known when it runs")
	}
}

// isCodeOption reports whether an option passes a program to an interpreter.
func isCodeOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' &&
		(strings.ContainsAny(arg[1:], "cerEp") && arg[1] != '-' || arg == "--eval" || arg == "--print")
}
