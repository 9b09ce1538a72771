package commandline

import (
	"path"
	"slices"

	"goalpost/backend/lib/shell"

	"mvdan.cc/sh/v3/syntax"
)

// unknownWord stands for a word that is only known when the line runs.
const unknownWord = "\x00"

// literalWord returns a word before expansion; parts that are unknown until the line runs become unknownWord.
func literalWord(w *syntax.Word) string {
	return shell.Literal(w, func(part syntax.WordPart) string {
		if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil {
			return "~"
		}
		return unknownWord
	})
}

// shells are programs that run a command line given with -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "su", "script"}

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
	return literalWords(call)
}

func literalWords(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = literalWord(w)
	}
	return words
}
