package tools

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

const maxListed = 500

type listFilesArgs struct {
	Path      string `json:"path,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
}

func listFiles(r Deps) (Tool, error) {
	return defineTool("list_files", readEffect, r.folder.doListFiles)
}

func (f folder) doListFiles(ctx context.Context, a listFilesArgs) goal.Result {
	if a.Path == "" {
		a.Path = "."
	}
	rel, err := f.relPath(a.Path)
	if err == nil {
		err = f.refuseHiddenPath(rel)
	}
	if err != nil {
		return failedResult("%s", err)
	}
	var lines []string
	more := 0
	err = fs.WalkDir(f.root.FS(), filepath.ToSlash(rel), func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("listing: %w", ctx.Err())
		case err != nil && name == filepath.ToSlash(rel):
			return text.StripPathError(err)
		case err != nil:
			return nil // an unreadable folder does not hide the others
		case f.isHidden(path.Dir(name)):
			return fs.SkipDir
		case name == filepath.ToSlash(rel):
			if !d.IsDir() {
				return fmt.Errorf("%s is not a folder; use read_file", a.Path)
			}
			return nil
		}
		if len(lines) < maxListed {
			lines = append(lines, f.formatEntry(name, d))
		} else {
			more++
		}
		if d.IsDir() && (!a.Recursive || path.Base(name) == ".git" || path.Base(name) == "node_modules") {
			return fs.SkipDir
		}
		return nil
	})
	switch {
	case err != nil:
		return failedResult("%s", err)
	case len(lines) == 0:
		return okResult("%s is empty.", a.Path)
	case more > 0:
		lines = append(lines, fmt.Sprintf("… and %d more; list a subfolder", more))
	}
	return goal.Result{OK: true, Text: wrapOutside("the folder "+a.Path, strings.Join(lines, "\n"))}
}

// formatEntry returns one line for a file or folder, even if its name contains line breaks.
func (f folder) formatEntry(at string, d fs.DirEntry) string {
	name := printableName(at)
	if d.Type() == fs.ModeSymlink {
		if to, err := f.root.Readlink(at); err == nil {
			return name + "  (a link to " + printableName(to) + ")"
		}
	}
	if d.IsDir() {
		return name + "/"
	}
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() {
		return name + "  (" + d.Type().String() + ")"
	}
	return fmt.Sprintf("%s  %d bytes", name, info.Size())
}

// printableName returns a name without line breaks.
func printableName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return name
}
