package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/host/sandbox/spec"
)

// newSpec returns the spec of a goal whose folder, home and private folder are below the machine's /tmp. The goal does
// not see that /tmp.
func newSpec(tb testing.TB) sandbox.Spec {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := sandbox.Spec{
		Dir:   filepath.Join(base, "home", "work"),
		Layer: filepath.Join(base, "state", "layer"),
		Home:  filepath.Join(base, "home"),
	}
	for _, dir := range []string{w.Dir, w.Home, filepath.Dir(w.Layer)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// openSandbox opens a supervisor with a sandbox.
func openSandbox(tb testing.TB, w sandbox.Spec) *sandbox.Supervisor {
	tb.Helper()
	return openSandboxReporting(tb, w, newTellings())
}

// inside returns a command that runs a shell script in the goal's folder.
func inside(w sandbox.Spec, script string, args ...string) process.Command {
	c := sh(script, args...)
	c.Dir, c.Env = w.Dir, environ.ForAgent([]string{plainPath, endsAtOnce}, w)
	return c
}

// userGit is a user's git configuration. Some of its entries name keys or programs, and others do not.
const userGit = `[user]
	name = A user
	signingKey = ABCDEF
[commit]
	gpgSign = true
[credential "https://example.org"]
	helper = store
[http]
	extraHeader = Authorization: Basic c2VjcmV0
[url "https://me:secret@example.org/"]
	insteadOf = https://example.org/
[Alias]
	st = status
[includeIf "gitdir:~/work/"]
	path = ~/.gitconfig-work
`

func TestSpec_FilesAndLimits_AreTheGoalsOwn(t *testing.T) {
	w := newSpec(t)
	if err := os.WriteFile(filepath.Join(w.Home, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Home, ".gitconfig"), []byte(userGit), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openSandbox(t, w)
	limits := spec.DefaultLimits()
	for script, want := range map[string]string{
		"bash -c 'ulimit -d; ulimit -f; ulimit -u'": fmt.Sprintf("unlimited\n%d\n%d\n", limits.FileSize>>10,
			limits.Processes),
		"cat /proc/self/oom_score_adj": "900\n",
		"nice":                         fmt.Sprintf("%d\n", max(nice(t), limits.Nice)),
		// The second waits: the kernel takes one weight of a session each tenth of a second for the whole machine.
		"ionice": "best-effort: prio 7\n",
		"test ! -e /proc/self/autogroup || until grep -q 'nice 5$' /proc/self/autogroup; do sleep 0.05; done": "",
		"cat /run/goalpost/gitconfig": "[safe]\n\tdirectory = *\n" +
			"[user]\n\tname = A user\n[commit]\n\tgpgSign = true\n[Alias]\n\tst = status\n",
		"pwd":                    w.Dir + "\n",
		"ls -A ~ | grep -v kept": "work\n",
		"ls -A /tmp | wc -l":     "1\n",
		"ls /dev/pts":            "ptmx\n",
		"ls /run; ls /run/user":  "goalpost\nuser\n" + uid() + "\n",
		"echo hi > ~/kept; cat ~/kept; echo x > out; cat out": "hi\nx\n",
		"bash -c 'cat <(echo yes) /dev/fd/0' </dev/null":      "yes\n",
	} {
		t.Run(script, func(t *testing.T) {
			text, status := output(t, s, inside(w, script))
			t.Logf("%s%v", text, status)
			if text != want {
				t.Errorf("want %q", want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "out")); err != nil {
		t.Error(err)
	}
}

// TestCheckAndAgent_Capabilities_AreDropped: the programs of agents and checks have no capabilities, except that root
// keeps those for files. They cannot gain new ones, and do not run without the filter.
func TestCheckAndAgent_Capabilities_AreDropped(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	rights := uint64(0)
	if os.Getuid() == 0 {
		rights = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	}
	want := fmt.Sprintf("CapInh:%016x CapPrm:%016x CapEff:%016x CapAmb:%016x NoNewPrivs:1 Seccomp:2 ", 0, rights, rights,
		0)
	const script = `grep -E '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | ` +
		`tr -d '\t' | tr '\n' ' '`
	for _, c := range []process.Command{inside(w, script), check(w, script)} {
		if text, status := output(t, s, c); text != want || status.Code != 0 {
			t.Errorf("%q: %q %v, want %q", c.Domain, text, status, want)
		}
	}
}

// TestRefusal_ReachesTheListener: a helper that cannot make the namespaces reports that, and ends without reading the
// request. The app still gets the helper's error.
func TestRefusal_ReachesTheListener(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "helper")
	script := "#!/bin/sh\nexec unshare --user --map-root-user " +
		`sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' sh ` + sandboxtest.Helper(t) + ` "$@"`
	write(t, wrapper, script, 0o755)
	w := newSpec(t)
	for range 20 {
		s, err := sandbox.Open(t.Context(), sandbox.Options{Helper: wrapper, Name: t.Name(), Spec: &w})
		if err == nil {
			t.Fatal("it was opened", s.Close(t.Context()))
		}
		if !errors.Is(err, sandbox.ErrRefused) || !strings.Contains(err.Error(),
			"making the namespaces: no space left on device") || strings.Contains(err.Error(), "already finished") {
			t.Error(err)
		}
	}
}

// TestNetwork_PortBelow1024_CanBeUsed: outside of a sandbox, only root may listen on such a port.
func TestNetwork_PortBelow1024_CanBeUsed(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	script := attemptVariable + "=serve " + self +
		" tcp 127.0.0.1:80 > said & until grep -qs ready said; do kill -0 $! || exit 1; done; " +
		attemptVariable + "=dial " + self + " tcp 127.0.0.1:80 && wait && cat said"
	if text, status := output(t, openSandbox(t, w), inside(w, script)); text != "ready\nescaped" || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
}

// nice returns the nice value of this process.
func nice(tb testing.TB) int {
	tb.Helper()
	have, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return 20 - have // the kernel returns 20 minus the nice value
}

// TestLimits_DangerousCalls_AreRefused: the calls are refused whatever their arguments are. A call with the numbers of
// another architecture kills its process.
func TestLimits_DangerousCalls_AreRefused(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	s := openSandbox(t, w)
	for name, number := range map[string]uintptr{
		"process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"perf_event_open":   unix.SYS_PERF_EVENT_OPEN,
		"kexec_load":        unix.SYS_KEXEC_LOAD,
		"init_module":       unix.SYS_INIT_MODULE,
		"umount2":           unix.SYS_UMOUNT2,
		"pivot_root":        unix.SYS_PIVOT_ROOT,
		"move_mount":        unix.SYS_MOVE_MOUNT,
		"open_tree":         unix.SYS_OPEN_TREE,
		"fsopen":            unix.SYS_FSOPEN,
		"add_key":           unix.SYS_ADD_KEY,
		"request_key":       unix.SYS_REQUEST_KEY,
		"TIOCLINUX":         unix.SYS_IOCTL,
	} {
		for _, c := range []process.Command{inside(w, ""), check(w, "")} {
			c.Argv, c.Env = []string{self, fmt.Sprint(number)}, append(c.Env, attemptVariable+"=senseless")
			if text, status := output(t, s, c); text != "operation not permitted\n" || status.Code != 1 {
				t.Errorf("%s: %q %v", name, text, status)
			}
		}
	}
	if runtime.GOARCH == "amd64" {
		const getpid, x32 = 39, 0x40000000
		c := inside(w, "")
		c.Argv, c.Env = []string{self, fmt.Sprint(x32 | getpid)}, append(c.Env, attemptVariable+"=senseless")
		if text, status := output(t, s, c); status.Signal != syscall.SIGSYS {
			t.Errorf("x32: %q %v", text, status)
		}
	}
}

func uid() string {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Uid:"); ok {
			return strings.Fields(rest)[0]
		}
	}
	return ""
}

func TestTerminal_OfAGoal_IsItsOwn(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	p, master, err := s.StartTerminal(context.Background(), inside(w, "tty; stty size; echo done"), 91, 17)
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	text, _ := io.ReadAll(master) // ends with EIO
	if err := master.Close(); err != nil {
		t.Error(err)
	}
	if string(text) != "/dev/pts/0\r\n17 91\r\ndone\r\n" {
		t.Errorf("%q", text)
	}
}

// TestSandbox_FilesReplacedWhileItIsMade_Starts: in the meantime passwd and package managers create and delete files
// in /etc that only root may read, the user's git renames a new configuration over the old one, and hooks are
// installed and removed.
func TestSandbox_FilesReplacedWhileItIsMade_Starts(t *testing.T) {
	w := newSpec(t)
	config := filepath.Join(w.Dir, ".git", "config")
	write(t, filepath.Join(w.Dir, ".git", "HEAD"), "ref: refs/heads/main\n", 0o644)
	write(t, config, "[core]\n", 0o644)
	comesAndGoes := func(name string) func(n int) error {
		return func(n int) error {
			at := func(n int) string { return name + strconv.Itoa(n%100) }
			return errors.Join(os.WriteFile(at(n), nil, 0o600), os.RemoveAll(at(n+50)))
		}
	}
	beside := map[string]func(n int) error{
		"the user's git": func(int) error {
			return errors.Join(os.WriteFile(config+".lock", []byte("[core]\n"), 0o600), os.Rename(config+".lock", config))
		},
		"hooks": comesAndGoes(write(t, filepath.Join(w.Dir, ".git", "hooks", "a"), "", 0o755)),
	}
	if os.Getuid() == 0 { // root could read these files inside the sandbox, too
		name := fmt.Sprintf("/etc/goalpost-comes-%d-", os.Getpid())
		beside["what is hidden of /etc"] = comesAndGoes(name)
		t.Cleanup(func() {
			for n := range 100 {
				_ = os.Remove(name + strconv.Itoa(n))
			}
		})
	}
	for what, replace := range beside {
		t.Run(what, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			var beside sync.WaitGroup
			beside.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					if err := replace(n); err != nil {
						t.Error(err)
						return
					}
				}
			})
			defer func() { stop(); beside.Wait() }()
			for n := range 4 {
				w := w
				w.Layer += filepath.Base(t.Name()) + strconv.Itoa(n) // each needs a new folder: copies are made once
				s, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: t.Name(), Spec: &w})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestSpec_User_IsAsReported: the goal's programs run as root exactly if RunsAsRoot reports it.
func TestSpec_User_IsAsReported(t *testing.T) {
	w := newSpec(t)
	folders := map[string]bool{w.Dir: os.Getuid() == 0}
	if os.Getuid() == 0 {
		theirs := filepath.Join(w.Home, "theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o755), os.Chown(theirs, ordinary, ordinary)); err != nil {
			t.Fatal(err)
		}
		folders[theirs] = false
	}
	for dir, root := range folders {
		w.Dir, w.Layer = dir, w.Layer+"-"+filepath.Base(dir)
		text, status := output(t, openSandbox(t, w), inside(w, "id -u"))
		if said := mounts.RunsAsRoot(dir); said != root || (text == "0\n") != root || status.Code != 0 {
			t.Errorf("%s: root is %v; it runs as %s, %v", dir, said, text, status)
		}
	}
}
