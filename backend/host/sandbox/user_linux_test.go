package sandbox_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/host/sandbox/sandboxtest"
)

// ordinary is the id of a user without a name, without files and without other processes.
const ordinary = 54321

// TestOrdinaryUser_SandboxTests_Pass runs the tests of the sandbox again without root's rights.
func TestOrdinaryUser_SandboxTests_Pass(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user")
	}
	dir, err := os.MkdirTemp("", "ordinary-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, helper := filepath.Join(dir, "test"), filepath.Join(dir, "goalpost-helper")
	for dest, source := range map[string]string{program: "/proc/self/exe", helper: sandboxtest.Helper(t)} {
		copyProgram(t, source, dest)
	}
	if err := os.Chown(dir, ordinary, ordinary); err != nil {
		t.Fatal(err)
	}
	again := exec.Command(program, "-test.run="+sandboxTests, "-test.v="+verbose())
	again.Dir = dir
	again.Env = append(os.Environ(), sandboxtest.Ready+"="+helper, "TMPDIR="+dir, "HOME="+dir)
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	text, err := again.CombinedOutput()
	if err != nil || testing.Verbose() {
		t.Logf("%s", text)
	}
	if err != nil {
		t.Errorf("as user %d: %v", ordinary, err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, " attempts, ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// sandboxTests matches the tests that are run both as root and as an ordinary user.
const sandboxTests = "^Test(Spec|Terminal|Held|Check|Escape|Replaced|Moved|Freeze|ToolCaches|Sanitizers|Tar|" +
	"Socketpair|ReadOnly|Network|Project|Limits|Grant|Git|Work|Hidden|Kill)"

// asOrdinaryUser skips a long test as root if what it shows does not depend on the user: the test above runs it as an
// ordinary user, as most people will run Goalpost.
func asOrdinaryUser(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("TestOrdinaryUser_SandboxTests_Pass runs it")
	}
}

func verbose() string {
	if testing.Verbose() {
		return "true"
	}
	return "false"
}

func copyProgram(tb testing.TB, source, dest string) {
	tb.Helper()
	in, err := os.Open(source)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		tb.Fatal(err)
	}
	defer out.Close()
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(0o755)); err != nil { // whatever the umask is
		tb.Fatal(err)
	}
}
