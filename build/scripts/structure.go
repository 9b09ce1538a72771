//go:build ignore

// structure prints the figures of docs/architecture.md about the structure of the code:
//
//	go run build/scripts/structure.go [-dir CHECKOUT]
//	go run build/scripts/structure.go [-dir CHECKOUT] -folder backend/entry/cli
//
// With -folder it prints the order of that folder's files, those that only use others first, and the arrows back
// with the declarations that cause them.
//
// It reads only the syntax, so it works on any commit. It finds a method by its name if one file of the package
// declares it, unless files and buffers of the standard library have a method of that name, or a field has the name and
// is not called. An arrow leads from a file to each other file of its package whose declarations it uses. Arrows back
// are those that remain against the best order of files that a greedy search finds.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
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
	"unicode/utf8"
)

// maxLine limits a line, in characters.
const maxLine = 120

// linux is the system whose types are measured, including those of the window.
var linux = build.Context{
	GOOS:      "linux",
	GOARCH:    "amd64",
	Compiler:  "gc",
	BuildTags: []string{"desktop", "production", "webkit2_41"},
}

func main() {
	dir := flag.String("dir", ".", "the checkout to measure")
	folder := flag.String("folder", "", "print the order and the arrows back of this folder alone")
	flag.Parse()
	tree, err := readTree(*dir)
	if err != nil {
		log.Fatal(err)
	}
	if *folder != "" {
		if err := tree.printArrowsBack(filepath.Clean(*folder)); err != nil {
			log.Fatal(err)
		}
		return
	}
	tree.printTotals()
	tree.printFolders()
	tree.printTypes()
}

// source is one file of Go.
type source struct {
	name  string // base name
	test  bool
	other bool // for another system than Linux: it declares types a second time
	lines int
	long  int // lines of more than maxLine characters
	// tokens is the number of tokens, without comments. Unlike the number of lines, it hardly changes when a line is
	// broken.
	tokens int
	file   *ast.File
}

// tree is a checkout: the files of Go by folder.
type tree struct {
	folders map[string][]source
}

func readTree(root string) (tree, error) {
	t := tree{folders: map[string][]source{}}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		built, err := linux.MatchFile(filepath.Dir(path), d.Name())
		if err != nil {
			return err
		}
		s := source{name: d.Name(), test: strings.HasSuffix(path, "_test.go"), other: !built, file: file}
		s.tokens = countTokens(text)
		for line := range strings.Lines(string(text)) {
			s.lines++
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > maxLine {
				s.long++
			}
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		t.folders[folder] = append(t.folders[folder], s)
		return nil
	})
	return t, err
}

// countTokens leaves out the semicolons that the scanner adds at the ends of lines.
func countTokens(text []byte) int {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for n := 0; ; {
		switch _, kind, literal := s.Scan(); {
		case kind == token.EOF:
			return n
		case kind != token.SEMICOLON || literal != "\n":
			n++
		}
	}
}

func (t tree) printTotals() {
	var code, tests, tokens, long, functions, short int
	for _, files := range t.folders {
		for _, f := range files {
			long += f.long
			if f.test {
				tests += f.lines
				continue
			}
			code += f.lines
			tokens += f.tokens
			for _, d := range f.file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name != "main" && fn.Name.Name != "init" {
					functions++
					if countWords(fn.Name.Name) == 1 {
						short++
					}
				}
			}
		}
	}
	fmt.Println("| figure | value |\n|---|--:|")
	fmt.Printf("| lines of Go without tests | %d |\n| lines of Go tests | %d |\n", code, tests)
	fmt.Printf("| tokens of Go without tests | %d |\n", tokens)
	fmt.Printf("| lines over %d characters, tests too | %d |\n", maxLine, long)
	fmt.Printf("| functions and methods named with one word | %.1f %% of %d |\n",
		100*float64(short)/float64(functions), functions)
}

