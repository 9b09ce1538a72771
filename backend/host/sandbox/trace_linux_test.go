package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/lib/waittest"
)

// traced runs a script of a check in the goal's folder, traced, and returns what it wrote and did.
func traced(tb testing.TB, s *sandbox.Supervisor, w sandbox.Spec, script string) (process.Output, process.Trace) {
	tb.Helper()
	c := inside(w, script)
	c.Domain, c.Trace = process.DomainCheck, true
	return runTraced(tb, s, c)
}

func runTraced(tb testing.TB, s *sandbox.Supervisor, c process.Command) (process.Output, process.Trace) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(3*time.Minute))
	defer cancel()
	o, err := process.Capture(ctx, s, c, true)
	if err != nil {
		tb.Fatal(err)
	}
	if o.Trace == nil {
		tb.Fatal("there is no trace")
	}
	if o.Trace.Incomplete != "" {
		tb.Errorf("the trace is incomplete: %s", o.Trace.Incomplete)
	}
	if o.TimedOut {
		tb.Error("it did not end")
	}
	return o, *o.Trace
}

// describe writes each use of a trace as "use path by program", with "missing" before a path that was not there.
// Paths in the goal's folder are relative to it.
func describe(w sandbox.Spec, trace process.Trace) []string {
	var lines []string
	for _, a := range trace.Accesses {
		path := a.Path
		if rest, ok := strings.CutPrefix(path, w.Dir+"/"); ok {
			path = rest
		}
		if a.Missing {
			path = "missing " + path
		}
		lines = append(lines, fmt.Sprintf("%s %s by %s", a.Use, path, filepath.Base(trace.Programs[a.Program].Path)))
	}
	return lines
}

func writeFiles(tb testing.TB, w sandbox.Spec, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(w.Dir, name)
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			tb.Fatal(err)
		}
	}
}

// systemPython returns the path of the Python interpreter that every sandbox contains.
func systemPython(tb testing.TB) string {
	tb.Helper()
	const path = "/usr/bin/python3"
	if _, err := os.Stat(path); err != nil {
		tb.Skip("there is no " + path)
	}
	return path
}

func realShell(tb testing.TB) string {
	tb.Helper()
	path, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Base(path)
}

