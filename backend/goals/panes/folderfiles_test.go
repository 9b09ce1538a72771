package panes

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"goalpost/backend/goals/api"
)

// TestFolderFiles_ProjectWithIgnoredFiles_ListsItsOwnFiles: the palette offers what the user works on, and no link out
// of the folder can be opened.
func TestFolderFiles_ProjectWithIgnoredFiles_ListsItsOwnFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".gitignore": "dist/\n*.log\n", "README.md": "", "src/cart.go": "", "src/.gitignore": "generated.go\n",
		"src/generated.go": "", "dist/app.js": "", "build.log": "", "node_modules/x/index.js": "", ".git/config": "",
		".cache/x": "",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var r Registry
	got, err := r.FolderFiles(t.Context(), dir)
	want := []string{".gitignore", "README.md", "src/.gitignore", "src/cart.go"}
	if err != nil || got.Partial || !slices.Equal(got.Files, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, name := range []string{"link", "src", "../x", "gone.txt"} {
		if _, err := r.OpenFile(t.Context(), api.ArgsOpenFile{Dir: dir, Path: name}); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	if _, err := r.FolderFiles(t.Context(), filepath.Join(dir, "gone")); err == nil {
		t.Error("a missing folder is listed")
	}
}
