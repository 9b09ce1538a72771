// Package detect finds what in a folder decides the checks of a criterion.
package detect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/shellline"
	"goalpost/backend/verify/workspace"
)

// Kind says how a file is protected.
type Kind string

// The kinds. A held file stays as it was; of a compared one a part must, and the
// rest is free; an appearing one is a name that may not come to be, because a
// test runner loads such a file by itself.
const (
	KindLocked       Kind = "held"
	KindMonitored    Kind = "compared"
	KindForbiddenNew Kind = "appears"
)

// Protected is one thing that decides a gate and that the agent must not change.
type Protected struct {
	Path string `json:"path"` // relative to the goal's folder; of Appears a pattern
	Kind Kind   `json:"kind"`
	// Part is what of a compared file counts, "" all of it. Of Appears it is "" for
	// a file, and anything for folders, too.
	Part string `json:"part,omitempty"`
	// Holding narrows Appears to files in which this regular expression is found.
	Holding string `json:"holding,omitempty"`
	Why     string `json:"why"`
	Checks  []int  `json:"checks"` // indices of the gates that it decides
	// IsChosen: the user protects it.
	IsChosen bool `json:"-"`
}

// ReasonRun is why a script is protected that a check's command runs.
const ReasonRun = "the check runs it"

// AnyPart is the Part of an appearing name that a folder may not take either.
const AnyPart = "anything"

// InstalledPart is the Part of a folder in which programs are installed.
const InstalledPart = "installed"

// MaxPartBytes is the longest file of which a part is compared, in bytes.
const MaxPartBytes = 4 << 20

// maxProtected bounds the list; more would cost every claim seconds.
const maxProtected = 5000

// FindProtected lists what of dir decides the gates of a criterion: what the
// commands themselves are, the tests and the settings of the runners they call,
// and what protect names; without what noProtect names. Patterns are as in
// .gitignore. The programs that a gate runs or reads are the work, and not listed.
func FindProtected(
	ctx context.Context, dir string, c goal.Criterion, protect, noProtect []string,
) ([]Protected, error) {
	f, err := Scan(ctx, Options{Dir: dir, Criterion: c, Protect: protect, NoProtect: noProtect})
	if err != nil {
		return nil, err
	}
	return f.List()
}

// Options say which checks are scanned in which folder.
type Options struct {
	Dir string // the goal's folder, absolute
	// Criterion, Protect and NoProtect say what must not change, see FindProtected.
	Criterion          goal.Criterion
	Protect, NoProtect []string
}

// Scan is a Scanner that has looked at every check. What unread files call is left out.
func Scan(ctx context.Context, o Options, unread ...string) (*Scanner, error) {
	with, err := ignore.NewGlobs(o.Protect)
	if err != nil {
		return nil, err
	}
	without, err := ignore.NewGlobs(o.NoProtect)
	if err != nil {
		return nil, err
	}
	dir := o.Dir
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", fileio.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	look := func(learn bool) func() ([]workspace.Entry, error) {
		return sync.OnceValues(func() ([]workspace.Entry, error) {
			n := workspace.NameIndex{Learn: learn}
			if err := n.Scan(ctx, dir); err != nil {
				return nil, err
			}
			if n.More {
				return nil, errors.New(workspace.TooManyFiles +
					": choose a smaller folder, or leave the runner's files out with --no-protect")
			}
			return n.Entries, nil
		})
	}
	f := &Scanner{
		root: root, dir: dir, without: without, unread: unread, found: map[string]*Protected{},
		look: look(true), every: look(false),
	}
	for i, k := range o.Criterion.Checks {
		f.check = i
		if shellline.RunsCommand(k) {
			f.scanLine(k.Command, shellline.LocationOf(k, dir), 0)
		}
		if len(with) > 0 {
			f.addUserPatterns(with, o.Protect)
		}
	}
	return f, nil
}

// Scanner collects what is protected. A path is listed once, with all its gates.
type Scanner struct {
	root    *os.Root
	dir     string
	look    func() ([]workspace.Entry, error) // the names in the folder, when the first pattern wants them
	every   func() ([]workspace.Entry, error) // with those that a .gitignore names
	without ignore.Globs
	unread  []string
	check   int // that is looked at
	found   map[string]*Protected
	failed  error

	Deciding []shellline.CheckCall // calls that must have ended with 0 for their check to pass
}

