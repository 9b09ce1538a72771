package tools

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/policy"
)

// shellEffect is what a line given to a shell is about to do, as far as it can be
// read. It explains and finds what always asks; a line can hide anything from it,
// and the kernel holds what it does.
func shellEffect(dir, line string, risk policy.Risk) policy.Effect {
	s := shellLine{dir: dir}
	s.read(line, 0)
	e := policy.Effect{Risk: risk, Line: line, Commands: s.commands, Deletes: s.deletes, Reason: "a program may change files"}
	if risk == policy.ReadOnly {
		e.Reason = "a program that can change nothing"
	}
	return e
}

// shellLine collects the simple commands of a line and what they delete.
type shellLine struct {
	dir      string // where the next command runs; "" when it cannot be told
	loose    bool   // deletes that cannot be told are named as they are written
	commands [][]string
	deletes  []string
	unread   string // why it cannot be told what a loose line runs, "" if it can
}

// hidden stands for a word that is only known when the line runs.
const hidden = "\x00"

const maxNested = 5 // shells in shells

func (s *shellLine) read(line string, depth int) {
	if depth > maxNested {
		s.doubt("shells run shells")
		return
	}
	if s.loose && history.MatchString(line) {
		s.doubt("an exclamation mark brings back what was typed before")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.doubt("it does not end, or is no line of a shell")
		return // the shell will say so, too
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if s.loose {
			s.look(n)
		}
		if stmt, ok := n.(*syntax.Stmt); ok {
			s.fed(stmt, depth)
		}
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		argv := make([]string, len(call.Args))
		for i, w := range call.Args {
			argv[i] = word(w)
		}
		s.command(argv, depth)
		return true
	})
}

// command takes one program with its arguments, and what it starts in turn.
func (s *shellLine) command(argv []string, depth int) {
	s.commands = append(s.commands, argv)
	name := path.Base(argv[0])
	if s.loose {
		s.judge(argv)
	}
	switch name {
	case "cd", "pushd":
		s.change(argv[1:])
	case "rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put":
		s.delete(operands(argv[1:]))
	case "mv":
		if ops := operands(argv[1:]); len(ops) > 1 {
			s.delete(ops[:len(ops)-1])
		}
	case "find":
		s.find(argv[1:], depth)
	case "sh", "bash", "dash", "zsh", "ksh", "su", "script":
		for i, a := range argv[1:] {
			if strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") && i+2 < len(argv) {
				s.read(argv[i+2], depth+1)
				return
			}
		}
		s.doubt(name + " runs something else")
	case "eval":
		s.read(strings.Join(argv[1:], " "), depth+1)
	default:
		s.start(name, argv[1:], depth)
	}
}

func operands(args []string) []string {
	var list []string
	only := false
	for _, a := range args {
		switch {
		case a == "--" && !only:
			only = true
		case only || !strings.HasPrefix(a, "-"):
			list = append(list, a)
		}
	}
	return list
}

func (s *shellLine) change(args []string) {
	to := operands(args)
	switch {
	case len(to) == 0:
		s.dir = homeDir
	default:
		s.dir = s.at(to[0])
	}
}

func (s *shellLine) delete(files []string) {
	for _, f := range files {
		switch at := s.at(f); {
		case at != "":
			s.deletes = append(s.deletes, at)
		case s.loose:
			s.deletes = append(s.deletes, strings.ReplaceAll(f, hidden, "…"))
		}
	}
}

// find deletes below its folders with -delete, or by a program.
func (s *shellLine) find(args []string, depth int) {
	var from []string
	for i, a := range args {
		switch {
		case !strings.HasPrefix(a, "-") && len(from) == i:
			from = append(from, a)
		case a == "-delete":
			s.delete(from)
		case (a == "-exec" || a == "-execdir" || a == "-ok") && i+1 < len(args):
			switch path.Base(args[i+1]) {
			case "rm", "rmdir", "unlink", "shred":
				s.delete(from)
			default:
				s.command(args[i+1:], depth+1)
			}
		}
	}
}

// homeDir stands for the home folder, which lies outside of a goal's folder.
const homeDir = "/~"

// at is a path written out, "" when it cannot be told.
func (s *shellLine) at(file string) string {
	switch {
	case strings.Contains(file, hidden):
		return ""
	case file == "~" || strings.HasPrefix(file, "~/"):
		return path.Clean("/" + file)
	case path.IsAbs(file):
		return path.Clean(file)
	case s.dir == "":
		return ""
	}
	return path.Join(s.dir, file)
}

// word is what a word says before it is expanded; what is only known later is hidden.
func word(w *syntax.Word) string {
	var b strings.Builder
	parts(&b, w.Parts)
	return b.String()
}

func parts(b *strings.Builder, list []syntax.WordPart) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			parts(b, p.Parts)
		case *syntax.ParamExp:
			if p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil {
				b.WriteString("~")
				continue
			}
			b.WriteString(hidden)
		default:
			b.WriteString(hidden)
		}
	}
}
