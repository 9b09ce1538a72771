package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// claudeSkillFields are the fields of the format that have no effect here, in any place.
var claudeSkillFields = []string{"license", "allowed-tools", "metadata", "compatibility", "version"}

func (e *Entry) parseSkill(d document) error {
	if e.Description == "" {
		return errors.New("it has no description, from which an agent learns when to load it")
	}
	for _, name := range claudeSkillFields {
		if _, ok := d.fields[name]; ok {
			d.read[name] = true
			e.Notes = append(e.Notes, "the field "+name+" has no effect here")
		}
	}
	return d.refuseUnread()
}

// SkillFile is one file of a skill.
type SkillFile struct {
	Skill Entry
	Path  string   // below the skill's folder
	Text  string   // of the file
	Files []string // the other files of the skill, if Path is SKILL.md
}

// LoadSkill reads a file of a skill that goals in a folder can use; "" is SKILL.md.
func (l *Library) LoadSkill(name, file, dir string) (SkillFile, error) {
	e, err := l.Find(Skills, name, dir)
	if err != nil {
		return SkillFile{}, err
	}
	folder := filepath.Dir(e.Path)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return SkillFile{}, fmt.Errorf("the skill %s: %w", name, text.StripPathError(err))
	}
	defer func() { _ = root.Close() }() // only read
	if e.Owner == OwnerProject {        // it may have changed since it was listed
		if digest, err := digestOf(root, "."); err != nil || digest != e.digest {
			return SkillFile{}, fault.New(fault.Refused, "the skill "+name+" has changed", "the user can trust it again")
		}
	}
	files, err := listFiles(root)
	if err != nil {
		return SkillFile{}, err
	}
	if file == "" {
		file = skillFile
	}
	file = path.Clean(filepath.ToSlash(file))
	out := SkillFile{Skill: e, Path: file}
	if !slices.Contains(files, file) {
		return out, fault.New(fault.NotFound, fmt.Sprintf("the skill %s has no file %q", name, text.TruncateBytes(file, 200)),
			"its files are "+strings.Join(files, ", "))
	}
	b, _, err := fileio.Read(root, filepath.FromSlash(file), maxSkillFile)
	if err != nil {
		return out, fmt.Errorf("the skill %s: %w", name, err)
	}
	if !fileio.IsText(b) {
		return out, fault.New(fault.Refused, fmt.Sprintf("%s of the skill %s is not a text", file, name),
			"only texts can be loaded")
	}
	out.Text = text.ToUTF8(string(b))
	if file == skillFile {
		out.Files = slices.DeleteFunc(files, func(f string) bool { return f == skillFile })
	}
	return out, nil
}

const maxSkillFile = 256 << 10 // bytes of one file that is loaded

// listFiles lists the files below a skill's folder, at most maxSkillFiles.
func listFiles(root *os.Root) ([]string, error) {
	var files []string
	err := fs.WalkDir(root.FS(), ".", func(name string, f fs.DirEntry, err error) error {
		if err == nil && f.Type().IsRegular() {
			files = append(files, name)
		}
		if len(files) == maxSkillFiles {
			return fs.SkipAll
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the skill's files: %w", text.StripPathError(err))
	}
	return files, nil
}
