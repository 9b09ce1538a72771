package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "goalpost"

// floors lists the groups of packages, from the bottom up, as docs/architecture.md draws them. A package imports
// packages of lower floors, and those of its own group that neighbours lists.
var floors = [][]string{
	{"backend/lib"},
	{"backend/domain"},
	{"backend/core", "backend/agent", "backend/panes", "backend/storage", "backend/host"},
	{"backend/goals"},
	{"backend/app"},
	{"backend/entry", "frontend"},
	{".", "cmd/goalctl", "cmd/goalpost-helper", "cmd/goalpost-predicate"},
}

// upward lists the only imports of a package of a higher floor: the app also opens two ways in that it passes on to
// others.
var upward = map[string][]string{"backend/app": {"backend/entry/editor", "backend/entry/mcpserve"}}

// neighbours lists what packages may import of their own group. The core, whose interfaces the packages beside it
// implement, is not among them: goals connects them.
var neighbours = map[string][]string{
	"backend/lib/fileio":   {"text"},
	"backend/lib/folder":   {"text"},
	"backend/lib/shell":    {"text"},
	"backend/domain/goal":  {"policy"},
	"backend/domain/event": {"goal", "pane", "policy"},
	"backend/host/sandbox": {"procnet"},
	"backend/entry/cli":    {"serve"},

	"backend/goals/network":     {"api"},
	"backend/goals/models":      {"api"},
	"backend/goals/panes":       {"api"},
	"backend/goals/access":      {"api", "network"},
	"backend/goals/goalsandbox": {"api", "access", "network"},
	"backend/goals/mcpservers":  {"api", "access", "goalsandbox"},
	"backend/goals/doctor":      {"api", "access", "goalsandbox", "mcpservers", "models"},
	"backend/goals/session": {
		"api", "goalsandbox", "mcpservers", "models", "network", "panes", "worktrees",
	},
	"backend/goals/peers": {"api", "panes", "session"},
	"backend/goals/lifecycle": {
		"api", "access", "goalsandbox", "models", "network", "panes", "session", "worktrees",
	},
}

// homes lists the only packages that may import external code, by import prefix. It includes two packages of the
// standard library: one starts programs, the other one speaks SQL.
var homes = map[string][]string{
	"github.com/wailsapp/wails/v2": {"."},
	"github.com/creack/pty":        {"backend/panes/terminal"},
	"github.com/charmbracelet/x":   {"backend/panes/terminal"},
	"github.com/go-rod/rod":        {"backend/panes/browser"},
	"github.com/ysmood":            {"backend/panes/browser"},
	"github.com/mattn/go-sqlite3":  {"backend/storage/store"},
	"github.com/oklog/ulid/v2":     {"backend/storage/store"},
	// for a folder that is watched during a check, and for the events of a cgroup
	"github.com/fsnotify/fsnotify": {"backend/core/verify", "backend/host/sandbox"},
	"github.com/gofrs/flock": {
		"backend/storage/store", "backend/storage/config", "backend/storage/secret", "backend/panes/browser", ".",
	},
	"database/sql": {"backend/storage/store"},
	// agents as engines, and an agent for editors
	"github.com/coder/acp-go-sdk":     {"backend/agent/engine", "backend/entry/editor"},
	"github.com/coder/websocket":      {"backend/panes/stream", "backend/entry/serve"},
	"github.com/google/jsonschema-go": {"backend/agent/tools", "backend/agent/mcp"},
	"github.com/modelcontextprotocol": {"backend/agent/mcp"},
	"mvdan.cc/sh/v3":                  {"backend/lib/shell", "backend/core/verify", "backend/agent/tools"},
	// for web pages that models read
	"codeberg.org/readeck/go-readability/v2":          {"backend/agent/tools"},
	"github.com/JohannesKaufmann/html-to-markdown/v2": {"backend/agent/tools"},
	"golang.org/x/net":                                {"backend/agent/tools"},
	// for its diff; every package may use its test scripts in tests
	"github.com/rogpeppe/go-internal": {"backend/core/verify", "backend/agent/tools", "backend/storage/snapshot"},
	"go.yaml.in/yaml/v3":              {"backend/storage/config"},
	"golang.org/x/sys":                {"backend/host/sandbox", "cmd/goalpost-helper", "cmd/goalpost-predicate"},
	"github.com/dop251/goja":          {"cmd/goalpost-predicate"},
	// the browser looks for Chromium, see TestPrograms_StartOnlyInTheSandbox
	"os/exec":                       {"backend/host/sandbox", "backend/panes/browser"},
	"golang.org/x/term":             {"backend/entry/cli"},
	"github.com/spf13/cobra":        {"backend/entry/cli"},
	"github.com/spf13/pflag":        {"backend/entry/cli"},
	"github.com/zalando/go-keyring": {"backend/storage/secret"},
	"filippo.io/age":                {"backend/storage/secret"},
	"github.com/godbus/dbus/v5":     {"backend/host/notify", "backend/host/sandbox"}, // the desktop, and systemd
}

