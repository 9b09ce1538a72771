// Package shellline reads the words of a shell line: the files that it names, the scripts that it starts, and the
// commands whose output alone counts. It makes no guesses about what a check uses: that is observed when it runs.
package shellline

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/lib/shell"

	"mvdan.cc/sh/v3/syntax"
)

// call is one simple command of a line.
type call struct {
	expr     *syntax.CallExpr
	words    []string // without quotes; "" for a word with an expansion
	examined bool     // only its output counts: it is before a pipe, or in a substitution
	hidden   bool     // its output is redirected or piped
}

// AllWords lists the plain words of all commands of a line. Of an option, it lists only the value after =.
func AllWords(text string) []string {
	return plainWords(text, func(call) bool { return true })
}

// ExaminedWords lists the words of the commands whose output alone counts.
func ExaminedWords(text string) []string {
	return plainWords(text, func(c call) bool { return c.examined })
}

var (
	// interpreters take the script that they run as an argument.
	interpreters = []string{
		"sh", "bash", "dash", "ash", "ksh", "zsh", ".", "source", "python", "python3", "node", "deno", "bun", "ruby",
		"perl", "php", "lua", "Rscript",
	}
	// wrappers start the program in their arguments.
	wrappers = []string{
		"env", "timeout", "nice", "time", "nohup", "exec", "command", "stdbuf", "xvfb-run", "sudo", "setsid", "ionice",
	}
)

// StartedFiles lists the files that a line runs as scripts whose exit status counts: a command with a slash, and
// the first argument of a shell or an interpreter.
func StartedFiles(text string) []string {
	var files []string
	for _, c := range readCalls(text) {
		if c.examined {
			continue
		}
		first := c.words[0]
		if i := slices.IndexFunc(c.words, func(w string) bool { return strings.Contains(w, "/") }); i > 0 &&
			slices.Contains(wrappers, path.Base(first)) {
			first = c.words[i]
		}
		if strings.Contains(first, "/") {
			files = append(files, first)
		}
		at := slices.IndexFunc(c.words[:min(len(c.words), 6)], func(w string) bool { // env A=1 timeout 5 sh check.sh
			return w != "" && slices.Contains(interpreters, path.Base(w))
		})
		for i := at + 1; at >= 0 && i < len(c.words); i++ {
			w := c.words[i]
			if strings.ContainsAny(w, " \n") { // sh -c 'sh check.sh'
				files = append(files, StartedFiles(w)...)
			} else if !strings.HasPrefix(w, "-") && w != "" {
				files = append(files, w)
			}
			if !strings.HasPrefix(w, "-") {
				break
			}
		}
	}
	return files
}

// Arguments lists the words after the name of a program, for each call of it in a line.
func Arguments(text string, names ...string) [][]string {
	var list [][]string
	for _, c := range readCalls(text) {
		at := slices.IndexFunc(c.words, func(w string) bool { return w != "" && slices.Contains(names, path.Base(w)) })
		if at >= 0 {
			list = append(list, c.words[at+1:])
		}
	}
	return list
}

// AddGoTestVerbose adds -v where a line runs go test and shows its output. Without it, go prints "ok" for a package
// even if its tests ended early.
func AddGoTestVerbose(text string) string {
	calls := readCalls(text)
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		at := slices.Index(c.words, "test")
		if c.examined || c.hidden || at < 1 || path.Base(c.words[at-1]) != "go" || len(c.words) != len(c.expr.Args) ||
			slices.ContainsFunc(c.words[at:], IsVerboseFlag) {
			continue
		}
		end := c.expr.Args[at].End().Offset()
		text = text[:end] + " -v" + text[end:]
	}
	return text
}

// IsVerboseFlag reports whether a flag makes go test print which tests ran, or do something other than run them.
func IsVerboseFlag(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "-") && slices.Contains([]string{
		"v", "test.v", "json", "c", "n", "list", "test.list", "exec", "h", "help",
	}, name)
}

// readCalls returns the simple commands of a line, none if it cannot be parsed.
func readCalls(text string) []call {
	f, err := shell.Parse(text)
	if err != nil {
		return nil
	}
	type state struct{ examined, hidden bool }
	var calls []call
	var open []state
	piped := map[*syntax.Stmt]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		var now state
		if len(open) > 0 {
			now = open[len(open)-1]
		}
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				piped[n.X] = true
			}
		case *syntax.Stmt:
			// With pipefail, a command before a pipe decides, too.
			now.examined = now.examined || piped[n] && !strings.Contains(text, "pipefail")
			now.hidden = now.hidden || piped[n] || slices.ContainsFunc(n.Redirs, hidesOutput)
		case *syntax.CmdSubst, *syntax.ProcSubst:
			now = state{true, true}
		case *syntax.CallExpr:
			c := call{expr: n, examined: now.examined, hidden: now.hidden}
			for _, w := range n.Args {
				c.words = append(c.words, unquote(w))
			}
			if len(c.words) > 0 {
				calls = append(calls, c)
			}
		}
		open = append(open, now)
		return true
	})
	return calls
}

// hidesOutput reports whether a redirection hides the output from the reader.
func hidesOutput(r *syntax.Redirect) bool {
	return r.Op != syntax.DplOut &&
		!slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc}, r.Op)
}

func plainWords(text string, matches func(call) bool) []string {
	var words []string
	for _, c := range readCalls(text) {
		if !matches(c) {
			continue
		}
		for _, w := range c.words {
			if strings.HasPrefix(w, "-") {
				_, w, _ = strings.Cut(w, "=")
			}
			words = append(words, strings.Fields(w)...) // sh -c 'sh check.sh'
		}
	}
	return words
}

// unquote returns a word without its quotes, "" if it contains an expansion.
func unquote(w *syntax.Word) string {
	plain := true
	text := shell.Literal(w, func(syntax.WordPart) string {
		plain = false
		return ""
	})
	if !plain {
		return ""
	}
	return text
}
