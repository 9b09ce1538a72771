package ssh

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestKeyFiles_TypedPath_OffersKeysAndFolders(t *testing.T) {
	home := t.TempDir()
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n"
	files := map[string]string{
		".ssh/id_ed25519": key, ".ssh/id_ed25519.pub": "ssh-ed25519 AAAA\n", ".ssh/config": "Host a\n",
		".ssh/work/id_rsa": "-----BEGIN RSA PRIVATE KEY-----\nx\n", "keys/box.pem": "-----BEGIN PRIVATE KEY-----\nx\n",
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
	for typed, want := range map[string][]string{
		"":                 {"~/.ssh/id_ed25519"},
		"~/.ssh/":          {"~/.ssh/id_ed25519", "~/.ssh/work/"},
		"~/.ssh/work/id":   {"~/.ssh/work/id_rsa"},
		home + "/keys/b":   {home + "/keys/box.pem"},
		"~/k":              {"~/keys/"},
		"keys/":            {},
		"~/missing/folder": {},
	} {
		if got := KeyFiles(home, typed); !slices.Equal(got, want) {
			t.Errorf("%q offers %q, want %q", typed, got, want)
		}
	}
}