// alone lists the packages that may import only the named packages of ours, and their own sub-packages.
var alone = map[string][]string{
	"cmd/goalpost-helper":    {"backend/host/sandbox/wire", "backend/host/procnet"},
	"cmd/goalpost-predicate": {},
}

// trees has the order inside a package with sub-packages: what each of them may import of the same tree. The package
// itself may import all of them, and none of them imports the package.
var trees = map[string]map[string][]string{
	"backend/panes/browser": {
		"internal/cdp":      {},
		"internal/chromium": {"internal/cdp"},
		"internal/script":   {"internal/cdp"},
		"screencast":        {"internal/cdp"},
	},
	"backend/core/runner": {
		"conversation": {},
		"digest":       {},
		"loopguard":    {"digest"},
		"toolbox":      {},
		"prompt":       {},
		"stall":        {"digest"},
	},
	"backend/host/sandbox": {
		"autorun":     {},
		"cgroup":      {},
		"egress":      {},
		"environ":     {"spec", "wire"},
		"mounts":      {"autorun", "spec", "wire"},
		"sandboxtest": {},
		"spec":        {},
		"wire":        {},
	},
	"backend/agent/tools": {
		"commandline": {},
		"description": {},
		"webpage":     {},
		"websearch":   {},
	},
	"backend/core/verify": {
		"baseline":  {},
		"check":     {"baseline", "inputs", "judge", "protect", "summary", "shellline"},
		"inputs":    {"shellline"},
		"judge":     {"baseline"},
		"protect":   {"baseline", "inputs"},
		"shellline": {},
		"summary":   {},
	},
	"cmd/goalpost-helper": {
		"internal/filetrace": {},
		"internal/landlock":  {},
		"internal/memwatch":  {"internal/socket"},
		"internal/nsinit": {
			"internal/filetrace", "internal/landlock", "internal/memwatch", "internal/privileges", "internal/rootfs",
			"internal/seccomp", "internal/socket", "internal/supervise",
		},
		"internal/openat":     {},
		"internal/privileges": {},
		"internal/rootfs":     {"internal/openat", "internal/socket"},
		"internal/seccomp": {
			"internal/filetrace", "internal/openat", "internal/privileges", "internal/socket", "internal/unixdiag",
		},
		"internal/socket":    {},
		"internal/sshhelp":   {},
		"internal/supervise": {"internal/socket"},
		"internal/unixdiag":  {},
	},
	"backend/app":          {"tasks": {}, "transcript": {}, "trust": {}},
	"backend/agent/engine": {"acp": {}, "acp/acptest": {}, "relay": {}},
	"backend/agent/mcp":    {"mcptest": {}},
	"backend/agent/model":  {"catalog": {}, "modeltest": {}},
}