func (f *Scanner) sorted() []workspace.Entry {
	list, err := f.look()
	if err != nil {
		f.failed = err
	}
	return list
}

// List gives what was found, in order of kinds and paths.
func (f *Scanner) List() ([]Protected, error) {
	if f.failed != nil {
		return nil, f.failed
	}
	if len(f.found) > maxProtected {
		return nil, fmt.Errorf("%d files would be protected, and at most %d can be: leave some out with --no-protect",
			len(f.found), maxProtected)
	}
	list := make([]Protected, 0, len(f.found))
	for _, p := range f.found {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Protected) int {
		return cmp.Or(cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Part, b.Part))
	})
	return list, nil
}

// Has says whether a thing was found.
func (f *Scanner) Has(p Protected) bool { return f.found[keyOf(p)] != nil }

func kindOrder(k Kind) int {
	return slices.Index([]Kind{KindLocked, KindMonitored, KindForbiddenNew}, k)
}

func (f *Scanner) add(p Protected) {
	p.Path = path.Clean(p.Path)
	if f.without.MatchesAncestor(strings.ReplaceAll(p.Path, "**/", "")) {
		return
	}
	key := keyOf(p)
	if old := f.found[key]; old != nil {
		if !slices.Contains(old.Checks, f.check) {
			old.Checks = append(old.Checks, f.check)
		}
		old.IsChosen = old.IsChosen || p.IsChosen
		return
	}
	p.Checks = []int{f.check}
	f.found[key] = &p
}

func keyOf(p Protected) string {
	return string(p.Kind) + "\x00" + p.Path + "\x00" + p.Part + "\x00" + p.Holding
}

// addUserPatterns holds what the user protects, also where a .gitignore names it, and
// where a model judges: it must not change.
func (f *Scanner) addUserPatterns(with ignore.Globs, patterns []string) {
	list, err := f.every()
	if err != nil {
		f.failed = err
		return
	}
	some := false
	for _, e := range list {
		if e.IsRegular() && with.MatchesAncestor(e.Path) {
			some = true
			f.add(Protected{Path: e.Path, Kind: KindLocked, Why: "you protect it", IsChosen: true})
		}
	}
	if !some {
		f.failed = fmt.Errorf("--protect %s: no file in the folder is like that", strings.Join(patterns, " "))
	}
}

// addScript holds a file that the line runs, if it is one of the folder. What a
// shell script runs decides as well.
func (f *Scanner) addScript(c shellline.Call, word, why string, depth int) {
	p, ok := c.PathInFolder(word)
	if !ok || !f.isFile(p) {
		return
	}
	if depth > 0 && f.addInstallation(p) { // a part of it, and compared as that
		return
	}
	f.add(Protected{Path: p, Kind: KindLocked, Why: why})
	if slices.Contains(f.unread, p) {
		return
	}
	if text, _, err := fileio.Read(f.root, p, 64<<10); err == nil && isShell(text) {
		f.scanLine(string(text), shellline.Location{Dir: c.Dir, Home: path.Dir(p), Root: f.dir, Decides: c.Decides}, depth+1)
	}
}

// isShell says whether a script is one of a shell: programs and other scripts say so at their beginning.
func isShell(text []byte) bool {
	first, _, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(first, "#!") {
		return utf8.Valid(text) && !bytes.ContainsRune(text, 0)
	}
	return slices.ContainsFunc(strings.FieldsFunc(first, func(r rune) bool {
		return r == '/' || r == ' '
	}), func(w string) bool {
		return slices.Contains(shells, w)
	})
}

