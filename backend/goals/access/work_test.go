package access

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// project makes a folder of the user that contains src/, tests/ and notes.md.
func project(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/deep", "tests", ".git/hooks", "../" + filepath.Base(dir) + "-other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notes.md", "tests/a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.Symlink("src", filepath.Join(dir, "link")),
		os.Symlink("/etc", filepath.Join(dir, "out")),
	); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestValidateWork_GivenPaths_AreRoundedUpOrRefused(t *testing.T) {
	dir := project(t)
	for _, c := range []struct {
		given []string
		want  []string
		field string // must be part of the refusal
	}{
		{nil, nil, ""},
		{[]string{"src", "notes.md"}, []string{"notes.md", "src/"}, ""},
		{[]string{dir + "/src/"}, []string{"src/"}, ""},
		{[]string{"src/**/*.py"}, []string{"src/"}, ""},
		{[]string{"src/deep", "src"}, []string{"src/"}, ""},
		{[]string{"link"}, []string{"src/"}, ""},
		{[]string{"."}, nil, ""},
		{[]string{"missing"}, nil, "does not exist"},
		{[]string{"*.py"}, nil, "whole folder"},
		{[]string{"../x"}, nil, "does not exist"},
		{[]string{".."}, nil, "outside"},
		{[]string{"out"}, nil, "outside"},
		{[]string{".git/hooks"}, nil, "git's own"},
	} {
		p := policy.Policy{Risk: policy.WriteLocal, Dir: dir, Work: c.given}
		err := validateWork(&p)
		if c.field == "" && (err != nil || !slices.Equal(p.Work, c.want)) {
			t.Errorf("%v: %v %v, want %v", c.given, p.Work, err, c.want)
		}
		if c.field != "" && (err == nil || fault.Of(err).Field != "work" || !strings.Contains(err.Error(), c.field)) {
			t.Errorf("%v: %v, want %q", c.given, err, c.field)
		}
	}
}

func TestValidateCheckDir_WhatTheAgentCouldRead_IsRefused(t *testing.T) {
	dir := project(t)
	beside := dir + "-other"
	rules := &Rules{Config: &config.Config{}}
	for _, c := range []struct {
		name string
		in   policy.Policy
		p    policy.Policy
		want string
	}{
		{"inside", policy.Policy{CheckDir: "tests"}, policy.Policy{}, ""},
		{"beside", policy.Policy{CheckDir: beside}, policy.Policy{}, ""},
		{"the folder itself", policy.Policy{CheckDir: "."}, policy.Policy{}, "contains the goal's folder"},
		{"one above", policy.Policy{CheckDir: ".."}, policy.Policy{}, "contains the goal's folder"},
		{"missing", policy.Policy{CheckDir: "missing"}, policy.Policy{}, "not a folder"},
		{"a file", policy.Policy{CheckDir: "notes.md"}, policy.Policy{}, "not a folder"},
		{
			"granted",
			policy.Policy{CheckDir: beside},
			policy.Policy{AllowRead: []string{filepath.Dir(beside)}},
			"would have access",
		},
		{
			"granted below",
			policy.Policy{CheckDir: "tests"},
			policy.Policy{AllowRead: []string{dir + "/tests/a"}},
			"would have access",
		},
		{
			"granted while it runs",
			policy.Policy{},
			policy.Policy{CheckDir: beside, AllowRead: []string{beside}},
			"would have access",
		},
		{
			"of the parent",
			policy.Policy{},
			policy.Policy{Hidden: []string{beside}, AllowRead: []string{beside}},
			"would have access",
		},
		{"to be changed", policy.Policy{CheckDir: "tests"}, policy.Policy{Work: []string{"tests/"}}, "may change"},
		{"no sandbox", policy.Policy{CheckDir: "tests"}, policy.Policy{Unconfined: true}, "without a sandbox"},
	} {
		c.p.Dir, c.p.CheckDir = dir, cmp.Or(c.in.CheckDir, c.p.CheckDir)
		if err := rules.validateCheckDir(&c.p); (err == nil) != (c.want == "") ||
			err != nil && (fault.Of(err).Field != "check_dir" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestGitTracks_IndexOfEveryVersion_IsRead reads indexes that git itself wrote.
func TestGitTracks_IndexOfEveryVersion_IsRead(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "src/b", "src/tests/c", "test/d", "tests/e", "testsuite/f", "hidden/g"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755),
				os.WriteFile(filepath.Join(dir, name), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{
			{"init", "-q"}, {"add", "a", "src", "test", "testsuite"}, {"update-index", "--index-version", version},
		} {
			c := exec.Command("git", args...)
			c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
			if text, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, text)
			}
		}
		for folder, want := range map[string]bool{
			"src": true, "src/tests": true, "test": true, "testsuite": true, "tests": false, "hidden": false,
		} {
			if got, err := gitTracks(dir, filepath.Join(dir, folder)); err != nil || got != want {
				t.Errorf("version %s, %s: %v %v", version, folder, got, err)
			}
		}
		if got, err := gitTracks(dir, filepath.Dir(dir)); got || err != nil {
			t.Errorf("outside: %v %v", got, err)
		}
	}
}