// treeFaults reports every import inside a tree that is not in its order, and every sub-package that has no place in
// one.
func treeFaults(packages []pkg) []string {
	var found []string
	for _, p := range packages {
		self := inside(p.ImportPath)
		tree := packageOf(self)
		sub := strings.TrimPrefix(strings.TrimPrefix(self, tree), "/")
		if sub == "" {
			continue
		}
		allowed, drawn := trees[tree][sub]
		if !drawn {
			found = append(found, self+" has no place in the order of "+tree+": give it one in arch_test.go")
			continue
		}
		for _, name := range p.Imports {
			target := inside(name)
			if target == name || packageOf(target) != tree {
				continue
			}
			if !slices.Contains(allowed, strings.TrimPrefix(target, tree+"/")) {
				found = append(found, self+" imports "+target+" against the order of "+tree)
			}
		}
	}
	return found
}

// pkg is go list's description of a package.
type pkg struct {
	ImportPath string
	Imports    []string // of its non-test files
	GoFiles    []string // base names, without tests and files for other systems
	Module     struct{ Path string }
}

// faults compares packages with the drawing, and returns one sentence for each import that is not in it.
func faults(packages []pkg) []string {
	var found []string
	say := func(format string, a ...any) { found = append(found, fmt.Sprintf(format, a...)) }
	for _, p := range packages {
		self := inside(p.ImportPath)
		if floorOf(self) < 0 {
			say("%s is in no group: move it into one, or name a new group in arch_test.go", self)
			continue
		}
		for _, name := range p.Imports {
			if name == module || strings.HasPrefix(name, module+"/") {
				arrow(say, self, inside(name))
				continue
			}
			foreign(say, self, name)
		}
	}
	return found
}

// arrow judges an import of one of our own packages.
func arrow(say func(string, ...any), self, target string) {
	home, to := packageOf(self), packageOf(target)
	if list, ok := alone[home]; ok {
		if to != home && !slices.Contains(list, target) {
			say("%s imports %s; it may import %s only", self, target, strings.Join(list, ", "))
		}
		return
	}
	switch {
	case to == home, floorOf(to) < floorOf(home), slices.Contains(upward[home], to):
	case groupOf(to) == groupOf(home) && slices.Contains(neighbours[home], path.Base(to)):
	case floorOf(to) == floorOf(home):
		say("%s imports its neighbour %s", self, target)
	default:
		say("%s imports %s, which is above it", self, target)
	}
}

// foreign judges an import of the standard library or of a third party.
func foreign(say func(string, ...any), self, name string) {
	home := packageOf(self)
	for prefix, owners := range homes {
		if name != prefix && !strings.HasPrefix(name, prefix+"/") {
			continue
		}
		if !slices.Contains(owners, home) {
			say("%s imports %s, which lives in %s alone", self, name, strings.Join(owners, ", "))
		}
		return
	}
	switch host, _, _ := strings.Cut(name, "/"); {
	case !strings.Contains(host, "."): // standard library
	case floorOf(home) <= 1:
		say("%s imports %s; lib and domain know the standard library only", self, name)
	default:
		say("%s imports %s, which has no home: name one in arch_test.go and its licence in docs/licences.md", self, name)
	}
}

// inside returns an import path without the module; the root is ".".
func inside(importPath string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}

// groupOf returns the group of a path: its first two parts.
func groupOf(p string) string { return firstParts(p, 2) }

// packageOf returns the package in a group that a path belongs to, without sub-packages: its first three parts. The
// groups app and those of the programs are packages themselves.
func packageOf(p string) string {
	if group := groupOf(p); group == "backend/app" || !strings.HasPrefix(group, "backend/") {
		return group
	}
	return firstParts(p, 3)
}

func firstParts(p string, n int) string {
	parts := strings.Split(p, "/")
	if parts[0] == "frontend" {
		n = 1
	}
	return path.Join(parts[:min(n, len(parts))]...)
}