// TestCheckTrace_NamesOfEveryKind: a file is recorded by its real path, however a program names it.
func TestCheckTrace_NamesOfEveryKind(t *testing.T) {
	asOrdinaryUser(t)
	python := systemPython(t)
	shell := realShell(t)
	for name, test := range map[string]struct {
		script string
		want   []string // SH is the shell, PY the interpreter
		not    []string
	}{
		"read":            {"cat f", []string{"read f by cat"}, []string{"read f by SH"}},
		"absolute":        {`cat "$PWD/f"`, []string{"read f by cat"}, nil},
		"dot dot":         {"cat d/../f", []string{"read f by cat"}, nil},
		"chdir":           {"cd d && cat g", []string{"read d/g by cat", "lookup d by SH"}, nil},
		"link":            {"cat l", []string{"read f by cat", "lookup l by cat"}, []string{"read l by cat"}},
		"link in the way": {"cat dl/g", []string{"read d/g by cat", "lookup dl by cat"}, nil},
		"dot dot of link": {"cat dl/../f", []string{"read f by cat"}, nil},
		"out of a link": {
			"cat deep/../g",
			[]string{"read d/g by cat"},
			[]string{"read g by cat", "read missing g by cat"},
		},
		"dangling":         {"cat dangling; true", []string{"read missing nothere by cat", "lookup dangling by cat"}, nil},
		"link itself":      {"readlink l", []string{"lookup l by readlink"}, nil},
		"proc cwd":         {"cat /proc/self/cwd/f", []string{"read f by cat"}, nil},
		"own descriptor":   {"cat /proc/self/fd/3 3<f", []string{"read f by SH", "read f by cat"}, nil},
		"dev fd":           {"cat /dev/fd/3 3<f", []string{"read f by cat"}, nil},
		"link through cwd": {"cd d; cat ../selflink/g", []string{"read d/g by cat"}, nil},
		"in vain":          {"test -e no/where; true", []string{"lookup missing no/where by SH"}, nil},
		"source if there":  {"[ -f ./env.sh ] && . ./env.sh; true", []string{"lookup missing env.sh by SH"}, nil},
		"sourced":          {". ./s.sh", []string{"read s.sh by SH"}, []string{"read missing s.sh by SH"}},
		"write": {
			"echo x >new; echo y >>new",
			[]string{"write missing new by SH", "write new by SH"},
			[]string{"read new by SH"},
		},
		"rename": {
			"mv f f2 && cat f2",
			[]string{"write f by mv", "write missing f2 by mv", "read f2 by cat"},
			nil,
		},
		"renamed folder": {"mkdir a && echo 1 >a/x && cd a && mv ../a ../b && cat x", []string{"read b/x by cat"}, nil},
		"link made": {
			"ln f hard; ln -s f soft",
			[]string{"read f by ln", "write missing hard by ln", "write missing soft by ln"},
			nil,
		},
		"other name": {"ln f hard; cat f; cat hard", []string{"read f by cat", "read hard by cat"}, nil},
		"link exchanged": {
			"ln -s f cur; cat cur; rm cur; ln -s d/g cur; cat cur",
			[]string{"read f by cat", "read d/g by cat", "write cur by rm"},
			nil,
		},
		"remove": {
			"rm f; mkdir n; rmdir n",
			[]string{"write f by rm", "write missing n by mkdir", "write n by rmdir"},
			nil,
		},
		"removed cwd": {"mkdir gone; cd gone; rmdir ../gone; cat f; true", []string{"read missing gone/f by cat"}, nil},
		"bytes":       {"cat \"$(printf 'a\\377b')\"; true", []string{"read missing a\xffb by cat"}, nil},
		"dirfd": {
			`PY -c 'import os; d = os.open("d", os.O_RDONLY); os.close(os.open("g", os.O_RDONLY, dir_fd=d))'`,
			[]string{"read d by PY", "read d/g by PY"},
			nil,
		},
		"fchdir": {
			`PY -c 'import os; os.fchdir(os.open("d", os.O_RDONLY)); open("g")'`,
			[]string{"read d/g by PY"},
			[]string{"read missing g by PY"},
		},
		"update in place": {`PY -c 'open("f", "r+")'`, []string{"read f by PY", "write f by PY"}, nil},
		"thread": {
			`PY -c 'import threading; t = threading.Thread(target=lambda: open("d/g")); t.start(); t.join()'`,
			[]string{"read d/g by PY"},
			nil,
		},
		"exec of a thread": {
			`PY -c 'import os, threading; threading.Thread(target=lambda: os.execv("/bin/cat", ["cat", "f"])).start()'`,
			[]string{"read f by cat"},
			[]string{"read f by PY"},
		},
		"many threads": {
			`PY -c '
import threading
t = [threading.Thread(target=lambda i=i: [open("f") for _ in range(50)] and open("t%d" % i, "w")) for i in range(20)]
[x.start() for x in t]; [x.join() for x in t]'`,
			[]string{"read f by PY", "write missing t0 by PY", "write missing t19 by PY"},
			nil,
		},
		"descriptor executed": {
			`PY -c 'import os; d = os.open("run.sh", os.O_RDONLY); os.set_inheritable(d, True)
os.execve(d, ["run.sh"], {"PATH": "/bin:/usr/bin"})'`,
			[]string{"execute run.sh by PY", "read run.sh by SH", "read f by cat"},
			nil,
		},
		"shell script": {
			"./run.sh",
			[]string{"execute run.sh by SH", "execute BIN/SH by SH", "read run.sh by SH", "read f by cat"},
			nil,
		},
		"chain of #!":   {"./outer", []string{"execute outer by SH", "execute run.sh by SH", "execute BIN/SH by SH"}, nil},
		"no program":    {"./nothere; true", []string{"execute missing nothere by SH"}, nil},
		"exec in place": {"exec cat f", []string{"read f by cat"}, []string{"read f by SH"}},
		"subshell":      {"(. ./s.sh; :)& wait", []string{"read s.sh by SH"}, nil},
		"make": {
			"make -s all",
			[]string{"read Makefile by make", "lookup missing in by make", "read f by cat"},
			nil,
		},
		"import": {"PY -c 'import mod'", []string{"read mod.py by PY"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			writeFiles(t, w, map[string]string{
				"f": "1\n", "d/g": "2\n", "d/e/x": "3\n", "s.sh": ":\n", "run.sh": "#!/bin/sh\ncat f\n", "mod.py": "x = 1\n",
				"outer": "#!" + filepath.Join(w.Dir, "run.sh") + "\n", "Makefile": "all: out\n\t@cat f\nout: in\nin:\n",
			})
			for link, to := range map[string]string{
				"l": "f", "dl": "d", "deep": "d/e", "dangling": "nothere", "selflink": "/proc/self/cwd",
			} {
				if err := os.Symlink(to, filepath.Join(w.Dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			s := openSandbox(t, w)
			interpreter, err := filepath.EvalSymlinks(python)
			if err != nil {
				t.Fatal(err)
			}
			o, trace := traced(t, s, w, strings.ReplaceAll(test.script, "PY", python))
			if o.Status.Code != 0 {
				t.Errorf("%v: %s", o.Status, o.Stdout)
			}
			got := describe(w, trace)
			expand := strings.NewReplacer("by SH", "by "+shell, "BIN/SH", "/usr/bin/"+shell, "by PY", "by "+
				filepath.Base(interpreter))
			for _, line := range test.want {
				if !slices.Contains(got, expand.Replace(line)) {
					t.Errorf("no %q in\n%s\nof %+v", expand.Replace(line), strings.Join(got, "\n"), trace.Programs)
				}
			}
			for _, line := range test.not {
				if slices.Contains(got, expand.Replace(line)) {
					t.Errorf("%q in\n%s", expand.Replace(line), strings.Join(got, "\n"))
				}
			}
		})
	}
}

// TestCheckTrace_Programs: each program is described once, by its file, its command line and its folder.
func TestCheckTrace_Programs(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"run.sh": "#!/bin/sh -e\ncat \"$1\"\n", "d/x": "1\n", "x": "2\n"})
	s := openSandbox(t, w)
	o, trace := traced(t, s, w, `./run.sh x; ./run.sh x; cd d; ../run.sh x; cat x ""`)
	shell := "/usr/bin/" + realShell(t)
	want := []process.TracedProgram{
		{Path: shell, Args: []string{"sh", "-c", `./run.sh x; ./run.sh x; cd d; ../run.sh x; cat x ""`, "sh"}, Dir: w.Dir},
		{Path: shell, Args: []string{"/bin/sh", "-e", "./run.sh", "x"}, Dir: w.Dir},
		{Path: "/usr/bin/cat", Args: []string{"cat", "x"}, Dir: w.Dir},
		{Path: shell, Args: []string{"/bin/sh", "-e", "../run.sh", "x"}, Dir: w.Dir + "/d"},
		{Path: "/usr/bin/cat", Args: []string{"cat", "x"}, Dir: w.Dir + "/d"},
		{Path: "/usr/bin/cat", Args: []string{"cat", "x", ""}, Dir: w.Dir + "/d"},
	}
	if fmt.Sprintf("%q", trace.Programs) != fmt.Sprintf("%q", want) {
		t.Errorf("%s\n got %q\nwant %q", o.Stdout, trace.Programs, want)
	}
	for _, a := range trace.Accesses {
		if a.Path == w.Dir+"/d/x" && a.Use == process.UseRead && a.Program != 4 && a.Program != 5 {
			t.Errorf("d/x was read by program %d", a.Program)
		}
	}
	seen := map[process.FileAccess]bool{}
	for _, a := range trace.Accesses {
		if seen[a] {
			t.Errorf("%+v is there twice", a)
		}
		seen[a] = true
	}
}

// TestCheckTrace_StaticProgram: recording does not depend on a library in the traced program.
func TestCheckTrace_StaticProgram(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"f": "1\n"})
	s := openSandbox(t, w)
	helper := "/run/goalpost/helper"
	o, trace := traced(t, s, w, helper+" anything; cat f")
	if !strings.Contains(string(o.Stdout), "no use of its own") {
		t.Errorf("%s", o.Stdout)
	}
	got := describe(w, trace)
	if !slices.Contains(got, "execute "+helper+" by "+realShell(t)) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if !slices.ContainsFunc(trace.Programs, func(p process.TracedProgram) bool {
		return p.Path == helper && slices.Equal(p.Args, []string{helper, "anything"})
	}) {
		t.Errorf("%q", trace.Programs)
	}
}

