package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// toolchains sets the additional folders that goals see.
func (p *program) toolchains(list ...string) error {
	p.Helper()
	settings := area[*calls.SettingsAPI](p.T, p.app)
	s, err := settings.Get()
	must(p.T, err)
	s.Toolchains = strings.Join(list, string(filepath.ListSeparator))
	_, err = settings.Save(s)
	return err
}

// TestToolchain_OfTheUser_IsReadOnly: goals can read a toolchain, but not write it. Once it is no longer safe, it is
// left out with a warning.
func TestToolchain_OfTheUser_IsReadOnly(t *testing.T) {
	home := t.TempDir()
	zig := filepath.Join(home, ".zig")
	must(t, os.MkdirAll(filepath.Join(zig, "bin"), 0o755))
	must(t, os.WriteFile(filepath.Join(zig, "bin", "zig"), []byte("#!/bin/sh\necho built\n"), 0o755))
	p := start(t, filepath.Join(home, "data"))
	t.Setenv("HOME", home)
	builds := func() (id, said string) {
		p.Helper()
		p.provide(turns(args("run_command", map[string]any{
			"command": zig + "/bin/zig; echo x >" + zig + "/bin/zig",
		}), giveUp()))
		out, err := p.goal.Start(goal.Request{
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		must(t, err)
		p.done(out.GoalID)
		s, err := p.goal.Step(out.GoalID, 1)
		must(t, err)
		return out.GoalID, s.Result
	}
	finding := func() (f api.DoctorFinding) {
		for _, f = range p.app.Doctor() {
			if f.ID == "toolchains" {
				return f
			}
		}
		return api.DoctorFinding{}
	}
	if _, said := builds(); strings.Contains(said, "built") || finding().ID != "" {
		t.Errorf("it is seen without a word of the user's: %s", said)
	}
	must(t, p.toolchains(zig))
	if _, said := builds(); !strings.Contains(said, "built\n") || !strings.Contains(said, "Read-only file system") {
		t.Errorf("given: %s", said)
	}
	if f := finding(); f.State != "ok" || f.Detail != zig {
		t.Errorf("%+v", f)
	}
	must(t, os.Chmod(zig, 0o777))
	id, said := builds()
	if strings.Contains(said, "built") || finding().State != "warn" {
		t.Errorf("anybody's: %s, %+v", said, finding())
	}
	if !strings.Contains(p.journal(id), "other users of this machine can change "+zig) {
		t.Error("no warning says that it is left out")
	}
}

// TestValidateToolchains_UnsafeFolder_IsRefused: goals could read such a folder, and checks would trust its programs.
func TestValidateToolchains_UnsafeFolder_IsRefused(t *testing.T) {
	home := t.TempDir()
	p := start(t, filepath.Join(home, "data"))
	t.Setenv("HOME", home)
	for _, dir := range []string{"fine", "open/below", ".ssh/bin", ".config/gh", "holds", "data/work"} {
		must(t, os.MkdirAll(filepath.Join(home, dir), 0o755))
	}
	must(t, os.Chmod(filepath.Join(home, "open"), 0o777))
	must(t, os.WriteFile(filepath.Join(home, "holds", ".npmrc"), nil, 0o600))
	must(t, os.Symlink(filepath.Join(home, ".ssh"), filepath.Join(home, "link")))
	at := func(name string) string { return filepath.Join(home, name) }
	for path, why := range map[string]string{
		"zig":              "is not a clean absolute path",
		at("fine") + "/":   "is not a clean absolute path",
		at("missing"):      "does not exist",
		at("holds/.npmrc"): "is not a folder",
		home:               "is a home folder",
		filepath.Dir(home): "is a home folder",
		"/":                "is a home folder",
		at(".ssh"):         "keys or logins",
		at(".ssh/bin"):     "keys or logins",
		at(".config"):      "keys or logins",
		at("holds"):        "keys or logins",
		at("link"):         "keys or logins",
		"/etc/ssl":         "belongs to the system",
		"/proc":            "belongs to the system",
		"/opt":             "belongs to the system",
		at("data"):         "contains Goalpost's data",
		at("data/state"):   "contains Goalpost's data",
		at("data/work"):    "contains Goalpost's data",
		at("open"):         "can change",
		at("open/below"):   "can change " + at("open"),
	} {
		err := p.toolchains(at("fine"), path)
		if err == nil {
			t.Errorf("%s is taken", path)
			continue
		}
		if problem := api.ToProblem(err); problem.Code != fault.Refused || problem.Field != "toolchains" ||
			problem.Hint == "" || !strings.Contains(problem.Message, why) {
			t.Errorf("%s: %+v, want %s", path, err, why)
		}
	}
	if s := p.cfg.Settings(); s.Toolchains != "" {
		t.Errorf("kept: %s", s.Toolchains)
	}
	must(t, p.toolchains(at("fine")))
}
