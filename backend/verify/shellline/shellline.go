// Package shellline reads the simple commands of a shell line, where they run, and which
// of them decide how the line ends.
package shellline

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Call is one simple command of a shell line, as far as it is written out plainly.
type Call struct {
	// Dir is where it runs, relative to the goal's folder, after what cd said on
	// the way; Lost where that cannot be told.
	Dir   string
	Lost  bool
	Words []string // "" for a word that is not plain
	Stdin string   // the file that < names, "" if none

	Decides   bool // it must have ended with 0 in the open for the line to do so, see decidingCalls
	VerboseAt int  // of go test in the check's own line: where " -v" can be put in, in bytes; 0 for others
}

// Name is the command's name, "" if it is not plain.
func (c Call) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return c.Words[0]
}

// HasFlag tells whether one of the call's words is one of these, also as --word=value.
func (c Call) HasFlag(words ...string) bool {
	return slices.ContainsFunc(c.Words[min(1, len(c.Words)):], func(w string) bool {
		flag, _, _ := strings.Cut(w, "=")
		return slices.Contains(words, flag)
	})
}

// FromRootPrefix begins a word that is a path from the goal's folder on, wherever the
// command runs. No path of a user holds it.
const FromRootPrefix = "\x00/"

// PathInFolder is a word of the call as a path relative to the goal's folder; ok is
// false when it leads out of it, or nobody can tell.
func (c Call) PathInFolder(word string) (string, bool) {
	if p, ok := strings.CutPrefix(word, FromRootPrefix); ok {
		p = path.Clean(p)
		return p, p != ".." && p != "." && !strings.HasPrefix(p, "../")
	}
	if word == "" || path.IsAbs(word) || strings.HasPrefix(word, "~") || c.Lost {
		return "", false
	}
	p := path.Join(c.Dir, word)
	return p, p != ".." && p != "." && !strings.HasPrefix(p, "../")
}

// parsedLine is a shell line that was read.
type parsedLine struct {
	Calls     []Call
	Functions []string // that it declares itself
}

// Location is where a line stands.
type Location struct {
	Dir  string // where it starts to run, relative to the goal's folder
	Home string // the folder of the script that it is written in, relative likewise; "" if it is none
	Root string // the goal's folder itself, absolute, "" if unknown

	Decides bool // what the line ends with is what the check ends with
	own     bool // it is the check's own line, and none that it leads to
}

// Parse reads a line. One that sh can read and the parser cannot has no calls.
func Parse(text string, at Location) parsedLine {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		if f, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), ""); err != nil {
			return parsedLine{}
		}
	}
	r := &lineWalker{Location: at, vars: map[string]string{}}
	r.Dir = path.Clean(at.Dir)
	if at.Decides {
		r.deciding = decidingCalls(f)
	}
	syntax.Walk(f, r.visit)
	for i, c := range r.calls { // a function may stand for any name
		c.Decides = c.Decides && len(r.functions) == 0 && !r.steered &&
			!slices.ContainsFunc(c.Words, RunnerEnvPattern.MatchString)
		r.calls[i] = c
	}
	return parsedLine{r.calls, r.functions}
}

// lineWalker walks a line in the order in which it is written, follows cd, and knows
// the variables that were given plain words.
type lineWalker struct {
	Location
	lost      bool
	vars      map[string]string
	calls     []Call
	functions []string
	open      []subshellState // nodes that were entered
	deciding  map[*syntax.CallExpr]bool
	steered   bool // a variable is set that may change what a runner says
}

// subshellState restores where a subshell began.
type subshellState struct {
	subshell bool
	dir      string
	lost     bool
}

func (r *lineWalker) visit(n syntax.Node) bool {
	if n == nil { // a node was left
		last := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		if last.subshell {
			r.Dir, r.lost = last.dir, last.lost
		}
		return true
	}
	at := subshellState{dir: r.Dir, lost: r.lost}
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst:
		at.subshell = true
	case *syntax.FuncDecl:
		r.functions = append(r.functions, n.Name.Value)
	case *syntax.Assign: // also of export and local
		if n.Name != nil && n.Value != nil && n.Index == nil {
			r.vars[n.Name.Value], _ = r.unquote(n.Value)
			r.steered = r.steered || RunnerEnvPattern.MatchString(n.Name.Value)
		}
	case *syntax.Stmt:
		if c, ok := n.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			r.call(c, n.Redirs)
		}
	}
	r.open = append(r.open, at)
	return true
}

func (r *lineWalker) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	k := Call{Dir: r.Dir, Lost: r.lost, Decides: r.deciding[c]}
	for _, w := range c.Args {
		text, _ := r.unquote(w)
		k.Words = append(k.Words, r.fromRoot(text))
		if r.own && text == "test" && k.VerboseAt == 0 {
			k.VerboseAt = int(w.End().Offset()) //nolint:gosec // it is in the text
		}
	}
	for _, redir := range redirs {
		if redir.Op == syntax.RdrIn {
			text, _ := r.unquote(redir.Word)
			k.Stdin = r.fromRoot(text)
		}
	}
	r.calls = append(r.calls, k)
	if k.Name() == "cd" {
		r.cd(k)
	}
}