// TestCheckTrace_GoProgramForks: a Go program forks with shared memory and with its own locks held. The fork must not
// wait for the process that answers the program's calls.
func TestCheckTrace_GoProgramForks(t *testing.T) {
	asOrdinaryUser(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newSpec(t)
	w.Tools = []string{self}
	writeFiles(t, w, map[string]string{"run.sh": "#!/bin/sh\nexit 0\n"})
	s := openSandbox(t, w)
	c := inside(w, "")
	c.Argv, c.Domain, c.Trace = []string{self, "500", filepath.Join(w.Dir, "run.sh")}, process.DomainCheck, true
	c.Env = append(c.Env, attemptVariable+"=fork-often", "GOGC=1")
	o, trace := runTraced(t, s, c)
	if o.Status.Code != 0 {
		t.Errorf("%v %s", o.Status, o.Stdout)
	}
	if got := describe(w, trace); !slices.Contains(got, "execute run.sh by "+filepath.Base(self)) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestCheckTrace_NumbersOfProcessesComeAgain: a process is not confused with an earlier one that had the same PID.
func TestCheckTrace_NumbersOfProcessesComeAgain(t *testing.T) {
	asOrdinaryUser(t)
	w := newSpec(t)
	limits := spec.DefaultLimits()
	limits.Processes = 200
	w.Limits = limits
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("c%d", i)], files[fmt.Sprintf("w%d", i)] = "1\n", "1\n"
	}
	writeFiles(t, w, files)
	s := openSandbox(t, w)
	o, trace := traced(t, s, w,
		`i=0; while [ $i -lt 300 ]; do cat c$((i % 10)); wc -l w$((i % 10)); (:); i=$((i + 1)); done >/dev/null`)
	if o.Status.Code != 0 {
		t.Errorf("%v %s", o.Status, o.Stdout)
	}
	for _, line := range describe(w, trace) {
		if strings.HasPrefix(line, "read c") != strings.HasSuffix(line, " by cat") && strings.HasPrefix(line, "read c") ||
			strings.HasPrefix(line, "read w") && !strings.HasSuffix(line, " by wc") {
			t.Errorf("%s", line)
		}
	}
	if len(trace.Programs) != 21 {
		t.Errorf("%d programs: %q", len(trace.Programs), trace.Programs)
	}
}

