package ssh

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestConfigHosts_IncludesAndPatterns_ListsNames(t *testing.T) {
	home := t.TempDir()
	files := map[string]string{
		".ssh/config": "# mine\nInclude conf.d/*.conf missing ~/work\n  Host web web-2 *.internal !bad\n" +
			"HostName 10.0.0.1\nhost=\"db\" # the database\nHOST\tweb\nMatch user root\nHost *\nhostage no\n",
		".ssh/conf.d/a.conf": "Host alpha\nInclude ../config\n", // a circle
		".ssh/conf.d/b.txt":  "Host not-included\n",
		"work":               "Host office\r\n",
	}
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ConfigHosts(home)
	want := []string{"alpha", "office", "web", "web-2", "db"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

func TestConfigHosts_NoConfig_IsEmpty(t *testing.T) {
	if got, err := ConfigHosts(t.TempDir()); err != nil || len(got) > 0 {
		t.Errorf("%q %v", got, err)
	}
}
