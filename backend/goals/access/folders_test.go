package access_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"goalpost/backend/goals/access"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

func TestListFolders_OfATypedPath_CompletesIt(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{"Shop", "shop-api", "notes", ".cache", "shop-api/web"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "shopping"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string][]string{
		"~":                         {"Shop", "notes", "shop-api"},
		"~/sh":                      {"Shop", "shop-api"},
		"~/.":                       {".cache"},
		home + "/shop-api/":         {"shop-api/web"},
		"~/gone/":                   {},
		"sh":                        {},
		"~someone":                  {},
		filepath.Join(home, "none"): {},
	} {
		whole := []string{}
		for _, name := range want {
			whole = append(whole, filepath.Join(home, name))
		}
		if got := access.ListFolders(typed, 10); !slices.Equal(got, whole) {
			t.Errorf("%q: %v, want %v", typed, got, whole)
		}
	}
	if got := access.ListFolders("~/", 2); len(got) != 2 {
		t.Errorf("more than the limit: %v", got)
	}
}

func TestMakeDir_WhereNoGoalMayWork_MakesNothing(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	cfg, err := config.Open(func(name string) string {
		return map[string]string{"HOME": home, config.HomeVariable: state}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cfg.State(), 0o755); err != nil {
		t.Fatal(err)
	}
	rules := access.Rules{Config: cfg}
	made, err := rules.MakeDir("~/shop/api")
	if info, statErr := os.Stat(filepath.Join(home, "shop", "api")); err != nil || statErr != nil || !info.IsDir() {
		t.Fatalf("%s: %v, %v", made, err, statErr)
	}
	if err := os.Symlink("/etc", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"relative", "/etc/goalpost-shop", "~/link/goalpost-shop", "~"} {
		if made, err := rules.MakeDir(path); fault.Of(err).Field != "dir" {
			t.Errorf("%s: %s, %v", path, made, err)
		}
	}
	if _, err := os.Stat("/etc/goalpost-shop"); err == nil {
		t.Error("a folder was made in /etc")
	}
}
