package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
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
	"backend/lib/fileio":      {"text"},
	"backend/lib/folder":      {"text"},
	"backend/lib/shell":       {"text"},
	"backend/lib/toolschema":  {"text"},
	"backend/domain/goal":     {"policy"},
	"backend/domain/chat":     {"goal"},
	"backend/domain/schedule": {"goal"},
	"backend/domain/event":    {"chat", "goal", "pane", "policy"},
	"backend/host/sandbox":    {"procnet"},
	"backend/entry/cli":       {"hostsocket", "serve"},

	"backend/goals/network":     {"api"},
	"backend/goals/models":      {"api"},
	"backend/goals/panes":       {"api"},
	"backend/goals/access":      {"api", "network"},
	"backend/goals/goalsandbox": {"api", "access", "network"},
	"backend/goals/mcpservers":  {"api", "access", "goalsandbox"},
	"backend/goals/doctor":      {"api", "access", "goalsandbox", "mcpservers", "models"},
	"backend/goals/session": {
		"api", "access", "goalsandbox", "mcpservers", "models", "network", "panes", "worktrees",
	},
	"backend/goals/lifecycle": {
		"api", "access", "goalsandbox", "models", "network", "panes", "session", "worktrees",
	},
	"backend/goals/chats":     {"api", "access", "lifecycle", "models", "panes", "session"},
	"backend/goals/schedules": {"access", "api", "lifecycle"},
	"backend/goals/attention": {"api"},
	"backend/goals/calls": {
		"api", "attention", "chats", "doctor", "export", "lifecycle", "mcpservers", "models", "panes", "schedules",
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
	"github.com/fsnotify/fsnotify": {
		"backend/core/verify", "backend/entry/hostsocket", "backend/host/sandbox", "backend/panes/textfile",
		"backend/lib/fileio",
	},
	"github.com/gofrs/flock": {
		"backend/storage/store", "backend/storage/config", "backend/storage/devices", "backend/storage/secret",
		"backend/panes/browser", "backend/entry/hostsocket",
	},
	"database/sql": {"backend/storage/store"},
	// agents as engines, and an agent for editors
	"github.com/coder/acp-go-sdk":     {"backend/agent/engine", "backend/entry/editor"},
	"github.com/coder/websocket":      {"backend/panes/stream", "backend/entry/serve"},
	"github.com/google/jsonschema-go": {"backend/agent/tools"},
	"github.com/modelcontextprotocol": {"backend/agent/mcp"},
	"golang.org/x/oauth2":             {"backend/agent/mcp"},
	"mvdan.cc/sh/v3":                  {"backend/lib/shell", "backend/core/verify", "backend/agent/tools"},
	// for web pages that models read
	"codeberg.org/readeck/go-readability/v2":          {"backend/agent/tools"},
	"github.com/JohannesKaufmann/html-to-markdown/v2": {"backend/agent/tools"},
	"golang.org/x/net":                                {"backend/agent/tools"},
	"golang.org/x/text":                               {"backend/agent/tools"}, // encodings of files
	// for its diff; every package may use its test scripts in tests
	"github.com/rogpeppe/go-internal": {"backend/core/verify", "backend/agent/tools", "backend/storage/snapshot"},
	"go.yaml.in/yaml/v3":              {"backend/storage/config", "backend/storage/library"},
	"golang.org/x/sys":                {"backend/host/sandbox", "cmd/goalpost-helper", "cmd/goalpost-predicate"},
	"github.com/adhocore/gronx":       {"backend/goals/schedules"},
	"github.com/dop251/goja":          {"cmd/goalpost-predicate"},
	"github.com/ledongthuc/pdf":       {"cmd/goalpost-predicate"},
	// the browser looks for Chromium; .golangci.yml forbids it to start programs
	"os/exec":                       {"backend/host/sandbox", "backend/panes/browser"},
	"golang.org/x/term":             {"backend/entry/cli"},
	"rsc.io/qr":                     {"backend/storage/devices"},
	"golang.org/x/crypto":           {"backend/storage/devices"}, // Argon2id
	"github.com/spf13/cobra":        {"backend/entry/cli"},
	"github.com/spf13/pflag":        {"backend/entry/cli"},
	"github.com/zalando/go-keyring": {"backend/storage/secret"},
	"filippo.io/age":                {"backend/storage/secret"},
	// the desktop, logind, and systemd
	"github.com/godbus/dbus/v5": {"backend/host/awake", "backend/host/notify", "backend/host/sandbox"},
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
		"prompt":       {"startfacts"},
		"startfacts":   {},
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
		"textfile":    {},
		"websearch":   {},
	},
	"backend/core/verify": {
		"baseline":   {},
		"check":      {"baseline", "inputs", "judge", "protect", "summary", "shellline"},
		"inputs":     {"shellline"},
		"judge":      {"baseline"},
		"protect":    {"baseline", "inputs"},
		"innertests": {},
		"shellline":  {},
		"summary":    {},
		"why":        {},
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
	"backend/app":          {"faults": {}, "tasks": {}, "transcript": {}, "trust": {}},
	"backend/agent/engine": {"acp": {}, "acp/acptest": {}, "relay": {}},
	"backend/agent/mcp":    {"mcptest": {}},
	"backend/agent/model":  {"catalog": {}, "modeltest": {}},
	"backend/host/awake":   {"awaketest": {}},
	"backend/host/notify":  {"notifytest": {}},
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
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Imports,Module"}, args...)...)
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

// windowTags are the build tags of the window.
const windowTags = "desktop,production,webkit2_41"

// listAll lists the packages of ./... and everything that they need, as they are built for the window.
var listAll = sync.OnceValues(func() ([]pkg, error) { return listPackages("-deps", "-tags", windowTags, "./...") })

// TestImports_FollowTheDrawing checks the packages as they are built with and without the window.
func TestImports_FollowTheDrawing(t *testing.T) {
	list, err := listAll()
	if err != nil {
		t.Fatal(err)
	}
	more, err := listPackages("./...")
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(append(slices.Clone(list), more...), func(p pkg) bool {
		// frontend/node_modules may contain third-party packages.
		return p.Module.Path != module || strings.Contains(p.ImportPath, "/node_modules/")
	})
	if len(list) < 100 {
		t.Fatalf("go list found only %d packages", len(list))
	}
	for _, fault := range append(faults(list), treeFaults(list)...) {
		t.Error(fault)
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
	linked, err := listAll()
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

func TestFaults_ForbiddenImport_IsReported(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{ // want: a part of the sentence, "" if the import is allowed
		{"goalpost/backend/domain/goal", "goalpost/backend/domain/policy", ""},
		{"goalpost/backend/domain/goal", "goalpost/backend/core/runner", "which is above it"},
		{"goalpost/backend/domain/goal", "github.com/oklog/ulid/v2", "lives in backend/storage/store alone"},
		{"goalpost/backend/domain/goal", "example.org/anything", "standard library only"},
		{"goalpost/backend/domain/goal", "net/http", ""},
		{"goalpost/backend/core/runner", "goalpost/backend/core/verify", "its neighbour backend/core/verify"},
		{"goalpost/backend/agent/tools", "goalpost/backend/panes/terminal", "its neighbour backend/panes/terminal"},
		{"goalpost/backend/agent/tools", "goalpost/backend/host/sandbox/wire", "neighbour backend/host/sandbox/wire"},
		{"goalpost/backend/core/runner", "goalpost/backend/core/runner/stall", ""},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner/digest", ""},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner", "the order of backend/core/runner"},
		{"goalpost/backend/core/runner/stall", "goalpost/backend/core/runner/prompt", "against the order"},
		{"goalpost/backend/core/runner/shed", "fmt", "has no place in the order"},
		{"goalpost/backend/panes/terminal", "os/exec", "lives in backend/host/sandbox, backend/panes/browser alone"},
		{"goalpost/backend/app", "github.com/wailsapp/wails/v2/pkg/runtime", "lives in . alone"},
		{"goalpost/backend/app", "goalpost/backend/goals/api", ""},
		{"goalpost/backend/panes/stream", "github.com/coder/websocketish", "has no home"},
		{"goalpost/backend/shed", "fmt", "is in no group"},
		{"goalpost/backend/app", "goalpost/backend/entry/editor", ""},
		{"goalpost/backend/app", "goalpost/backend/entry/cli", "which is above it"},
		{"goalpost/backend/goals/session", "goalpost/backend/goals/lifecycle", "its neighbour backend/goals/lifecycle"},
		{"goalpost/cmd/goalctl", "goalpost", "its neighbour ."},
		{"goalpost/cmd/goalpost-helper", "golang.org/x/sys/unix", ""},
		{"goalpost/cmd/goalpost-helper/internal/nsinit", "goalpost/cmd/goalpost-helper/internal/rootfs", ""},
		{"goalpost/cmd/goalpost-helper/internal/rootfs", "goalpost/backend/host/sandbox/wire", ""},
		{"goalpost/cmd/goalpost-helper/internal/rootfs", "goalpost/backend/host/sandbox", "it may import"},
	} {
		list := []pkg{{ImportPath: c.from, Imports: []string{c.to}}}
		got := strings.Join(append(faults(list), treeFaults(list)...), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s -> %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