// countWords counts the words of a name: openBrowserURL has 3.
func countWords(name string) int {
	n := 0
	previous := '_'
	runes := []rune(name)
	for i, r := range runes {
		starts := unicode.IsUpper(r) &&
			(!unicode.IsUpper(previous) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if r != '_' && (previous == '_' || starts) {
			n++
		}
		previous = r
	}
	return n
}

func (t tree) printFolders() {
	fmt.Println("\n| folder | files | lines | arrows | back | share |\n|---|--:|--:|--:|--:|--:|")
	for _, folder := range slices.Sorted(maps.Keys(t.folders)) {
		files := t.code(folder)
		if len(files) < 4 {
			continue
		}
		lines := 0
		for _, f := range files {
			lines += f.lines
		}
		arrows := arrowsOf(files)
		back := len(arrowsBack(arrows, orderFiles(arrows, len(files))))
		fmt.Printf("| `%s` | %d | %d | %d | %d | %.0f %% |\n", folder, len(files), lines, len(arrows), back,
			100*float64(back)/float64(max(1, len(arrows))))
	}
}

// code lists the files of a folder that are not tests.
func (t tree) code(folder string) []source {
	return slices.DeleteFunc(slices.Clone(t.folders[folder]), func(f source) bool { return f.test })
}

// printArrowsBack prints the order of a folder's files, and what each arrow against it uses.
func (t tree) printArrowsBack(folder string) error {
	files := t.code(folder)
	if len(files) == 0 {
		return fmt.Errorf("no Go files in the folder %s", folder)
	}
	arrows := arrowsOf(files)
	place := orderFiles(arrows, len(files))
	order := make([]string, len(files))
	for i, f := range files {
		order[place[i]] = f.name
	}
	fmt.Printf("Order: %s\n\n| arrow back | uses |\n|---|---|\n", strings.Join(order, " "))
	back := arrowsBack(arrows, place)
	for _, a := range back {
		uses := slices.Sorted(maps.Keys(arrows[a]))
		fmt.Printf("| %s → %s | %s |\n", files[a.from].name, files[a.to].name, strings.Join(uses, " "))
	}
	fmt.Printf("\n%d of %d\n", len(back), len(arrows))
	return nil
}

type arrow struct{ from, to int }

// arrowsOf finds which file uses which other file, with the names of the used declarations.
func arrowsOf(files []source) map[arrow]map[string]bool {
	declared, methods := map[string]int{}, map[string][]int{}
	fields, calls := map[string]bool{}, map[ast.Expr]bool{}
	for i, f := range files {
		ast.Inspect(f.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				for _, field := range n.Fields.List {
					for _, name := range field.Names {
						fields[name.Name] = true
					}
				}
			case *ast.CallExpr:
				calls[n.Fun] = true
			}
			return true
		})
		for _, d := range f.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[d.Name.Name] = append(methods[d.Name.Name], i)
				} else {
					declared[d.Name.Name] = i
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						declared[s.Name.Name] = i
					case *ast.ValueSpec:
						for _, name := range s.Names {
							declared[name.Name] = i
						}
					}
				}
			}
		}
	}
	found := map[arrow]map[string]bool{}
	note := func(from, to int, name string) {
		a := arrow{from, to}
		if found[a] == nil {
			found[a] = map[string]bool{}
		}
		found[a][name] = true
	}
	for i, f := range files {
		locals, imports := localNames(f.file), importNames(f.file)
		visit := func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.SelectorExpr:
				id, isName := n.X.(*ast.Ident)
				isPackage := isName && id.Obj == nil && imports[id.Name]
				in := methods[n.Sel.Name]
				isOther := fields[n.Sel.Name] && !calls[n] || isPackage || commonMethods[n.Sel.Name]
				if len(in) == 1 && in[0] != i && !isOther {
					note(i, in[0], n.Sel.Name)
				}
				if isName && id.Obj == nil {
					return false // a package's name, or a variable
				}
			case *ast.Ident:
				if to, ok := declared[n.Name]; ok && to != i && !locals[n.Name] && n.Name != "_" {
					note(i, to, n.Name)
				}
			}
			return true
		}
		for _, d := range f.file.Decls { // not the file itself, which names its package
			ast.Inspect(d, visit)
		}
	}
	return found
}

// commonMethods are methods of files and buffers of the standard library.
var commonMethods = map[string]bool{
	"Close": true,
	"Error": true,
	"Len":   true,
	"Name":  true,
	"Open":  true,
	"Read":  true,
	"Size":  true,
	"Stat":  true,
	"Sync":  true,
	"Write": true,
}

// importNames returns the names under which a file imports packages.
func importNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, i := range file.Imports {
		if i.Name != nil {
			names[i.Name.Name] = true
		} else {
			names[path.Base(strings.Trim(i.Path.Value, `"`))] = true
		}
	}
	return names
}