// TestCheckTrace_AnotherListenerAbove: without a listener the check runs, and its trace says why it is empty.
func TestCheckTrace_AnotherListenerAbove(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wrapper := filepath.Join(t.TempDir(), "helper")
	write(t, wrapper, fmt.Sprintf("#!/bin/sh\nexport %s=listen-above\nexec %s %s \"$@\"\n", attemptVariable, self,
		sandboxtest.Helper(t)), 0o755)
	w := newSpec(t)
	reports := newTellings()
	o := sandbox.Options{Helper: wrapper, Name: t.Name(), Spec: &w, Attempted: reports.hear}
	s, err := sandbox.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	c := inside(w, "cat /etc/passwd >/dev/null && echo ran")
	c.Domain, c.Trace = process.DomainCheck, true
	got, err := process.Capture(t.Context(), s, c, true)
	if err != nil || string(got.Stdout) != "ran\n" {
		t.Fatalf("%v %v %s", err, got.Status, got.Stdout)
	}
	if got.Trace == nil || !strings.HasPrefix(got.Trace.Incomplete, "not observed: another supervisor") ||
		len(got.Trace.Accesses) != 0 {
		t.Errorf("%+v", got.Trace)
	}
	if !reports.await("of a check: refused calls are not reported here") {
		t.Error(reports)
	}
}

