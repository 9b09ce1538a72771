package library

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

// trustFile has the content that the user trusted, by path.
func (l *Library) trustFile() string { return filepath.Join(l.state, "trusted.json") }

func (l *Library) trusted() (map[string]string, error) {
	list := map[string]string{}
	if err := fileio.ReadJSON(l.trustFile(), &list); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("what you trusted: %w", err)
	}
	return list, nil
}

// Trust trusts a project's entry with exactly the content that e has. After a change it is not trusted any more.
func (l *Library) Trust(e Entry) error {
	if e.Owner != OwnerProject || e.digest == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list, err := l.trusted()
	if err != nil {
		return err
	}
	list[e.Path] = e.digest
	if err := fileio.WriteJSON(l.trustFile(), list); err != nil {
		return fmt.Errorf("trust %s: %w", e.Path, err)
	}
	return nil
}

// TrustText trusts e if its text is still the one that the user saw.
func (l *Library) TrustText(e Entry, seen string) error {
	if e.Text != seen {
		return fault.New(fault.Refused, "the file changed while you read it", "read it again, then trust it")
	}
	return l.Trust(e)
}

const (
	maxSkillFiles = 200
	maxSkillBytes = 4 << 20
)

// digestOf returns a hash of all files of a skill. It follows no links and refuses a folder that is too large.
func digestOf(root *os.Root, dir string) (string, error) {
	sum, files, left := sha256.New(), 0, int64(maxSkillBytes)
	err := fs.WalkDir(root.FS(), dir, func(name string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		b, _, err := fileio.Read(root, filepath.FromSlash(name), left)
		files, left = files+1, left-int64(len(b))
		switch {
		case files > maxSkillFiles || errors.Is(err, fileio.ErrTooLong):
			return fmt.Errorf("its folder has more than %d files or %d MiB", maxSkillFiles, maxSkillBytes>>20)
		case err != nil:
			return fmt.Errorf("%s: %w", path.Base(name), err)
		}
		_, err = fmt.Fprintf(sum, "%q %d\n%s", name, len(b), b)
		return err //nolint:wrapcheck // a hash never fails
	})
	if err != nil {
		return "", err //nolint:wrapcheck // it names the file
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
