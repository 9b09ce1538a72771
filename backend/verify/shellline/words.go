package shellline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// AllWords lists the plain words of all commands of a line, without their options, and what follows = in an option.
func AllWords(text string) []string {
	var words []string
	walkCalls(text, func(c *syntax.CallExpr, _ bool) { words = append(words, plainWords(c)...) })
	return words
}

// ExaminedWords lists the words of those commands of a line of which only the output is judged: they stand before a
// pipe, or in a substitution.
func ExaminedWords(text string) []string {
	var words []string
	walkCalls(text, func(c *syntax.CallExpr, examined bool) {
		if examined {
			words = append(words, plainWords(c)...)
		}
	})
	return words
}

// walkCalls visits every simple command of a line; examined says that only its output is judged. A line that cannot be
// read has none.
func walkCalls(text string, visit func(c *syntax.CallExpr, examined bool)) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	var open []bool
	examined := func() bool { return len(open) > 0 && open[len(open)-1] }
	piped := map[*syntax.Stmt]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		now := examined()
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			// With pipefail a command before a pipe decides, too.
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && !strings.Contains(text, "pipefail") {
				piped[n.X] = true
			}
		case *syntax.Stmt:
			now = now || piped[n]
		case *syntax.CmdSubst, *syntax.ProcSubst:
			now = true
		case *syntax.CallExpr:
			visit(n, now)
		}
		open = append(open, now)
		return true
	})
}

func plainWords(c *syntax.CallExpr) []string {
	r := &lineWalker{vars: map[string]string{}}
	var words []string
	for _, w := range c.Args {
		text, ok := r.unquote(w)
		if !ok && text == "" {
			continue
		}
		if strings.HasPrefix(text, "-") {
			_, value, joined := strings.Cut(text, "=")
			if !joined {
				continue
			}
			text = value
		}
		if strings.ContainsAny(text, " \t\n") { // sh -c 'sh check.sh'
			words = append(words, strings.Fields(text)...)
		} else if text != "" {
			words = append(words, text)
		}
	}
	return words
}
