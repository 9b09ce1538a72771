package access

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/lib/fault"
)

// expandHome replaces ~ at the beginning of a path by the user's home folder.
func expandHome(path string) string {
	rest, isBelow := strings.CutPrefix(path, "~")
	if home, err := os.UserHomeDir(); err == nil && isBelow && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return path
}

// ListFolders returns at most limit folders whose paths begin with what the user has typed, ignoring case. Hidden ones
// are only listed if their dot is typed.
func ListFolders(typed string, limit int) []string {
	parent, begin := filepath.Split(expandHome(typed))
	if typed == "~" {
		parent, begin = expandHome(typed), ""
	}
	found := []string{}
	if !filepath.IsAbs(parent) {
		return found
	}
	entries, _ := os.ReadDir(parent) // a folder that does not exist has none
	for _, entry := range entries {
		name := entry.Name()
		isHidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(begin, ".")
		if isHidden || len(name) < len(begin) || !strings.EqualFold(name[:len(begin)], begin) {
			continue
		}
		path := filepath.Join(parent, name)
		if info, err := os.Stat(path); err != nil || !info.IsDir() { // a link may lead to a folder
			continue
		}
		if found = append(found, path); len(found) == limit {
			break
		}
	}
	return found
}

// MakeDir makes a folder, with its parents, where a goal may work, and returns its path without links. If no goal may
// work there, it makes nothing.
func (r *Rules) MakeDir(path string) (string, error) {
	path = filepath.Clean(expandHome(path))
	if !filepath.IsAbs(path) {
		return "", fault.Invalid("dir", path+" is not a whole path", "begin it with / or ~/")
	}
	real, err := resolveExisting(path)
	if err != nil {
		return "", fault.Invalid("dir", err.Error(), "choose another folder")
	}
	if err := r.ValidateForeignPath(real); err != nil {
		return "", withField(err, "dir")
	}
	if err := os.MkdirAll(real, 0o755); err != nil {
		return "", fault.Invalid("dir", "the folder cannot be created: "+err.Error(), "choose a folder of your own")
	}
	return r.ValidateExistingDir(real)
}

// resolveExisting resolves the links in the part of an absolute path that exists.
func resolveExisting(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, os.ErrNotExist) || filepath.Dir(path) == path {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link to nothing", path)
	}
	parent, err := resolveExisting(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}
