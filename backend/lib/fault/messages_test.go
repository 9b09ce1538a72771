package fault_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the messages to docs/guide/troubleshooting.md")

// commandLine matches flags, and commands of this program.
var commandLine = regexp.MustCompile(`(^|[\s(])--[a-z]|goalctl`)

// made is an error that the program can make.
type made struct {
	at, function  string
	message, hint string // with … for what the program computes
	hasHint       bool
}

// TestMessages_EveryError_SaysWhatToDoNext reads every error of the program, and compares those that others wrap with
// the page about them.
func TestMessages_EveryError_SaysWhatToDoNext(t *testing.T) {
	var rows []string
	errors := readErrors(t)
	if len(errors) < 200 {
		t.Fatalf("found only %d errors", len(errors))
	}
	for _, m := range errors {
		if !m.hasHint {
			t.Errorf("%s: this error does not say what to do next", m.at)
		}
		// What a field refuses is shown in the window, too, which has no flags. OnCommandLine has the hint with them.
		if m.function == "Invalid" && !strings.Contains(m.at, "/entry/") && commandLine.MatchString(m.message+" "+m.hint) {
			t.Errorf("%s: this error speaks of the command line: %s (%s)", m.at, m.message, m.hint)
		}
		if m.function == "Kind" && strings.Trim(m.message, "…") != "" {
			rows = append(rows, fmt.Sprintf("| %s | %s |", cell(m.message), cell(m.hint)))
		}
	}
	slices.Sort(rows)
	page := filepath.Join("..", "..", "..", "docs", "guide", "troubleshooting.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "| the message ends with | what to do |\n|---|---|\n"
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, okEnd := strings.Cut(rest, "\n\n")
	if !ok || !okEnd {
		t.Fatal("the page has no table of messages")
	}
	want := head + begin + strings.Join(slices.Compact(rows), "\n") + "\n\n" + tail
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Error("the page does not list the messages: run go test ./backend/lib/fault -update")
	}
}

// cell escapes a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// readErrors finds every error of this package that the program's source makes.
func readErrors(t *testing.T) (list []made) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			filepath.Dir(file) == filepath.Join(root, "lib", "fault") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if m, ok := readError(n); ok {
				m.at = set.Position(n.Pos()).String()
				list = append(list, m)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// readError returns the error that an expression makes; ok is false if it makes none.
func readError(n ast.Node) (m made, ok bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		m.function = nameInFault(n.Fun)
		if !slices.Contains([]string{"New", "Invalid", "Kind"}, m.function) || len(n.Args) < 3 {
			return m, false
		}
		m.message, m.hint = text(n.Args[len(n.Args)-2]), text(n.Args[len(n.Args)-1])
		m.hasHint = m.hint != ""
		return m, true
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, isPair := e.(*ast.KeyValueExpr); isPair && fmt.Sprint(kv.Key) == "Hint" {
				m.hasHint = text(kv.Value) != ""
			}
		}
		return m, n.Type != nil && nameInFault(n.Type) == "Error"
	}
	return m, false
}

// nameInFault returns the name of something in this package, "" for anything else.
func nameInFault(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok && fmt.Sprint(s.X) == "fault" {
		return s.Sel.Name
	}
	return ""
}

// text returns a text in the source, with … for what the program computes.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return "…"
}