// TestCheckTrace_RefusedCallsStayRefused: a trace does not change what the filter refuses and reports.
func TestCheckTrace_RefusedCallsStayRefused(t *testing.T) {
	python := systemPython(t)
	w := newSpec(t)
	reports := newTellings()
	s := openSandboxReporting(t, w, reports)
	o, _ := traced(t, s, w, `
unshare -U true && echo UNSHARED
`+python+` - <<'END'
import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
try:
    os.open("setuid", os.O_CREAT | os.O_WRONLY, 0o4755)
    print("SETUID")
except PermissionError as e:
    print("refused", e.errno)
how = (ctypes.c_uint64 * 3)(0, 0, 0)
print("openat2", libc.syscall(437, -100, b"f", how, 24), ctypes.get_errno())
openat = 257 if os.uname().machine == "x86_64" else 56
print("pointer", libc.syscall(openat, -100, ctypes.c_void_p(8), 0, 0), ctypes.get_errno())
END
`)
	text := string(o.Stdout)
	if strings.Contains(text, "UNSHARED") || strings.Contains(text, "SETUID") {
		t.Errorf("not refused: %s", text)
	}
	for _, want := range []string{"refused 1", "openat2 -1 38", "pointer -1 14"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for _, want := range []string{"make a namespace (unshare)", "setuid or setgid"} {
		if !reports.await(want) {
			t.Errorf("no %q in %s", want, reports)
		}
	}
}

// TestCheckTrace_HeldFiles: a file that is read in its protected state is recorded at its own path.
func TestCheckTrace_HeldFiles(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"t/check.sh": "echo changed\n", "t/lib.sh": ":\n"})
	protected := filepath.Join(filepath.Dir(w.Layer), "copy")
	if err := os.WriteFile(protected, []byte("echo protected; . ./t/lib.sh; echo 1 >new; cat new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := openSandbox(t, w)
	c := inside(w, "sh ./t/check.sh")
	c.Domain, c.Trace = process.DomainCheck, true
	c.Held = []process.FileOverride{{Path: filepath.Join(w.Dir, "t/check.sh"), Copy: protected}}
	o, trace := runTraced(t, s, c)
	if string(o.Stdout) != "protected\n1\n" {
		t.Errorf("%v %s", o.Status, o.Stdout)
	}
	got, shell := describe(w, trace), realShell(t)
	for _, want := range []string{
		"read t/check.sh by " + shell, "read t/lib.sh by " + shell, "write missing new by " + shell, "read new by cat",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestCheckTrace_KilledProgram: the trace has everything that a program did until it was killed, and what its
// remaining children did.
func TestCheckTrace_KilledProgram(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"f": "1\n", "later": "2\n"})
	s := openSandbox(t, w)
	o, trace := traced(t, s, w, "(while :; do cat later >/dev/null; done)& cat f; cat later; kill -KILL $$")
	if o.Status.Signal != 9 {
		t.Errorf("%v %s", o.Status, o.Stdout)
	}
	got := describe(w, trace)
	for _, want := range []string{"read f by cat", "read later by cat"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestCheckTrace_TooMuch: beyond the limit, the program continues and the trace says that it is incomplete.
func TestCheckTrace_TooMuch(t *testing.T) {
	asOrdinaryUser(t)
	python := systemPython(t)
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"f": "1\n"})
	s := openSandbox(t, w)
	c := inside(w, python+` -c '
import os
for i in range(100100): os.path.exists("no%d" % i)
print(open("f").read())'`)
	c.Domain, c.Trace = process.DomainCheck, true
	o, err := process.Capture(context.Background(), s, c, true)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(o.Stdout), "1") || o.Status.Code != 0 {
		t.Errorf("%v %s", o.Status, o.Stdout)
	}
	if !strings.Contains(o.Trace.Incomplete, "more than 100000 files") {
		t.Errorf("incomplete: %q", o.Trace.Incomplete)
	}
	if n := len(o.Trace.Accesses); n < 100_000 || n > 130_000 {
		t.Errorf("%d uses", n)
	}
}

