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
	examined bool     // its output counts: it goes to a command that judges, or into a substitution
	saved    bool     // its output goes to a file that a later command names
	hidden   bool     // its output is redirected or piped
	fed      bool     // it reads the output of another command
}

// AllWords lists the plain words of all commands of a line. Of an option, it lists only the value after =.
func AllWords(text string) []string {
	return plainWords(text, func(call) bool { return true })
}

// ExaminedWords lists the words of the commands whose output counts: they are before a pipe or in a substitution, or a
// later command reads the file that they write.
func ExaminedWords(text string) []string {
	return plainWords(text, func(c call) bool { return c.examined || c.saved })
}

// CapturedWords lists the words of the commands that are before a pipe or in a substitution.
func CapturedWords(text string) []string {
	return plainWords(text, func(c call) bool { return c.examined })
}

// InlineScripts lists the texts that a line gives to shells as programs: those behind sh -c.
func InlineScripts(text string) (scripts []string) {
	for _, c := range readCalls(text) {
		at := slices.IndexFunc(c.words, func(w string) bool {
			return slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "zsh"}, path.Base(w))
		})
		if at < 0 {
			continue
		}
		for i, w := range c.words[at+1:] {
			isFlag := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--")
			if isFlag && strings.HasSuffix(w, "c") && at+i+2 < len(c.words) {
				scripts = append(scripts, c.words[at+i+2])
			}
			if !strings.HasPrefix(w, "-") {
				break
			}
		}
	}
	return scripts
}

// Examines reports whether the output of a program with this command line counts in a line.
func Examines(text string, args []string) bool {
	return slices.ContainsFunc(readCalls(text), func(c call) bool { return (c.examined || c.saved) && c.runs(args) })
}

// Feeds reports whether a program with this command line reads the output of another one in a line.
func Feeds(text string, args []string) bool {
	return slices.ContainsFunc(readCalls(text), func(c call) bool { return c.fed && c.runs(args) })
}

// runs reports whether a call starts a program with this command line, perhaps through a wrapper.
func (c call) runs(args []string) bool {
	at := len(c.words) - len(args)
	if len(args) == 0 || at < 0 || path.Base(c.words[at]) != path.Base(args[0]) {
		return false
	}
	for i, w := range c.words[at+1:] {
		if w != args[i+1] && w != "" { // a word with an expansion may be anything
			return false
		}
	}
	return true
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
	type state struct{ examined, saved, hidden, fed bool }
	r := lineReader{text: text, piped: map[*syntax.Stmt]bool{}, fed: map[*syntax.Stmt]bool{}}
	var calls []call
	var open []state
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
			r.readPipe(n)
		case *syntax.Stmt:
			isJudged, isPiped := r.piped[n]
			now.examined, now.saved = now.examined || isJudged, now.saved || r.isReadLater(n)
			now.hidden = now.hidden || isPiped || slices.ContainsFunc(n.Redirs, hidesOutput)
			now.fed = now.fed || r.fed[n] || slices.ContainsFunc(n.Redirs, func(d *syntax.Redirect) bool {
				return d.Op == syntax.RdrIn || d.Op == syntax.WordHdoc && unquote(d.Word) == ""
			})
		case *syntax.CmdSubst, *syntax.ProcSubst:
			now = state{examined: true, hidden: true}
		case *syntax.CallExpr:
			c := call{expr: n, examined: now.examined, saved: now.saved, hidden: now.hidden, fed: now.fed}
			for _, w := range n.Args {
				c.words = append(c.words, unquote(w))
				c.fed = c.fed || slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
					_, ok := p.(*syntax.ProcSubst)
					return ok
				})
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

// lineReader finds out where the commands of a line send their output.
type lineReader struct {
	text  string
	piped map[*syntax.Stmt]bool // commands before a pipe; true if their output is judged
	fed   map[*syntax.Stmt]bool // commands after a pipe
}

// passers pass on what they read, and end with 0.
var passers = []string{"tee", "cat", "tail", "head", "sort", "nl", "tr", "cut", "column", "less", "more", "ts"}

// readPipe records the commands before and after a pipe. With pipefail, a command decides itself by how it ends if the
// last one only passes on its output.
func (l lineReader) readPipe(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe && n.Op != syntax.PipeAll {
		return
	}
	isJudged := true
	if c, ok := n.Y.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && strings.Contains(l.text, "pipefail") {
		isJudged = !slices.Contains(passers, path.Base(unquote(c.Args[0])))
	}
	l.piped[n.X], l.fed[n.Y] = isJudged, !printsText(n.X)
}

// printsText reports whether a command only prints a text that the line contains.
func printsText(n *syntax.Stmt) bool {
	c, ok := n.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || !slices.Contains([]string{"echo", "printf"}, unquote(c.Args[0])) {
		return false
	}
	return !slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return unquote(w) == "" })
}

// isReadLater reports whether a command writes its output to a file that a later command names.
func (l lineReader) isReadLater(n *syntax.Stmt) bool {
	return slices.ContainsFunc(n.Redirs, func(d *syntax.Redirect) bool {
		if !slices.Contains([]syntax.RedirOperator{
			syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob,
		}, d.Op) {
			return false
		}
		name := strings.Trim(l.text[d.Word.Pos().Offset():d.Word.End().Offset()], `"'`)
		return name != "/dev/null" && slices.ContainsFunc(strings.FieldsFunc(l.text[n.End().Offset():], isSeparator),
			func(w string) bool { return strings.Trim(w, `"'`) == name })
	})
}

// isSeparator reports whether a character ends a word of a line.
func isSeparator(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>", r) }

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
