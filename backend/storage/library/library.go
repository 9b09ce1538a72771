// Package library finds, reads and writes what users teach agents in files: personas, skills and templates. Their files
// are the user's own, those of a project, and built in. A project's count once the user trusts their content.
package library

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Kind is a kind of entry.
type Kind string

// The kinds.
const (
	Personas  Kind = "persona"
	Skills    Kind = "skill"
	Templates Kind = "template"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Personas, Skills, Templates} }

// Owner says whose an entry is.
type Owner string

// The owners, from the one that wins if two entries have one name.
const (
	OwnerProject Owner = "project" // in a goal's folder
	OwnerUser    Owner = "user"    // in the data folder
	OwnerClaude  Owner = "claude"  // in the user's own .claude
	OwnerBuiltIn Owner = "built_in"
)

// Entry is one persona, skill or template.
type Entry struct {
	Kind        Kind
	Name        string
	Description string
	Owner       Owner
	Path        string   // of its file, absolute; "" if it is built in
	Trusted     bool     // always true unless it is a project's
	Problem     string   // why it cannot be used, "" if it can
	Notes       []string // what in the file has no effect
	Text        string   // the whole file

	digest   string // of what is trusted
	persona  Persona
	template Template
}

// IsUsable reports whether goals may use the entry.
func (e Entry) IsUsable() bool { return e.Trusted && e.Problem == "" }

const (
	maxFile    = 64 << 10 // bytes of an entry's file
	maxEntries = 200      // entries that are read of one folder
	skillFile  = "SKILL.md"
)

// Library has the folders of the user. All methods may be called concurrently.
type Library struct {
	state, home string // home is "" if the user has none
	mu          sync.Mutex
}

// Open returns the library of a data folder. home is the user's own folder, "" if there is none; its .claude is
// read, too.
func Open(state, home string) *Library { return &Library{state: state, home: home} }

// place is a folder with entries of one kind.
type place struct {
	kind  Kind
	owner Owner
	dir   string // absolute
	root  string // of a project, "" for the user's own: nothing is read through a link that leaves it
}

// places lists the folders of a kind, the winning one first. dir is a goal's folder, or "".
func (l *Library) places(kind Kind, dir string) []place {
	claude := map[Kind]string{Personas: ".claude/agents", Skills: ".claude/skills"}[kind]
	var list []place
	if dir != "" && dir != l.home {
		list = append(list, place{kind, OwnerProject, filepath.Join(dir, ".goalpost", string(kind)+"s"), dir})
		if claude != "" {
			list = append(list, place{kind, OwnerProject, filepath.Join(dir, claude), dir})
		}
	}
	list = append(list, place{kind, OwnerUser, l.own(kind), ""})
	if claude != "" && l.home != "" {
		list = append(list, place{kind, OwnerClaude, filepath.Join(l.home, claude), ""})
	}
	return list
}

// own returns the folder of the user's entries of a kind.
func (l *Library) own(kind Kind) string { return filepath.Join(l.state, string(kind)+"s") }