// TestCheckTrace_OnlyForChecks: the agent's programs are not traced, and a supervisor without a sandbox cannot trace.
func TestCheckTrace_OnlyForChecks(t *testing.T) {
	w := newSpec(t)
	agent := inside(w, "true")
	agent.Trace = true
	free := sh("true")
	free.Trace, free.Domain = true, process.DomainCheck
	for name, test := range map[string]struct {
		s *sandbox.Supervisor
		c process.Command
	}{"agent": {openSandbox(t, w), agent}, "no sandbox": {open(t), free}} {
		t.Run(name, func(t *testing.T) {
			p, err := test.s.Start(context.Background(), test.c)
			if err != nil {
				t.Fatal(err)
			}
			wait(t, p)
			if _, ok := p.(process.TracedProcess); ok || p.Status().Code != 0 {
				t.Errorf("%T %v", p, p.Status())
			}
		})
	}
}

// TestCheckTrace_StartFails: the error is the same as without a trace.
func TestCheckTrace_StartFails(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"none": "#!/no/interpreter\n", "text": "#! \nhello"})
	s := openSandbox(t, w)
	for _, name := range []string{"./none", "./text", "nosuch"} {
		var errs []string
		for _, trace := range []bool{false, true} {
			c := inside(w, "")
			c.Argv, c.Domain, c.Trace = []string{name}, process.DomainCheck, trace
			_, err := s.Start(context.Background(), c)
			errs = append(errs, fmt.Sprint(err))
		}
		if errs[0] != errs[1] || errs[0] == "<nil>" {
			t.Errorf("%s: %q", name, errs)
		}
	}
}

// TestCheckTrace_StaticProgramWithoutCalls: a program that names no file itself is in the trace, too.
func TestCheckTrace_StaticProgramWithoutCalls(t *testing.T) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc")
	}
	w := newSpec(t)
	source, program := filepath.Join(w.Dir, "p.c"), filepath.Join(w.Dir, "p")
	writeFiles(t, w, map[string]string{
		"p.c": "void _start(void) { for (;;) __asm__(\"syscall\" :: \"a\"(60), \"D\"(7)); }\n",
	})
	if runtime.GOARCH != "amd64" {
		t.Skip("the program is for amd64")
	}
	if text, err := exec.Command(compiler, "-static", "-nostdlib", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, text)
	}
	s := openSandbox(t, w)
	for _, script := range []string{"exec ./p 'an argument'", "./p 'an argument'; ./p 2; exit 7"} {
		o, trace := traced(t, s, w, script)
		if o.Status.Code != 7 {
			t.Errorf("%s: %v %s", script, o.Status, o.Stdout)
		}
		want := process.TracedProgram{Path: program, Args: []string{"./p", "an argument"}, Dir: w.Dir}
		if !slices.ContainsFunc(trace.Programs, func(p process.TracedProgram) bool {
			return fmt.Sprintf("%q", p) == fmt.Sprintf("%q", want)
		}) {
			t.Errorf("%s: %q", script, trace.Programs)
		}
	}
}

// TestCheckTrace_EndsWithItsListener: when the process that answers the calls has ended, the traced program cannot
// continue unobserved, and the trace is incomplete.
func TestCheckTrace_EndsWithItsListener(t *testing.T) {
	w := newSpec(t)
	writeFiles(t, w, map[string]string{"f": "1\n"})
	s := openSandbox(t, w)
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := inside(w, "cat f; while :; do cat f >/dev/null; done")
	c.Domain, c.Trace, c.Files = process.DomainCheck, true, []*os.File{nil, out}
	p, err := s.Start(t.Context(), c)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil { // the program is running
		t.Fatal(err)
	}
	killCheckInit(t)
	wait(t, p)
	if p.Status().Code == 0 {
		t.Errorf("%v", p.Status())
	}
	if trace := p.(process.TracedProcess).Trace(); !strings.Contains(trace.Incomplete,
		"ended before the trace was complete") {
		t.Errorf("%+v", trace)
	}
}

// killCheckInit kills the first process of the only check that this process runs.
func killCheckInit(t *testing.T) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, line := range lines {
		text, _ := os.ReadFile(line)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if strings.HasSuffix(string(text), "\x00init\x00check\x00") && isDescendant(pid) {
			killed++
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
	if killed != 1 {
		t.Fatalf("%d processes killed", killed)
	}
}

// isDescendant reports whether this process started another, directly or not.
func isDescendant(pid int) bool {
	for pid > 1 {
		if pid == os.Getpid() {
			return true
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if pid, err = strconv.Atoi(f[1]); err != nil {
			return false
		}
	}
	return false
}