func (f *Scanner) isFile(p string) bool {
	info, err := f.root.Stat(p)
	if err == nil {
		return info.Mode().IsRegular()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err = f.root.Lstat(p) // a link that leads out: the agent could turn it elsewhere
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// addLocked adds the files that exist and are meant.
func (f *Scanner) addLocked(meant func(path string) bool, why string) {
	for _, e := range f.sorted() {
		if e.IsRegular() && meant(e.Path) {
			f.add(Protected{Path: e.Path, Kind: KindLocked, Why: why})
		}
	}
}

// addMonitored adds the part of a file. A file of settings that is not there may not
// appear; a project that is not there is the work.
func (f *Scanner) addMonitored(p, part, why string) {
	switch {
	case f.isFile(p), part == "pytest": // a part that appears in a file of many uses
		f.add(Protected{Path: p, Kind: KindMonitored, Part: part, Why: why})
	case part == "":
		f.add(Protected{Path: p, Kind: KindForbiddenNew, Why: why})
	}
}

// scanLine finds what decides a shell line that starts in dir. Scripts lead on to
// other lines, at most three deep.
func (f *Scanner) scanLine(text string, at shellline.Location, depth int) {
	if depth > 3 {
		return
	}
	for _, c := range shellline.Parse(text, at).Calls {
		f.scanCall(c.Unwrap(), depth)
	}
}

// locationOf is where a line stands that a call runs.
func (f *Scanner) locationOf(c shellline.Call) shellline.Location {
	return shellline.Location{Dir: c.Dir, Root: f.dir, Decides: c.Decides}
}

var (
	interpreter = regexp.MustCompile(`^(python[0-9.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript)$`)
	// judgeNamePattern are names of programs that decide, and are not the work.
	judgeNamePattern = regexp.MustCompile(
		`(?i)(^|[._-])(check(s|er)?|judge|verify|validate|assert|grade|accept(ance)?|tests?|spec)([._-]|$)`)
)

// addJudgeScript holds a program that an interpreter runs if its name says that it decides;
// else it is the work.
func (f *Scanner) addJudgeScript(c shellline.Call) {
	for _, w := range c.Words[1:] {
		if w == "" || w == "-m" || w == "-c" || w == "-e" {
			return
		}
		if strings.HasPrefix(w, "-") || w == "run" {
			continue
		}
		if p, ok := c.PathInFolder(w); ok && f.isFile(p) && judgeNamePattern.MatchString(path.Base(p)) {
			f.add(Protected{Path: p, Kind: KindLocked, Why: "the check runs it, and its name says that it decides"})
		}
		return
	}
}

// shells read their first word as a script.
var shells = []string{"sh", "bash", "dash", "ash", "ksh", "zsh"}

func (f *Scanner) scanCall(c shellline.Call, depth int) {
	f.addInstalledProgram(c)
	name := path.Base(c.Name())
	if strings.Contains(c.Name(), "/") {
		f.addScript(c, c.Name(), ReasonRun, depth)
	}
	switch {
	case name == "." || name == "source":
		if len(c.Words) > 1 {
			f.addScript(c, c.Words[1], "the check reads its commands from it", depth)
			if p, ok := c.PathInFolder(c.Words[1]); ok { // .venv/bin/activate
				f.addInstallation(p)
			}
		}
	case name == "eval":
		if !c.Lost && !slices.Contains(c.Words, "") {
			f.scanLine(strings.Join(c.Words[1:], " "), f.locationOf(c), depth+1)
		}
	case slices.Contains(shells, name):
		f.scanShell(c, depth)
	case interpreter.MatchString(name):
		f.addJudgeScript(c)
		f.scanRunner(c, depth)
	default:
		f.scanRunner(c, depth)
	}
}

// scanShell finds the script of sh check.sh, sh -c '…' and sh < check.sh.
func (f *Scanner) scanShell(c shellline.Call, depth int) {
	for i := 1; i < len(c.Words); i++ {
		switch w := c.Words[i]; {
		case strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c"):
			if i+1 < len(c.Words) && !c.Lost {
				f.scanLine(c.Words[i+1], f.locationOf(c), depth+1)
			}
			return
		case w == "-o" || w == "+o":
			i++
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		default:
			f.addScript(c, w, ReasonRun, depth)
			return
		}
	}
	if c.Stdin != "" {
		f.addScript(c, c.Stdin, "the check reads its commands from it", depth)
	}
}
