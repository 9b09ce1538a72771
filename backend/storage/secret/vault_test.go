package secret

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/lib/fault"
)

func vault(t *testing.T, dir string, change func(*Options)) *Vault {
	t.Helper()
	o := Options{Dir: dir, NoKeyring: true, Mask: &Mask{}, work: 10}
	if change != nil {
		change(&o)
	}
	v, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inTheClear fails if a file of the folder contains one of the values.
func inTheClear(t *testing.T, dir string, values ...string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		b, err := os.ReadFile(path)
		for _, v := range values {
			if bytes.Contains(b, []byte(v)) {
				t.Errorf("%s holds %q", path, v)
			}
		}
		return err
	}))
}

func TestVault_File_IsEncrypted(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	v := vault(t, dir, nil)
	place, err := v.Set(ctx, "api.key", "canary-1-x", []string{"api.example.org"})
	check(t, err)
	if w := v.Where(ctx); place != File || w.Place != File || w.Locked || !strings.Contains(w.Detail, "secrets.key") {
		t.Errorf("kept in %s, said %+v", place, w)
	}
	_, err = v.Set(ctx, "other", "canary-2-x", nil)
	check(t, err)
	_, err = v.Set(ctx, "other", "canary-3-x", nil)
	check(t, err)
	inTheClear(t, dir, "canary-1-x", "canary-2-x", "canary-3-x")

	again := vault(t, dir, nil)
	if got, err := again.Get(ctx, "other"); got != "canary-3-x" || err != nil {
		t.Errorf("another process reads %q, %v", got, err)
	}
	if got := again.mask.Text("it is canary-3-x"); got != "it is {{secret:other}}" {
		t.Errorf("what was opened is not masked: %q", got)
	}
	list, err := again.List()
	check(t, err)
	if len(list) != 2 || list[0].Name != "api.key" || list[0].Hosts[0] != "api.example.org" {
		t.Errorf("listed: %+v", list)
	}
	check(t, again.Remove(ctx, "other"))
	if _, err := v.Get(ctx, "other"); !errors.Is(err, ErrUnknown) {
		t.Errorf("after the removal: %v", err)
	}
	if err := v.Remove(ctx, "other"); !errors.Is(err, ErrUnknown) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestVault_InvalidSecret_IsRefused(t *testing.T) {
	v, ctx := vault(t, t.TempDir(), nil), t.Context()
	for _, in := range [][2]string{
		{"", "long-enough-1"},
		{"a b", "long-enough-1"},
		{"a", "x1y"},
		{"a", "password"},
		{"a", strings.Repeat("x1", 1001)},
		{"a", "nul\x00nul"},
		{"a", "           "},
	} {
		var invalid *fault.Error
		if _, err := v.Set(ctx, in[0], in[1], nil); !errors.As(err, &invalid) {
			t.Errorf("%q = %q: %v", in[0], in[1], err)
		} else if in[1] != "" && strings.Contains(err.Error()+invalid.Hint, in[1]) {
			t.Errorf("the refusal repeats the value: %v", err)
		}
	}
	if _, err := v.Set(ctx, "a", "long-enough-1", []string{"https://x"}); err == nil {
		t.Error("a host with a scheme was taken")
	}
}

func TestKeyFile_OfOthers_IsRefused(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	_, err := vault(t, dir, nil).Set(ctx, "a", "canary-1-x", nil)
	check(t, err)
	key := filepath.Join(dir, "secrets.key")
	check(t, os.Chmod(key, 0o640))
	if _, err := vault(t, dir, nil).Get(ctx, "a"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others may read: %v", err)
	}
	check(t, os.Chmod(key, 0o600))
	moved := filepath.Join(t.TempDir(), "elsewhere")
	check(t, os.Rename(key, moved))
	check(t, os.Symlink(moved, key))
	if _, err := vault(t, dir, nil).Get(ctx, "a"); err == nil {
		t.Error("a symlink as key was followed")
	}
	check(t, os.Remove(key))
	if _, err := vault(t, dir, nil).Set(ctx, "b", "canary-2-x", nil); err == nil ||
		!strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing key: %v", err)
	}
	if got, err := vault(t, dir, func(o *Options) { o.KeyFile = moved }).Get(ctx, "a"); got != "canary-1-x" {
		t.Errorf("a key kept elsewhere: %q, %v", got, err)
	}
}

