package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// belowVarTmp creates a folder in the machine's /var/tmp.
func belowVarTmp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "goalpost-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestSpec_VarTmp_IsTheGoalsOwn: a goal has its own /var/tmp, as it has its own /tmp, even if it works in the
// machine's /var/tmp or is granted a folder there.
func TestSpec_VarTmp_IsTheGoalsOwn(t *testing.T) {
	base := belowVarTmp(t)
	write(t, filepath.Join(base, "secret"), "canary", 0o644)
	below, other := newSpec(t), newSpec(t)
	below.Dir = filepath.Join(base, "work")
	write(t, filepath.Join(below.Dir, "there"), "x", 0o644)
	given := filepath.Join(base, "given")
	write(t, filepath.Join(given, "there"), "x", 0o644)
	const script = "echo own > /var/tmp/own && cat /tmp/own /var/tmp/own && echo x > out && ls -A $BASE"
	for name, c := range map[string]struct {
		w     sandbox.Spec
		grant sandbox.RuntimeGrant
		sees  string
	}{
		"it works there":              {w: below, sees: "work\n"},
		"it works elsewhere":          {w: other, sees: ""},
		"a folder was given since":    {w: other, grant: sandbox.RuntimeGrant{Write: given}, sees: "given\n"},
		"and to one that works there": {w: below, grant: sandbox.RuntimeGrant{Write: given}, sees: "given\nwork\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c.w.Layer += "-" + filepath.Base(t.Name())
			s := openSandbox(t, c.w)
			said := script
			if c.grant.Write != "" {
				opening, err := s.Grant(t.Context(), c.grant)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = opening.Revoke(t.Context()) }()
				said = "echo x > $BASE/given/out && " + script
			}
			if c.sees == "" {
				said = "mkdir $BASE && " + said
			}
			for _, domain := range []process.Domain{"", process.DomainCheck} {
				command := inside(c.w, said)
				command.Env, command.Domain = append(command.Env, "BASE="+base), domain
				if text, status := output(t, s, command); text != "own\nown\n"+c.sees || status.Code != 0 {
					t.Errorf("%q: %q %v", domain, text, status)
				}
			}
		})
	}
	left, err := os.ReadDir(base)
	if err != nil || len(left) != 3 {
		t.Errorf("the machine's folder holds %v, %v", left, err)
	}
}

// TestReadOnly_VarTmp_IsNotWritable: like /tmp, it cannot be written.
func TestReadOnly_VarTmp_IsNotWritable(t *testing.T) {
	w := newSpec(t)
	w.ReadOnly = true
	if text, status := output(t, openSandbox(t, w), inside(w, "echo x > /var/tmp/own")); status.Code == 0 {
		t.Errorf("%q %v", text, status)
	}
}
