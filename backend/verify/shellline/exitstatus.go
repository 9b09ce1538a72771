package shellline

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// decidingCalls are the calls of a shell text that must have ended with 0, and in the
// sight of whoever reads its output, for the text to end with 0. What is behind a
// condition, a pipe or a file is none, and where the text may end earlier there
// are none at all: doubt means no.
func decidingCalls(f *syntax.File) map[*syntax.CallExpr]bool {
	d := exitAnalysis{found: map[*syntax.CallExpr]bool{}}
	d.statements(f.Stmts)
	if d.mayExitZero(f) {
		return nil
	}
	return d.found
}

type exitAnalysis struct {
	found   map[*syntax.CallExpr]bool
	errexit bool // set -e was said
}

// statements takes statements one after the other: the last one decides, and all of
// them where the first failure ends the text.
func (d *exitAnalysis) statements(stmts []*syntax.Stmt) {
	for i, s := range stmts {
		last := i == len(stmts)-1
		if and, ok := s.Cmd.(*syntax.BinaryCmd); ok && !last && and.Op == syntax.AndStmt {
			continue // set -e looks away there
		}
		if last || d.errexit || isOrExit(s) {
			d.stmt(s)
		}
		d.errexit = d.errexit || setsErrexit(s)
	}
}

func (d *exitAnalysis) stmt(s *syntax.Stmt) {
	if s.Negated || s.Background || s.Coprocess || slices.ContainsFunc(s.Redirs, discardsOutput) {
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		d.found[c] = true
	case *syntax.BinaryCmd:
		switch {
		case c.Op == syntax.AndStmt:
			d.stmt(c.X)
			d.stmt(c.Y)
		case isOrExit(s):
			d.stmt(c.X)
		}
	case *syntax.Block:
		d.statements(c.Stmts)
	case *syntax.Subshell:
		d.statements(c.Stmts)
	}
}

// discardsOutput says whether a redirection takes output away from whoever reads it.
func discardsOutput(r *syntax.Redirect) bool {
	text := r.Word.Lit()
	joins := r.Op == syntax.DplOut && (text == "1" || text == "2") // 2>&1
	return !joins &&
		!slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc}, r.Op)
}

// isOrExit knows "make || exit 1" and "make || { echo no; exit 1; }".
func isOrExit(s *syntax.Stmt) bool {
	or, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || or.Op != syntax.OrStmt {
		return false
	}
	last := or.Y
	if b, ok := last.Cmd.(*syntax.Block); ok && len(b.Stmts) > 0 {
		last = b.Stmts[len(b.Stmts)-1]
	}
	c, ok := last.Cmd.(*syntax.CallExpr)
	return ok && isFailingExit(c)
}

var nonzero = regexp.MustCompile(`^[1-9][0-9]*$`)

func isFailingExit(c *syntax.CallExpr) bool {
	return len(c.Args) == 2 && c.Args[0].Lit() == "exit" && nonzero.MatchString(c.Args[1].Lit())
}

func setsErrexit(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 || c.Args[0].Lit() != "set" {
		return false
	}
	for _, w := range c.Args[1:] {
		if text := w.Lit(); text == "errexit" || strings.HasPrefix(text, "-") && strings.Contains(text, "e") {
			return true
		}
	}
	return false
}

// mayExitZero says whether a text may end with 0 before its end.
func (d *exitAnalysis) mayExitZero(f *syntax.File) bool {
	found := false
	syntax.Walk(f, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		switch c.Args[0].Lit() {
		case "exit":
			found = found || !isFailingExit(c)
		case "return", "trap":
			found = true
		case "exec":
			found = found || !d.found[c]
		}
		return true
	})
	return found
}

// RunnerEnvPattern are variables by which a runner is told how to work and what to print,
// also as env sets them.
var RunnerEnvPattern = regexp.MustCompile(`^[A-Za-z_]*(OPTS|OPTIONS|FLAGS|REPORTER|CONFIG)[A-Za-z_]*(=|$)`)