// floorOf returns the floor of a path's group, -1 if it has none.
func floorOf(p string) int {
	return slices.IndexFunc(floors, func(groups []string) bool { return slices.Contains(groups, groupOf(p)) })
}

// listPackages runs go list. -e: a file that does not compile yet still has its imports.
func listPackages(args ...string) (list []pkg, err error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Imports,GoFiles,Module"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

var (
	// listAll lists the packages of ./... and everything that they need.
	listAll = sync.OnceValues(func() ([]pkg, error) { return listPackages("-deps", "./...") })
	// listWindow lists the same of the programs, as they are built for the window.
	listWindow = sync.OnceValues(func() ([]pkg, error) {
		return listPackages("-deps", "-tags", "desktop,production,webkit2_41", ".", "./cmd/...")
	})
)

// ours returns the packages of this module.
func ours(t *testing.T) []pkg { return oursOf(t, listAll) }

func oursOf(t *testing.T, list func() ([]pkg, error)) (own []pkg) {
	t.Helper()
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		// frontend/node_modules may contain third-party packages.
		if p.Module.Path == module && !strings.Contains(p.ImportPath, "/node_modules/") {
			own = append(own, p)
		}
	}
	return own
}

// reachable returns the packages with these prefixes, and everything that they need.
func reachable(list []pkg, prefixes ...string) (found []pkg) {
	byPath, seen := map[string]pkg{}, map[string]bool{}
	for _, p := range list {
		byPath[p.ImportPath] = p
	}
	var visit func(string)
	visit = func(name string) {
		p, ok := byPath[name]
		if !ok || seen[name] {
			return
		}
		seen[name] = true
		found = append(found, p)
		for _, to := range p.Imports {
			visit(to)
		}
	}
	for _, p := range list {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(p.ImportPath, prefix) }) {
			visit(p.ImportPath)
		}
	}
	return found
}

func TestImports_FollowTheDrawing(t *testing.T) {
	list := ours(t)
	if len(list) < 10 {
		t.Fatalf("go list found only %d packages", len(list))
	}
	for _, fault := range append(faults(list), treeFaults(list)...) {
		t.Error(fault)
	}
}

func TestTreeFaults_WrongOrder_IsReported(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"goalpost/backend/core/runner", "goalpost/backend/core/runner/stall", ""},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner/digest", ""},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/domain/goal", ""},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner", "the order of backend/core/runner"},
		{
			"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner/prompt",
			"against the order of backend/core/runner",
		},
		{"goalpost/backend/core/verify/inputs", "goalpost/backend/core/verify/protect", "against the order"},
		{"goalpost/backend/core/runner/shed", "fmt", "has no place in the order"},
		{"goalpost/cmd/goalpost-helper", "goalpost/cmd/goalpost-helper/internal/supervise", ""},
		{"goalpost/cmd/goalpost-helper/internal/nsinit", "goalpost/cmd/goalpost-helper/internal/supervise", ""},
		{
			"goalpost/cmd/goalpost-helper/internal/seccomp", "goalpost/cmd/goalpost-helper/internal/rootfs",
			"against the order of cmd/goalpost-helper",
		},
		{
			"goalpost/cmd/goalpost-helper/internal/supervise", "goalpost/cmd/goalpost-helper/internal/nsinit",
			"against the order of cmd/goalpost-helper",
		},
	} {
		got := strings.Join(treeFaults([]pkg{{ImportPath: c.from, Imports: []string{c.to}}}), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s -> %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// The limits on the size of a type. A type that exceeds one should become several types.
const (
	maxMethods          = 40 // with those of embedded types
	maxFields           = 25
	maxInterfaceMethods = 7
)

func TestTypes_AreNotTooLarge(t *testing.T) {
	looked := 0
	packages, sets := map[string][]*ast.File{}, methodSets{}
	for _, p := range ours(t) {
		dir := inside(p.ImportPath)
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			packages[dir] = append(packages[dir], f)
			sets.add(dir, f)
			looked++
		}
	}
	for dir, files := range packages {
		for _, fault := range largeTypes(dir, files, sets) {
			t.Errorf("%s: %s", dir, fault)
		}
	}
	if looked < 500 {
		t.Fatalf("looked at only %d files", looked)
	}
}

// largeTypes returns one sentence for each type of a package that exceeds a limit. An embedded type counts as one field
// of a struct and as one method of an interface.
func largeTypes(dir string, files []*ast.File, sets methodSets) []string {
	var found []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			switch typ := spec.Type.(type) {
			case *ast.StructType:
				if k := countMembers(typ.Fields); k > maxFields {
					found = append(found, fmt.Sprintf("%s has %d fields, %d are allowed", spec.Name.Name, k, maxFields))
				}
			case *ast.InterfaceType:
				if k := countMembers(typ.Methods); k > maxInterfaceMethods {
					found = append(found, fmt.Sprintf("the interface %s has %d methods, %d are allowed", spec.Name.Name, k,
						maxInterfaceMethods))
				}
			}
			return true
		})
	}
	for _, name := range sets.typesOf(dir) {
		if k := len(sets.methods(dir + "." + name)); k > maxMethods {
			found = append(found, fmt.Sprintf("%s has %d methods with those of embedded types, %d are allowed", name, k,
				maxMethods))
		}
	}
	return found
}