// List returns all entries of a kind, also those that cannot be used, sorted by name; of one name, the winning one
// comes first. dir is a goal's folder, or "".
func (l *Library) List(kind Kind, dir string) ([]Entry, error) {
	trusted, err := l.trusted()
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, p := range l.places(kind, dir) {
		for _, e := range p.read() {
			e.Trusted = e.Owner != OwnerProject || e.digest != "" && trusted[e.Path] == e.digest
			list = append(list, e)
		}
	}
	list = append(list, builtIn(kind)...)
	slices.SortStableFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Usable returns the entries of a kind that goals in a folder can use, each name once.
func (l *Library) Usable(kind Kind, dir string) ([]Entry, error) {
	list, err := l.List(kind, dir)
	list = slices.DeleteFunc(list, func(e Entry) bool { return !e.IsUsable() })
	return slices.CompactFunc(list, func(a, b Entry) bool { return a.Name == b.Name }), err
}

// Find returns the entry with a name that goals in a folder can use. If there is only one that they cannot use, the
// error says why.
func (l *Library) Find(kind Kind, name, dir string) (Entry, error) {
	list, err := l.List(kind, dir)
	if err != nil {
		return Entry{}, err
	}
	list = slices.DeleteFunc(list, func(e Entry) bool { return e.Name != name })
	if i := slices.IndexFunc(list, Entry.IsUsable); i >= 0 {
		return list[i], nil
	}
	if len(list) == 0 {
		return Entry{}, l.unknown(kind, name, dir)
	}
	e := list[0]
	if e.Problem != "" {
		return e, fault.Invalid(string(kind), fmt.Sprintf("the %s %s cannot be used: %s", kind, name, e.Problem),
			"correct "+e.Path)
	}
	return e, fault.Invalid(string(kind),
		fmt.Sprintf("the %s %s is the project's, and you have not trusted it", kind, name),
		"read it and trust it in the settings").OnCommandLine(
		fmt.Sprintf("read it and trust it: goalctl %ss trust %s", kind, name))
}

// Get returns the entry with a name as it is listed first, whether goals can use it or not.
func (l *Library) Get(kind Kind, name, dir string) (Entry, error) {
	list, err := l.List(kind, dir)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range list {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, l.unknown(kind, name, dir)
}

// GetAt does what Get does for one of several entries with a name: that with a path.
func (l *Library) GetAt(kind Kind, name, path, dir string) (Entry, error) {
	list, err := l.List(kind, dir)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range list {
		if e.Name == name && e.Path == path {
			return e, nil
		}
	}
	return Entry{}, l.unknown(kind, name, dir)
}

func (l *Library) unknown(kind Kind, name, dir string) error {
	hint := fmt.Sprintf("the settings show the %ss", kind)
	if list, err := l.Usable(kind, dir); err == nil && len(list) > 0 {
		var names []string
		for _, e := range list {
			names = append(names, e.Name)
		}
		hint = "use one of " + strings.Join(names, ", ")
	}
	return &fault.Error{
		Code: fault.NotFound, Field: string(kind), Hint: hint,
		Message: fmt.Sprintf("there is no %s %q", kind, text.TruncateBytes(name, 80)),
	}
}

// read reads the entries of a place. A place that cannot be opened has none.
func (p place) read() []Entry {
	base, below := p.dir, "."
	if p.root != "" {
		rel, err := filepath.Rel(p.root, p.dir)
		if err != nil {
			return nil
		}
		base, below = p.root, rel
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read
	files, err := fs.ReadDir(root.FS(), filepath.ToSlash(below))
	if err != nil {
		return nil
	}
	var list []Entry
	for _, f := range files[:min(len(files), maxEntries)] {
		name, ok := strings.CutSuffix(f.Name(), ".md")
		inside := path.Join(filepath.ToSlash(below), f.Name())
		if p.kind == Skills {
			name, inside = f.Name(), path.Join(inside, skillFile)
			_, err := fs.Stat(root.FS(), inside)
			ok = err == nil
		}
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		e := Entry{Kind: p.kind, Name: name, Owner: p.owner, Path: filepath.Join(base, filepath.FromSlash(inside))}
		p.fill(root, inside, &e)
		list = append(list, e)
	}
	return list
}

// fill reads an entry's file and what it says.
func (p place) fill(root *os.Root, inside string, e *Entry) {
	b, err := readFile(root, inside, p.root != "")
	if err != nil {
		e.Problem = text.StripPathError(err).Error()
		return
	}
	if e.Kind == Skills {
		e.digest, err = digestOf(root, path.Dir(inside))
		if err != nil {
			e.Problem = text.StripPathError(err).Error()
		}
	} else {
		e.digest = fileio.Hash(b)
	}
	e.parse(string(b), strings.Contains(filepath.ToSlash(p.dir), "/.claude/"))
}

// readFile reads a file of at most maxFile bytes. In a project, no link leads out of the folder: it could
// name any file of the user.
func readFile(root *os.Root, inside string, isProject bool) ([]byte, error) {
	if isProject {
		b, _, err := fileio.Read(root, filepath.FromSlash(inside), maxFile)
		switch {
		case errors.Is(err, fileio.ErrTooLong):
			return nil, errTooLarge
		case err != nil:
			return nil, fmt.Errorf("read: %w", err)
		}
		return b, nil
	}
	f, err := os.Open(filepath.Join(root.Name(), filepath.FromSlash(inside)))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read: %w", err)
	case len(b) > maxFile:
		return nil, errTooLarge
	}
	return b, nil
}

var (
	errTooLarge = fmt.Errorf("it is larger than %d KiB", maxFile>>10)
	errNoFile   = errors.New("it is not a file")
)

// parse reads the front matter. isClaude is a file of another program, whose other fields have no effect.
func (e *Entry) parse(raw string, isClaude bool) {
	e.Text = text.ToUTF8(raw)
	d, err := parseDocument(e.Text, isClaude)
	if err == nil {
		e.Name, e.Description = cmp.Or(d.string("name"), e.Name), text.SanitizeLine(d.string("description"), maxDescription)
		err = validateName(e.Name)
	}
	if err == nil {
		switch e.Kind {
		case Personas:
			err = e.parsePersona(d)
		case Skills:
			err = e.parseSkill(d)
		case Templates:
			err = e.parseTemplate(d)
		}
	}
	if err != nil {
		e.Problem = err.Error()
	}
	e.Name = text.SanitizeLine(e.Name, maxName)
	e.Notes = append(e.Notes, d.notes()...)
}

const (
	maxName        = 64
	maxDescription = 1024
)

var namePattern = text.NewPattern(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// validateName refuses names that are not valid file names on every system.
func validateName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q is not a valid name; use lower-case letters, digits and -, at most %d",
			text.TruncateBytes(name, 80), maxName)
	}
	return nil
}
