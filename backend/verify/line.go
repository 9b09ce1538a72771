package verify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one simple command of a shell line, as far as it is written out plainly.
type call struct {
	// Dir is where it runs, relative to the goal's folder, after what cd said on
	// the way; Lost where that cannot be told.
	Dir   string
	Lost  bool
	Words []string // "" for a word that is not plain
	Stdin string   // the file that < names, "" if none
}

// word is the command's name, "" if it is not plain.
func (c call) word() string {
	if len(c.Words) == 0 {
		return ""
	}
	return c.Words[0]
}

// inside is a word of the call as a path relative to the goal's folder; ok is
// false when it leads out of it, or nobody can tell.
func (c call) inside(word string) (string, bool) {
	if word == "" || path.IsAbs(word) || strings.HasPrefix(word, "~") || c.Lost {
		return "", false
	}
	p := path.Join(c.Dir, word)
	return p, p != ".." && p != "." && !strings.HasPrefix(p, "../")
}

// line is a shell line that was read.
type line struct {
	calls     []call
	functions []string // that it declares itself
}

// readLine reads a line that starts in dir. One that sh can read and the parser
// cannot has no calls.
func readLine(text, dir string) line {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		if f, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), ""); err != nil {
			return line{}
		}
	}
	r := &reader{dir: path.Clean(dir)}
	syntax.Walk(f, r.visit)
	return line{r.calls, r.functions}
}

// reader walks a line in the order in which it is written and follows cd.
type reader struct {
	dir       string
	lost      bool
	calls     []call
	functions []string
	open      []frame // nodes that were entered
}

// frame restores where a subshell began.
type frame struct {
	subshell bool
	dir      string
	lost     bool
}

func (r *reader) visit(n syntax.Node) bool {
	if n == nil { // a node was left
		last := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		if last.subshell {
			r.dir, r.lost = last.dir, last.lost
		}
		return true
	}
	at := frame{dir: r.dir, lost: r.lost}
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst:
		at.subshell = true
	case *syntax.FuncDecl:
		r.functions = append(r.functions, n.Name.Value)
	case *syntax.Stmt:
		if c, ok := n.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			r.call(c, n.Redirs)
		}
	}
	r.open = append(r.open, at)
	return true
}

func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	k := call{Dir: r.dir, Lost: r.lost}
	for _, w := range c.Args {
		text, _ := literal(w)
		k.Words = append(k.Words, text)
	}
	for _, redir := range redirs {
		if redir.Op == syntax.RdrIn {
			k.Stdin, _ = literal(redir.Word)
		}
	}
	r.calls = append(r.calls, k)
	if k.word() == "cd" {
		r.cd(k)
	}
}

func (r *reader) cd(k call) {
	words := slices.DeleteFunc(slices.Clone(k.Words[1:]), func(w string) bool { return w == "--" || w == "-P" || w == "-L" })
	if len(words) != 1 || words[0] == "" || words[0] == "-" || path.IsAbs(words[0]) || strings.HasPrefix(words[0], "~") {
		r.lost = true
		return
	}
	r.dir = path.Join(r.dir, words[0])
}

// literal is a word without its quotes; ok is false when the shell would put
// something else into it.
func literal(w *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescaped(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// flags that take a word of their own, by the command that they belong to.
var wrappers = map[string][]string{
	"env": {"-u", "-C", "-S"}, "timeout": {"-k", "-s"}, "nice": {"-n"}, "time": nil, "nohup": nil, "exec": {"-a"}, "command": nil,
	"stdbuf": {"-i", "-o", "-e"}, "xvfb-run": {"-n", "-s", "-e", "-f", "-w"}, "sudo": {"-u", "-g"}, "npx": {"-p"}, "bunx": nil, "setsid": nil, "ionice": {"-c", "-n"},
}

// bare is the call without the programs that only start another one.
func (c call) bare() call {
	for {
		takes, ok := wrappers[path.Base(c.word())]
		if !ok || c.word() == "" {
			return c
		}
		name := path.Base(c.word())
		rest := c.Words[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || name == "env" && strings.Contains(rest[0], "=")) {
			skip := 1
			if slices.Contains(takes, rest[0]) {
				skip = 2
			}
			rest = rest[min(skip, len(rest)):]
		}
		if name == "timeout" && len(rest) > 0 { // the time
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return c
		}
		c.Words = rest
	}
}