func (r *lineWalker) cd(k Call) {
	words := slices.DeleteFunc(slices.Clone(k.Words[1:]), func(w string) bool {
		return w == "--" || w == "-P" || w == "-L"
	})
	if p, ok := k.PathInFolder(strings.Join(words, " ")); ok && len(words) == 1 &&
		strings.HasPrefix(words[0], FromRootPrefix) {
		r.Dir = p
		return
	}
	if len(words) == 1 && path.Clean(words[0]) == path.Clean(FromRootPrefix) {
		r.Dir = "."
		return
	}
	if len(words) != 1 || words[0] == "" || words[0] == "-" || path.IsAbs(words[0]) || strings.HasPrefix(words[0], "~") {
		r.lost = true
		return
	}
	r.Dir = path.Join(r.Dir, words[0])
}

// fromRoot is a word that names something in the goal's folder by its whole path.
func (r *lineWalker) fromRoot(word string) string {
	if r.Root == "" || !path.IsAbs(word) {
		return word
	}
	switch rest, ok := strings.CutPrefix(path.Clean(word), r.Root); {
	case ok && rest == "":
		return FromRootPrefix
	case ok && rest[0] == '/':
		return FromRootPrefix + rest[1:]
	}
	return word
}

// unquote is a word without its quotes; ok is false when the shell would put
// something else into it than what can be told here.
func (r *lineWalker) unquote(w *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				text, ok := r.plainPart(inner)
				if !ok {
					return "", false
				}
				b.WriteString(text)
			}
		default:
			text, ok := r.plainPart(p)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		}
	}
	return b.String(), true
}

// plainPart is a part of a word: text, a variable that has a plain word, and the usual
// spellings of the folder that a script is in.
func (r *lineWalker) plainPart(part syntax.WordPart) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return unescapeWord(p.Value), true
	case *syntax.SglQuoted:
		return p.Value, true
	case *syntax.ParamExp:
		return r.variable(p)
	case *syntax.CmdSubst:
		return r.knownSubstitution(p)
	}
	return "", false
}

func (r *lineWalker) variable(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil {
		return "", false
	}
	name := p.Param.Value
	own := name == "0" || name == "BASH_SOURCE"
	if own && p.Exp != nil && p.Exp.Word != nil { // ${0%/*}
		text, ok := r.unquote(p.Exp.Word)
		return FromRootPrefix + r.Home, ok && r.Home != "" && strings.HasPrefix(text, "/")
	}
	if p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Length || p.Excl || own {
		return "", false
	}
	if name == "PWD" {
		return FromRootPrefix + r.Dir, !r.lost
	}
	text, known := r.vars[name]
	return text, known && text != ""
}

// knownSubstitution knows $(dirname "$0"), $(cd "$(dirname "$0")" && pwd) and $(pwd).
func (r *lineWalker) knownSubstitution(c *syntax.CmdSubst) (string, bool) {
	var b strings.Builder
	for _, s := range c.Stmts {
		if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, s) != nil {
			return "", false
		}
		b.WriteByte(';')
	}
	switch text := strings.TrimRight(strings.NewReplacer(`"`, "", " -- ", " ").Replace(b.String()), ";"); {
	case text == "pwd" || text == "git rev-parse --show-toplevel":
		if text == "pwd" {
			return FromRootPrefix + r.Dir, !r.lost
		}
		return FromRootPrefix, true
	case scriptFolder.MatchString(text):
		return FromRootPrefix + r.Home, r.Home != ""
	}
	return "", false
}

var scriptFolder = regexp.MustCompile(
	`^(dirname (\$0|\$\{?BASH_SOURCE(\[0\])?\}?|\$\((readlink -f|realpath) \$0\))|cd (-P )?(\$\(dirname (\$0|\$\{?BASH_SOURCE(\[0\])?\}?)\)|\$\{(0|BASH_SOURCE(\[0\])?)%/\*\})( >\s*/dev/null( 2>&1)?)? && pwd( -P)?)$`)

func unescapeWord(s string) string {
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
	"env":      {"-u", "-C", "-S"},
	"timeout":  {"-k", "-s"},
	"nice":     {"-n"},
	"time":     nil,
	"nohup":    nil,
	"exec":     {"-a"},
	"command":  nil,
	"stdbuf":   {"-i", "-o", "-e"},
	"xvfb-run": {"-n", "-s", "-e", "-f", "-w"},
	"sudo":     {"-u", "-g"},
	"npx":      {"-p"},
	"bunx":     nil,
	"setsid":   nil,
	"ionice":   {"-c", "-n"},
}

// Unwrap is the call without the programs that only start another one.
func (c Call) Unwrap() Call {
	for {
		takes, ok := wrappers[path.Base(c.Name())]
		if !ok || c.Name() == "" {
			return c
		}
		name := path.Base(c.Name())
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