func countMembers(list *ast.FieldList) int {
	n := 0
	for _, f := range list.List {
		n += max(1, len(f.Names))
	}
	return n
}

// methodSets has the types of this module by folder and name, such as "backend/app.App". Types of other modules, which
// have no entry, count as types without methods. build/scripts/structure.go counts in the same way.
type methodSets map[string]*methodSet

// methodSet is what a declaration contributes to the methods of a type.
type methodSet struct {
	declared map[string]bool
	embedded []string // keys of methodSets
}

func (m methodSets) of(key string) *methodSet {
	if m[key] == nil {
		m[key] = &methodSet{declared: map[string]bool{}}
	}
	return m[key]
}

// add adds the declarations of a file.
func (m methodSets) add(dir string, f *ast.File) {
	imports := map[string]string{} // folders by the names of the imports
	for _, i := range f.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = inside(at)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				m.of(dir + "." + receiverName(d.Recv.List[0].Type)).declared[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					m.addType(dir, s, imports)
				}
			}
		}
	}
}

func (m methodSets) addType(dir string, s *ast.TypeSpec, imports map[string]string) {
	set := m.of(dir + "." + s.Name.Name)
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
			set.embedded = append(set.embedded, dir+"."+name)
		}
	}
}

// typesOf returns the names of the types of a folder.
func (m methodSets) typesOf(dir string) (names []string) {
	for key := range m {
		if name, ok := strings.CutPrefix(key, dir+"."); ok && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
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
	return ""
}

// textFunction matches the names of functions that only backend/lib/text declares, if they take a text and return one.
var textFunction = regexp.MustCompile(`^(?i:truncate|sanitize|strip|wrapUntrusted|firstLine)($|[A-Z])`)

// TestTextFunctions_AreDeclaredInOnePackage enforces the glossary's rule: only backend/lib/text truncates and sanitizes
// text.
func TestTextFunctions_AreDeclaredInOnePackage(t *testing.T) {
	for _, file := range listFiles(t, "*.go") {
		if strings.HasSuffix(file, "_test.go") || path.Dir(file) == "backend/lib/text" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range textFunctions(f) {
			t.Errorf("%s declares %s: use or extend backend/lib/text", file, name)
		}
	}
}

// textFunctions returns the functions and methods of a file that textFunction matches, and that take and return text.
func textFunctions(f *ast.File) (names []string) {
	hasText := func(list *ast.FieldList) bool {
		return list != nil && slices.ContainsFunc(list.List, func(f *ast.Field) bool {
			typ := types.ExprString(f.Type)
			return typ == "string" || typ == "[]byte"
		})
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && textFunction.MatchString(fn.Name.Name) && hasText(fn.Type.Params) && hasText(fn.Type.Results) {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

func TestTextFunctions_OfAnySignature_AreFoundIfTheyMakeText(t *testing.T) {
	for source, want := range map[string]bool{
		"func truncate(s string, n int) string":     true,
		"func (t T) SanitizeLine(b []byte) string":  true,
		"func wrapUntrusted(a, b string) string":    true,
		"func firstLine(s string) (string, error)":  true,
		"func truncateResult(r *Result, step int)":  false,
		"func stripHopHeaders(h Header)":            false,
		"func shorten(s string) string":             false,
		"func stripComments(lines []string) string": false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(textFunctions(f)) > 0; got != want {
			t.Errorf("%s: found %t", source, got)
		}
	}
}

func TestLargeTypes_AboveTheLimits_AreReported(t *testing.T) {
	methods := func(receiver string, from, to int) (source string) {
		for i := from; i <= to; i++ {
			source += fmt.Sprintf("func (t %s) F%d() {};", receiver, i)
		}
		return source
	}
	sets := methodSets{}
	add := func(dir, source string) *ast.File {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		sets.add(dir, f)
		return f
	}
	add("backend/q", "package q; type Part struct{};"+methods("*Part", 1, 30))
	for i, c := range []struct {
		source string
		want   string // part of the sentence, "" if the type is small enough
	}{
		{"type T struct {" + strings.Repeat("a, b int;", 12) + "c int}", ""},
		{"type T struct {" + strings.Repeat("a, b int;", 13) + "}", "T has 26 fields"},
		{"type T struct {" + strings.Repeat("E;", 26) + "}", "T has 26 fields"},
		{"type I interface {" + strings.Repeat("F();", 7) + "}", ""},
		{"type I interface {" + strings.Repeat("F();", 8) + "}", "the interface I has 8 methods"},
		{"func f() { type T struct {" + strings.Repeat("a int;", 26) + "} }", "T has 26 fields"},
		{methods("T", 1, 40), ""},
		{methods("T", 1, 20) + methods("*T", 21, 41), "T has 41 methods"},
		{methods("T[K]", 1, 41), "T has 41 methods"},
		{"type T struct { a int; e };" + methods("T", 1, 11) + methods("e", 12, 41), "T has 41 methods"},
		{"type T struct { *e };" + methods("T", 1, 11) + methods("*e", 12, 41), "T has 41 methods"},
		{"type T struct { e[int] };" + methods("T", 1, 11) + methods("*e[K]", 12, 41), "T has 41 methods"},
		{"type T struct { e };" + methods("T", 1, 30) + methods("e", 11, 40), ""}, // declared again
		{"type T struct { e e };" + methods("T", 1, 11) + methods("e", 12, 41), ""},
		{"type T struct { e }; type e struct { g };" + methods("e", 1, 11) + methods("g", 12, 41), "T has 41 methods"},
		{"type T struct { e }; type e = g;" + methods("T", 1, 11) + methods("g", 12, 41), "T has 41 methods"},
		{"type T struct { i }; type i interface { F1(); j }; type j interface { F2() };" + methods("T", 3, 41), "T has 41"},
		{`import "goalpost/backend/q"; type T struct { *q.Part };` + methods("T", 31, 41), "T has 41 methods"},
		{`import r "goalpost/backend/q"; type T struct { r.Part };` + methods("T", 31, 41), "T has 41 methods"},
		{`import "example.org/q"; type T struct { *q.Part };` + methods("T", 31, 41), ""},
	} {
		dir := fmt.Sprintf("backend/p%d", i)
		f := add(dir, "package p;"+c.source)
		got := strings.Join(largeTypes(dir, []*ast.File{f}, sets), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%.80s…: %q, want %q", c.source, got, c.want)
		}
	}
}

// TestImports_WithWindowTags_FollowTheDrawing checks the root as it is built for the window.
func TestImports_WithWindowTags_FollowTheDrawing(t *testing.T) {
	for _, fault := range faults(oursOf(t, listWindow)) {
		t.Error(fault)
	}
}

func TestArchitecturePage_ListsEveryPackage(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ours(t) {
		if name := packageOf(inside(p.ImportPath)); name != "." && !bytes.Contains(page, []byte("| `"+name+"` |")) {
			t.Errorf("docs/architecture.md does not tell of `%s`", name)
		}
	}
	for floor, groups := range floors {
		for _, name := range groups {
			line := fmt.Sprintf("| %d | `%s` |", floor, name)
			if !bytes.Contains(page, []byte(line)) {
				t.Errorf("docs/architecture.md has no line %s", line)
			}
		}
	}
}

// TestLicencesPage_ListsEveryDependency checks the dependencies of Go and of the page.
func TestLicencesPage_ListsEveryDependency(t *testing.T) {
	page, err := os.ReadFile("docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := func(name string) {
		if !bytes.Contains(page, []byte("| "+name+" |")) {
			t.Errorf("docs/licences.md does not tell of %s", name)
		}
	}
	linked, err := listWindow()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range linked {
		if name := p.Module.Path; name != "" && name != module {
			listed(name)
		}
	}
	b, err := os.ReadFile("frontend/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(b, &p); err != nil || len(p.Dependencies) == 0 {
		t.Fatalf("%d dependencies, %v", len(p.Dependencies), err)
	}
	for _, all := range []map[string]string{p.Dependencies, p.DevDependencies} {
		for name := range all {
			listed(name)
		}
	}
}

// TestBackend_LinksNoWindowLibrary keeps goalctl, and everything but the root, free of GUI libraries.
func TestBackend_LinksNoWindowLibrary(t *testing.T) {
	all, err := listAll()
	if err != nil {
		t.Fatal(err)
	}
	linked := reachable(all, module+"/backend/", module+"/cmd/")
	if len(linked) < 300 {
		t.Fatalf("only %d packages are linked", len(linked))
	}
	for _, p := range linked {
		if strings.HasPrefix(p.ImportPath, "github.com/wailsapp/") {
			t.Errorf("%s is linked without a window", p.ImportPath)
		}
	}
}

// TestPrograms_StartOnlyInTheSandbox finds code that starts programs directly. The sandbox starts them with the
// helper.
func TestPrograms_StartOnlyInTheSandbox(t *testing.T) {
	starts := []string{
		"exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.ForkExec",
		"syscall.StartProcess",
	}
	looked := 0
	for _, p := range ours(t) {
		dir := inside(p.ImportPath)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") ||
				slices.Contains([]string{"backend/host/sandbox", "cmd/goalpost-helper"}, packageOf(dir)) {
				continue
			}
			looked++
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && slices.Contains(starts, x.Name+"."+s.Sel.Name) {
						t.Errorf("%s calls %s.%s: every child starts through a process.Launcher", file, x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if looked < 20 {
		t.Fatalf("looked at only %d files", looked)
	}
}

func TestFaults_ForbiddenImport_IsReported(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     string // part of the sentence, "" if the arrow is drawn
	}{
		{"goalpost/backend/domain/goal", "goalpost/backend/domain/policy", ""},
		{
			"goalpost/backend/domain/goal", "goalpost/backend/core/runner",
			"backend/domain/goal imports backend/core/runner, which is above it",
		},
		{"goalpost/backend/domain/goal", "github.com/oklog/ulid/v2", "lives in backend/storage/store alone"},
		{"goalpost/backend/domain/goal", "example.org/anything", "standard library only"},
		{"goalpost/backend/domain/goal", "net/http", ""},
		{"goalpost/backend/domain/goal", "database/sql", "lives in backend/storage/store alone"},
		{"goalpost/backend/core/runner", "goalpost/backend/domain/event", ""},
		{"goalpost/backend/core/runner", "goalpost/backend/core/verify", "its neighbour backend/core/verify"},
		{"goalpost/backend/core/runner", "goalpost/backend/storage/store", "its neighbour backend/storage/store"},
		{"goalpost/backend/agent/tools", "goalpost/backend/domain/process", ""},
		{"goalpost/backend/agent/tools", "goalpost/backend/panes/terminal", "its neighbour backend/panes/terminal"},
		{"goalpost/backend/agent/tools", "goalpost/backend/core/runner", "its neighbour backend/core/runner"},
		{"goalpost/backend/agent/tools", "goalpost/backend/host/sandbox/wire", "neighbour backend/host/sandbox/wire"},
		{"goalpost/backend/host/sandbox/sandboxtest", "goalpost/backend/host/sandbox", ""},
		{"goalpost/backend/agent/model/modeltest", "goalpost/backend/storage/store", "neighbour backend/storage/store"},
		{"goalpost/backend/panes/terminal", "github.com/creack/pty", ""},
		{"goalpost/backend/panes/terminal", "os/exec", "lives in backend/host/sandbox, backend/panes/browser alone"},
		{"goalpost/backend/panes/browser", "github.com/creack/pty", "lives in backend/panes/terminal alone"},
		{"goalpost/backend/app", "github.com/wailsapp/wails/v2/pkg/runtime", "lives in . alone"},
		{"goalpost/backend/app", "goalpost/backend/storage/store", ""},
		{"goalpost/backend/app", "goalpost/backend/goals/api", ""},
		{"goalpost/backend/storage/store", "goalpost/backend/app", "which is above it"},
		{"goalpost/backend/panes/stream", "github.com/coder/websocketish", "has no home"},
		{"goalpost/backend/shed", "fmt", "is in no group"},
		{"goalpost/backend/app", "goalpost/backend/entry/editor", ""},
		{"goalpost/backend/app", "goalpost/backend/entry/cli", "which is above it"},
		{"goalpost/backend/goals/session", "goalpost/backend/goals/lifecycle", "its neighbour backend/goals/lifecycle"},
		{"goalpost", "github.com/wailsapp/wails/v2", ""},
		{"goalpost", "goalpost/backend/app", ""},
		{"goalpost/cmd/goalctl", "goalpost", "its neighbour ."},
		{"goalpost/cmd/goalpost-helper", "goalpost/backend/host/sandbox/wire", ""},
		{
			"goalpost/cmd/goalpost-helper", "goalpost/backend/host/sandbox",
			"it may import backend/host/sandbox/wire, backend/host/procnet only",
		},
		{
			"goalpost/cmd/goalpost-helper", "goalpost/backend/domain/goal",
			"it may import backend/host/sandbox/wire, backend/host/procnet only",
		},
		{"goalpost/cmd/goalpost-helper", "golang.org/x/sys/unix", ""},
		{"goalpost/cmd/goalpost-helper", "goalpost/cmd/goalpost-helper/internal/nsinit", ""},
		{"goalpost/cmd/goalpost-helper/internal/nsinit", "goalpost/cmd/goalpost-helper/internal/rootfs", ""},
		{"goalpost/cmd/goalpost-helper/internal/rootfs", "goalpost/backend/host/sandbox/wire", ""},
		{
			"goalpost/cmd/goalpost-helper/internal/rootfs", "goalpost/backend/host/sandbox",
			"it may import backend/host/sandbox/wire, backend/host/procnet only",
		},
		{
			"goalpost/cmd/goalpost-helper/internal/rootfs", "goalpost/cmd/goalpost-predicate",
			"it may import backend/host/sandbox/wire, backend/host/procnet only",
		},
	} {
		got := strings.Join(faults([]pkg{{ImportPath: c.from, Imports: []string{c.to}}}), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s -> %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
