package calls_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update", false, "write docs/stream.md")

// TestCallsPage_IsCurrent compares the list of calls in docs/stream.md with the methods of the bound types.
func TestCallsPage_IsCurrent(t *testing.T) {
	const first, last = "<!-- calls: begin -->\n", "<!-- calls: end -->\n"
	page := filepath.Join("..", "..", "..", "docs", "stream.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	before, rest, ok := strings.Cut(text, first)
	_, after, ended := strings.Cut(rest, last)
	if !ok || !ended {
		t.Fatalf("%s has lost its marks %q and %q", page, first, last)
	}
	want := before + first + callsTable(t) + last + after
	if *updateDocs {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Error("docs/stream.md is stale: write it with `go test ./backend/goals/calls -run CallsPage -update`")
	}
}

// callsTable lists the bound types and their methods with their doc comments.
func callsTable(t *testing.T) string {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "goalpost/backend/goals/calls")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, typ := range pkg.Types {
		if !strings.HasSuffix(typ.Name, "API") {
			continue
		}
		fmt.Fprintf(&out, "\n### %s\n\n| call | what it does |\n|---|---|\n", typ.Name)
		for _, m := range typ.Methods {
			if m.Doc == "" {
				t.Errorf("%s.%s has no comment", typ.Name, m.Name)
			}
			does := strings.TrimPrefix(strings.Join(strings.Fields(m.Doc), " "), m.Name+" ")
			fmt.Fprintf(&out, "| `%s%s` | %s |\n", m.Name, signature(fset, m.Decl.Type), strings.ReplaceAll(does, "|", "\\|"))
		}
	}
	return out.String() + "\n"
}

// signature formats a method as the page calls it: the arguments, and the result without the error.
func signature(fset *token.FileSet, f *ast.FuncType) string {
	show := func(e ast.Expr) string {
		var b bytes.Buffer
		_ = printer.Fprint(&b, fset, e) // into memory
		return b.String()
	}
	var arguments, results []string
	for _, field := range f.Params.List {
		typ := show(field.Type)
		if typ == "context.Context" { // comes from the program, not from the page
			continue
		}
		for _, name := range field.Names {
			arguments = append(arguments, name.Name+" "+typ)
		}
	}
	if f.Results != nil {
		for _, field := range f.Results.List {
			results = append(results, show(field.Type))
		}
	}
	results = slices.DeleteFunc(results, func(s string) bool { return s == "error" })
	return strings.TrimSpace("(" + strings.Join(arguments, ", ") + ") " + strings.Join(results, ", "))
}