// localNames returns the names that a file declares inside functions, which may hide those of the package.
func localNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						names[id.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// orderFiles gives each file its place in the greedy order of Eades, Lin and Smyth: files that only use others come
// first, and files that are only used come last.
func orderFiles(arrows map[arrow]map[string]bool, n int) []int {
	place := make([]int, n)
	left := map[int]bool{}
	for i := range n {
		left[i] = true
	}
	first, last := 0, n-1
	for len(left) > 0 {
		out, in := map[int]int{}, map[int]int{}
		for a := range arrows {
			if left[a.from] && left[a.to] {
				out[a.from]++
				in[a.to]++
			}
		}
		best, bestValue := -1, 0
		for _, i := range slices.Sorted(maps.Keys(left)) {
			switch {
			case out[i] == 0: // it uses no other: last
				best, bestValue = i, -n-1
			case bestValue >= -n && in[i] == 0: // no other uses it: first
				best, bestValue = i, n+1
			case bestValue >= -n && (best < 0 || out[i]-in[i] > bestValue):
				best, bestValue = i, out[i]-in[i]
			}
		}
		if bestValue == -n-1 {
			place[best] = last
			last--
		} else {
			place[best] = first
			first++
		}
		delete(left, best)
	}
	return place
}

// arrowsBack lists the arrows against an order.
func arrowsBack(arrows map[arrow]map[string]bool, place []int) []arrow {
	var back []arrow
	for a := range arrows {
		if place[a.from] > place[a.to] {
			back = append(back, a)
		}
	}
	slices.SortFunc(back, func(a, b arrow) int {
		return cmp.Or(cmp.Compare(place[a.from], place[b.from]), cmp.Compare(place[a.to], place[b.to]))
	})
	return back
}

// size holds the numbers of methods and fields of a type.
type size struct {
	name            string
	methods, fields int
}

func (t tree) printTypes() {
	var sizes []size
	var wide []size
	sets := t.methodSets()
	for folder, files := range t.folders {
		fields := map[string]int{}
		for _, f := range files {
			if f.test || f.other {
				continue
			}
			ast.Inspect(f.file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				switch typ := spec.Type.(type) {
				case *ast.StructType:
					fields[folder+"."+spec.Name.Name] += countNames(typ.Fields)
				case *ast.InterfaceType:
					if m := countNames(typ.Methods); m > 7 {
						wide = append(wide, size{name: folder + "." + spec.Name.Name, methods: m})
					}
				}
				return true
			})
		}
		for name, n := range fields {
			if s := (size{name: name, methods: len(sets.methods(name)), fields: n}); s.methods > 30 || s.fields > 25 {
				sizes = append(sizes, s)
			}
		}
	}
	slices.SortFunc(sizes, func(a, b size) int {
		return cmp.Or(cmp.Compare(b.methods, a.methods), cmp.Compare(b.fields, a.fields), cmp.Compare(a.name, b.name))
	})
	fmt.Println("\n| type with over 30 methods (embedded ones too) or 25 fields | methods | fields |\n|---|--:|--:|")
	for _, s := range sizes {
		fmt.Printf("| `%s` | %d | %d |\n", s.name, s.methods, s.fields)
	}
	slices.SortFunc(wide, func(a, b size) int { return cmp.Compare(a.name, b.name) })
	fmt.Println("\n| interface with over 7 methods | methods |\n|---|--:|")
	for _, s := range wide {
		fmt.Printf("| `%s` | %d |\n", s.name, s.methods)
	}
}

// methodSets has the types of a checkout by folder and name. Types of other modules, which have no entry, count as
// types without methods. arch_test.go counts in the same way.
type methodSets map[string]*methodSet

// methodSet is what a declaration contributes to the methods of a type.
type methodSet struct {
	declared map[string]bool
	embedded []string // keys of methodSets
}

func (t tree) methodSets() methodSets {
	m := methodSets{}
	for folder, files := range t.folders {
		for _, f := range files {
			if !f.test && !f.other {
				m.add(folder, f.file)
			}
		}
	}
	return m
}

func (m methodSets) of(key string) *methodSet {
	if m[key] == nil {
		m[key] = &methodSet{declared: map[string]bool{}}
	}
	return m[key]
}

// add adds the declarations of a file.
func (m methodSets) add(folder string, f *ast.File) {
	imports := map[string]string{} // folders by the names of the imports
	for _, i := range f.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = strings.TrimPrefix(at, "goalpost/")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				m.of(folder + "." + receiverName(d.Recv.List[0].Type)).declared[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					m.addType(folder, s, imports)
				}
			}
		}
	}
}

func (m methodSets) addType(folder string, s *ast.TypeSpec, imports map[string]string) {
	set := m.of(folder + "." + s.Name.Name)
	var members []*ast.Field
	switch typ := s.Type.(type) {
	case *ast.StructType:
		members = typ.Fields.List
	case *ast.InterfaceType:
		members = typ.Methods.List
		for _, f := range members {
			for _, name := range f.Names {
				set.declared[name.Name] = true
			}
		}
	default: // an alias has the methods of the other type
		if s.Assign.IsValid() {
			members = []*ast.Field{{Type: s.Type}}
		}
	}
	for _, f := range members {
		if len(f.Names) > 0 {
			continue
		}
		if x, ok := ast.Unparen(f.Type).(*ast.StarExpr); ok {
			f = &ast.Field{Type: x.X}
		}
		if sel, ok := f.Type.(*ast.SelectorExpr); ok {
			set.embedded = append(set.embedded, imports[receiverName(sel.X)]+"."+sel.Sel.Name)
		} else if name := receiverName(f.Type); name != "" {
			set.embedded = append(set.embedded, folder+"."+name)
		}
	}
}

// methods returns the methods of a type, with those that it gets from the types that it embeds.
func (m methodSets) methods(key string) map[string]bool {
	all, seen := map[string]bool{}, map[string]bool{}
	var collect func(key string)
	collect = func(key string) {
		set := m[key]
		if set == nil || seen[key] {
			return
		}
		seen[key] = true
		maps.Copy(all, set.declared)
		for _, e := range set.embedded {
			collect(e)
		}
	}
	collect(key)
	return all
}

func countNames(list *ast.FieldList) int {
	n := 0
	for _, f := range list.List {
		n += max(1, len(f.Names))
	}
	return n
}

// receiverName returns the name of the type that a method belongs to.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
