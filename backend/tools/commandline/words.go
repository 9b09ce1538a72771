package commandline

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// unknownWord stands for a word that is only known when the line runs.
const unknownWord = "\x00"

// literalWord is a word before expansion; parts that are only known later become unknownWord.
func literalWord(w *syntax.Word) string {
	var b strings.Builder
	splitParts(&b, w.Parts)
	return b.String()
}

func splitParts(b *strings.Builder, list []syntax.WordPart) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(decodeAnsiC(p))
		case *syntax.DblQuoted:
			splitParts(b, p.Parts)
		case *syntax.ParamExp:
			if p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil {
				b.WriteString("~")
				continue
			}
			b.WriteString(unknownWord)
		default:
			b.WriteString(unknownWord)
		}
	}
}

// decodeAnsiC decodes $'…'; no other quotes have escapes.
func decodeAnsiC(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	text, _, err := expand.Format(nil, q.Value, nil)
	if err != nil {
		return unknownWord
	}
	return text
}

// shells run a command line given with -c.
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
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = literalWord(w)
	}
	return words
}