func TestVault_Passphrase_IsNeededToRead(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	v := vault(t, dir, nil)
	_, err := v.Set(ctx, "a", "canary-1-x", nil)
	check(t, err)
	if err := v.SetPassphrase(ctx, "short"); err == nil {
		t.Error("a short passphrase was taken")
	}
	check(t, v.SetPassphrase(ctx, "correct horse battery"))
	inTheClear(t, dir, "canary-1-x", "AGE-SECRET-KEY", "correct horse battery")

	shut := vault(t, dir, nil)
	if w := shut.Where(ctx); !w.Locked || !w.Passphrase {
		t.Errorf("%+v", w)
	}
	if _, err := shut.Get(ctx, "a"); !errors.Is(err, ErrLocked) {
		t.Errorf("without a passphrase: %v", err)
	}
	if err := shut.LoadAll(ctx); !errors.Is(err, ErrLocked) {
		t.Errorf("recalled without a passphrase: %v", err)
	}
	if err := shut.Unlock("wrong horse battery"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("with another: %v", err)
	}
	asked := 0
	with := vault(t, dir, func(o *Options) {
		o.Ask = func(context.Context) (string, error) { asked++; return "correct horse battery", nil }
	})
	for range 2 {
		if got, err := with.Get(ctx, "a"); got != "canary-1-x" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	check(t, with.SetPassphrase(ctx, ""))
	later := vault(t, dir, nil)
	check(t, later.LoadAll(ctx))
	if got := later.mask.Text("it is canary-1-x"); got != "it is {{secret:a}}" {
		t.Errorf("recalled, and yet: %q", got)
	}
	if got, err := vault(t, dir, nil).Get(ctx, "a"); got != "canary-1-x" {
		t.Errorf("after the passphrase was taken off: %q, %v", got, err)
	}
}

func TestLogins_OtherOrigin_GetsNone(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	v := vault(t, dir, nil)
	l := v.Logins()
	check(t, l.Save(ctx, Login{"https://Example.org:443/login?x=1", "ann", "canary-1-x"}))
	check(t, l.Save(ctx, Login{"https://example.org", "bob@x", "canary-2-x"}))
	check(t, l.Save(ctx, Login{"http://[::1]:8080", "ann", "canary-3-x"}))
	inTheClear(t, dir, "canary-")
	users, err := l.Users("https://example.org/")
	check(t, err)
	if !slices.Equal(users, []string{"ann", "bob@x"}) {
		t.Errorf("users: %v", users)
	}
	for _, other := range []string{
		"http://example.org", "https://example.org:8443", "https://www.example.org",
		"https://example.org.evil.net", "https://example.org@evil.net/",
	} {
		if in, err := l.For(ctx, other, "ann"); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s was given %+v, %v", other, in, err)
		}
	}
	if in, err := l.For(ctx, "https://example.org", "bob@x"); in.Password != "canary-2-x" {
		t.Errorf("%+v, %v", in, err)
	}
	if got := v.mask.Text("canary-2-x"); strings.Contains(got, "canary") {
		t.Errorf("an opened password is not masked: %q", got)
	}
	var invalid *fault.Error
	if _, err := l.For(ctx, "https://example.org", ""); !errors.As(err, &invalid) {
		t.Errorf("without a user: %v", err)
	}
	if in, err := l.For(ctx, "http://[::1]:8080/x", ""); in.User != "ann" {
		t.Errorf("the only user: %+v, %v", in, err)
	}
	if _, err := l.For(ctx, "file:///etc/passwd", ""); !errors.As(err, &invalid) {
		t.Errorf("a file has no origin: %v", err)
	}
	if list, err := v.List(); err != nil || len(list) != 0 {
		t.Errorf("logins among the secrets: %v, %v", list, err)
	}
	check(t, l.Remove(ctx, "https://example.org", "ann"))
	if list, err := l.List(); err != nil || len(list) != 2 || list[0].Password != "" {
		t.Errorf("left: %+v, %v", list, err)
	}
}

func TestLogins_Change_KeepsThePasswordAndOtherLogins(t *testing.T) {
	ctx := t.Context()
	l := vault(t, t.TempDir(), nil).Logins()
	const origin = "https://example.org"
	check(t, l.Save(ctx, Login{origin, "ann", "canary-1-x"}))
	check(t, l.Save(ctx, Login{origin, "bob", "canary-2-x"}))
	check(t, l.Change(ctx, Login{Origin: origin, User: "ann"}, Login{User: "anna"}))
	check(t, l.Change(ctx, Login{Origin: origin, User: "bob"}, Login{User: "bob", Password: "canary-3-x"}))
	for user, password := range map[string]string{"anna": "canary-1-x", "bob": "canary-3-x"} {
		if in, err := l.For(ctx, origin, user); err != nil || in.Password != password {
			t.Errorf("%s: %+v, %v", user, in, err)
		}
	}
	var invalid *fault.Error
	if err := l.Change(ctx, Login{Origin: origin, User: "anna"}, Login{User: "bob"}); !errors.As(err, &invalid) {
		t.Errorf("a name that another login has: %v", err)
	}
	if err := l.Change(ctx, Login{Origin: origin, User: "ann"}, Login{User: "x"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("a login that is gone: %v", err)
	}
	if users, err := l.Users(origin); err != nil || !slices.Equal(users, []string{"anna", "bob"}) {
		t.Errorf("users %v, %v", users, err)
	}
}

func TestVault_ConcurrentChanges_AreAllKept(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	_, err := vault(t, dir, nil).Set(ctx, "first", "canary-0-x", nil)
	check(t, err)
	done := make(chan error)
	const many = 8
	for i := range many {
		go func() {
			_, err := vault(t, dir, nil).Set(ctx, "n"+string(rune('a'+i)), "canary-x-1", nil)
			done <- err
		}()
	}
	for range many {
		check(t, <-done)
	}
	list, err := vault(t, dir, nil).List()
	check(t, err)
	if len(list) != many+1 {
		t.Errorf("%d of %d are left", len(list), many+1)
	}
	for _, s := range list {
		if _, err := vault(t, dir, nil).Get(ctx, s.Name); err != nil {
			t.Error(err)
		}
	}
}

func TestLogins_ServerOfSSH_IsForItsUserAndPort(t *testing.T) {
	ctx, l := t.Context(), vault(t, t.TempDir(), nil).Logins()
	const question = "ann@box's password:"
	check(t, l.Save(ctx, Login{"ssh://ann@Box:22", question, "canary-4-x"}))
	for address, want := range map[string]string{
		"ssh://ann@box": "canary-4-x", "ssh://bob@box": "", "ssh://ann@box:2222": "", "ssh://box": "", "https://box": "",
	} {
		if in, err := l.For(ctx, address, question); in.Password != want || (want == "") != errors.Is(err, ErrUnknown) {
			t.Errorf("%s was given %+v, %v", address, in, err)
		}
	}
}
