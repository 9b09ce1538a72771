package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Example returns the text of a new entry.
func Example(kind Kind, name string) string {
	switch kind {
	case Templates:
		return "---\nname: " + name + "\ndescription: What it is for.\nparameters:\n  - name: file\n" +
			"    description: The file that the goal makes.\ncheck:\n  - file:{{file}}\n---\n{{file}} exists and says …\n"
	case Skills:
		return "---\nname: " + name + "\ndescription: What it is for, and when an agent should load it.\n---\n" +
			"What an agent should know.\n"
	case Personas:
	}
	return "---\nname: " + name + "\ndescription: What this persona is for.\nwhen: []\n---\nYou work as …\n"
}

// Validate returns the entry that a text would be, with its problem.
func Validate(kind Kind, name, content string) Entry {
	e := Entry{Kind: kind, Name: name, Owner: OwnerUser, Trusted: true}
	e.parse(content, false)
	if e.Problem == "" && e.Name != name {
		e.Problem = fmt.Sprintf("its name is %q, not %q", e.Name, name)
	}
	return e
}

// Save writes one of the user's own entries, whose text must be valid. With isNew it replaces none.
func (l *Library) Save(kind Kind, name, content string, isNew bool) error {
	if err := validateName(name); err != nil {
		return fault.Invalid("name", err.Error(), "choose another name")
	}
	if e := Validate(kind, name, content); e.Problem != "" {
		return fault.Invalid("text", fmt.Sprintf("the %s cannot be saved: %s", kind, e.Problem), "correct the text")
	}
	file := l.file(kind, name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := os.Lstat(l.path(kind, name)); isNew && err == nil {
		return fault.Invalid("name", fmt.Sprintf("you have a %s %q already", kind, name), "choose another name")
	}
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = fileio.WriteDurably(file, []byte(content), 0o600)
	}
	if err != nil {
		return fmt.Errorf("save the %s %s: %w", kind, name, err)
	}
	return nil
}

// path returns the file of one of the user's own entries, or the folder of a skill.
func (l *Library) path(kind Kind, name string) string {
	if kind == Skills {
		return filepath.Join(l.own(kind), name)
	}
	return filepath.Join(l.own(kind), name+".md")
}

// file returns the file with an entry's text.
func (l *Library) file(kind Kind, name string) string {
	if kind == Skills {
		return filepath.Join(l.path(kind, name), skillFile)
	}
	return l.path(kind, name)
}

// Duplicate copies an entry of any owner into the user's own, with another name.
func (l *Library) Duplicate(e Entry, name string) error {
	lines := strings.SplitAfter(e.Text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "name:") {
			lines[i] = "name: " + name + "\n"
			break
		}
	}
	content := strings.Join(lines, "")
	if e.Kind == Personas && strings.Contains(filepath.ToSlash(e.Path), "/.claude/") {
		content = renderPersona(name, e) // other fields of that program would be refused here
	}
	if err := l.Save(e.Kind, name, content, true); err != nil || e.Kind != Skills {
		return err
	}
	from, err := os.OpenRoot(filepath.Dir(e.Path))
	if err != nil {
		return fmt.Errorf("copy the skill: %w", text.StripPathError(err))
	}
	defer func() { _ = from.Close() }() // only read
	files, err := listFiles(from)
	for _, file := range files {
		if file == skillFile || err != nil {
			continue
		}
		err = copyFile(from, file, filepath.Join(l.path(Skills, name), filepath.FromSlash(file)))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(l.path(Skills, name)))
	}
	return nil
}

func copyFile(from *os.Root, file, to string) error {
	b, _, err := fileio.Read(from, filepath.FromSlash(file), maxSkillBytes)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", file, text.StripPathError(err))
	}
	return nil
}

// renderPersona writes what of a persona has an effect.
func renderPersona(name string, e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %q\n", name, e.Description)
	if p := e.persona; len(p.Tools) > 0 {
		fmt.Fprintf(&b, "tools: [%s]\n", strings.Join(p.Tools, ", "))
	}
	if e.persona.Model != "" {
		fmt.Fprintf(&b, "model: %q\n", e.persona.Model)
	}
	fmt.Fprintf(&b, "---\n%s\n", e.persona.Prompt)
	return b.String()
}

// deleted returns where a deleted entry waits for Restore.
func (l *Library) deleted(kind Kind, name string) string {
	return filepath.Join(l.state, "deleted", string(kind)+"s", filepath.Base(l.path(kind, name)))
}

// Delete removes one of the user's own entries. Restore brings the one back that was deleted last under a name.
func (l *Library) Delete(kind Kind, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to := l.path(kind, name), l.deleted(kind, name)
	if err := validateName(name); err != nil {
		return fault.Invalid("name", err.Error(), "name one of yours")
	}
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return fault.Invalid("name", fmt.Sprintf("you have no %s %q", kind, name), "only your own can be deleted")
	}
	return move(from, to)
}

// Restore undoes a Delete.
func (l *Library) Restore(kind Kind, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := validateName(name); err != nil {
		return fault.Invalid("name", err.Error(), "name one that was deleted")
	}
	to := l.path(kind, name)
	if _, err := os.Lstat(to); err == nil {
		return fault.Invalid("name", fmt.Sprintf("you have a %s %q already", kind, name), "rename that one first")
	}
	return move(l.deleted(kind, name), to)
}

// move moves a file or folder to a place that it replaces.
func move(from, to string) error {
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if err == nil {
		err = os.RemoveAll(to)
	}
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return fmt.Errorf("move: %w", text.StripPathError(err))
	}
	return nil
}
