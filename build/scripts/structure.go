//go:build ignore

// structure prints the figures of docs/architecture.md:
//
//	go run build/scripts/structure.go [-dir CHECKOUT]
//
// It reads only the syntax, so it works on any commit. Unless a figure says otherwise, tests are not counted.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

func main() {
	dir := flag.String("dir", ".", "the checkout to measure")
	flag.Parse()
	t := tree{arrows: map[string]map[string]bool{}}
	if err := filepath.WalkDir(*dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(*dir, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != "." || slices.Contains(skippedFolders, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		return t.add(name, file)
	}); err != nil {
		log.Fatal(err)
	}
	t.print()
}

// skippedFolders are not ours, or are written by programs.
var skippedFolders = []string{"node_modules", "testdata", "dist", "bin"}

// tree counts the files of a checkout.
type tree struct {
	goLines, goTestLines, tsLines, tsTestLines, generatedLines, docBytes int

	methods, foreignReceivers      int
	variables, participleVariables int
	apiInterfaces                  int
	arrows                         map[string]map[string]bool // imports from package to package of groups
}

func (t *tree) add(name, file string) error {
	switch path.Ext(name) {
	case ".go", ".ts", ".tsx", ".md":
	default:
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Count(string(text), "\n")
	switch ext := path.Ext(name); {
	case ext == ".md":
		if !strings.HasPrefix(name, "backend/") { // those are texts for models
			t.docBytes += len(text)
		}
	case strings.HasSuffix(name, "_test.go"):
		t.goTestLines += lines
	case ext == ".go":
		t.goLines += lines
		return t.addGo(name, text)
	case strings.Contains(name, ".gen."):
		t.generatedLines += lines
	case strings.Contains(name, ".test."):
		t.tsTestLines += lines
	default:
		t.tsLines += lines
	}
	return nil
}

func (t *tree) addGo(name string, text []byte) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	from := room(path.Dir(name))
	for _, i := range file.Imports {
		if to, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "goalpost/"); ok && room(to) != from {
			if t.arrows[from] == nil {
				t.arrows[from] = map[string]bool{}
			}
			t.arrows[from][room(to)] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			t.addReceiver(n.Recv)
			t.addFields(n.Type.Params)
			t.addFields(n.Type.Results)
		case *ast.TypeSpec:
			if _, ok := n.Type.(*ast.InterfaceType); ok && slices.Contains([]string{"api", "calls"}, path.Base(path.Dir(name))) {
				t.apiInterfaces++
			}
		case *ast.StructType:
			t.addFields(n.Fields)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				t.addVariable(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						t.addVariable(id)
					}
				}
			}
		}
		return true
	})
	return nil
}

func (t *tree) addFields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			t.addVariable(id)
		}
	}
}

func (t *tree) addVariable(id *ast.Ident) {
	if id.Name == "_" {
		return
	}
	t.variables++
	if slices.Contains(participles, strings.ToLower(id.Name)) {
		t.participleVariables++
	}
}

// participles are words that say nothing about what a variable holds.
var participles = strings.Fields(`again asked bare begun broken chosen given gone half handed held here kept known late
	left lent lives lost made meant over own read said same seen shown spoken stale still taken then there told tried
	untold whole word`)

func (t *tree) addReceiver(list *ast.FieldList) {
	if list == nil || len(list.List[0].Names) == 0 {
		return
	}
	t.methods++
	name, typ := list.List[0].Names[0].Name, receiverType(list.List[0].Type)
	if !strings.HasPrefix(strings.ToLower(typ), name) && name != initials(typ) {
		t.foreignReceivers++
	}
}

// receiverType returns the name of the type that a method belongs to.
func receiverType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverType(e.X)
	case *ast.IndexExpr:
		return receiverType(e.X)
	case *ast.IndexListExpr:
		return receiverType(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// initials returns the first letters of a name's words, in lower case: ab for activeBrowser.
func initials(name string) string {
	var b strings.Builder
	previous := 'a'
	for i, r := range name {
		if i == 0 || unicode.IsUpper(r) && !unicode.IsUpper(previous) {
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	return b.String()
}

// room returns the package of a group that a folder belongs to, as arch_test.go has them.
func room(folder string) string {
	parts := strings.Split(folder, "/")
	depth := 2
	if parts[0] == "backend" && len(parts) > 1 && parts[1] != "app" {
		depth = 3
	}
	return path.Join(parts[:min(depth, len(parts))]...)
}

// groupOf returns the group of a room: backend/core of backend/core/runner.
func groupOf(room string) string {
	parts := strings.Split(room, "/")
	return path.Join(parts[:min(2, len(parts))]...)
}

func (t *tree) print() {
	between, groups := map[string]bool{}, map[string]bool{}
	inGroups := 0
	for from, list := range t.arrows {
		for to := range list {
			groups[groupOf(from)], groups[groupOf(to)] = true, true
			if groupOf(from) == groupOf(to) {
				inGroups++
			} else {
				between[groupOf(from)+" "+groupOf(to)] = true
			}
		}
	}
	share := func(part, all int) string {
		return fmt.Sprintf("%.1f %% of %d", 100*float64(part)/float64(max(1, all)), all)
	}
	fmt.Println("| figure | value |\n|---|--:|")
	for _, row := range [][2]any{
		{"groups", len(groups)},
		{"arrows between groups", len(between)},
		{"arrows between packages of one group", inGroups},
		{"receivers not of their type", share(t.foreignReceivers, t.methods)},
		{"variables named by a participle or adverb", share(t.participleVariables, t.variables)},
		{"interfaces of `api` and `calls`", t.apiInterfaces},
		{"Go without tests", fmt.Sprintf("%d lines", t.goLines)},
		{"Go tests", fmt.Sprintf("%d lines", t.goTestLines)},
		{"TypeScript without tests", fmt.Sprintf("%d lines", t.tsLines)},
		{"TypeScript tests", fmt.Sprintf("%d lines", t.tsTestLines)},
		{"generated TypeScript", fmt.Sprintf("%d lines", t.generatedLines)},
		{"documents", fmt.Sprintf("%d kB", t.docBytes/1000)},
	} {
		fmt.Printf("| %v | %v |\n", row[0], row[1])
	}
	fmt.Println("\n| group | imports |\n|---|---|")
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		var to []string
		for pair := range between {
			if from, target, _ := strings.Cut(pair, " "); from == group {
				to = append(to, strings.TrimPrefix(target, "backend/"))
			}
		}
		slices.Sort(to)
		fmt.Printf("| `%s` | %s |\n", group, strings.Join(to, ", "))
	}
}
