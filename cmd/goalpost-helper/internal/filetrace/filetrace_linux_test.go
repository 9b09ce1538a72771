package filetrace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

func TestParseInterpreterLine_EachForm_IsRead(t *testing.T) {
	for line, want := range map[string][2]string{
		"#!/bin/sh\nrest":                   {"/bin/sh", ""},
		"#! \t/usr/bin/env  python3 -u \nx": {"/usr/bin/env", "python3 -u"},
		"#!/bin/sh":                         {"/bin/sh", ""},
		"#!/bin/sh\x00\x00":                 {"/bin/sh", ""},
		"#!\n":                              {"", ""},
		"":                                  {"", ""},
		"echo":                              {"", ""},
		"#!" + strings.Repeat("x", 300):     {strings.Repeat("x", 254), ""},
		"#!relative/interpreter\targument\nsecond": {"relative/interpreter", "argument"},
	} {
		interpreter, argument := parseInterpreterLine([]byte(line))
		if got := [2]string{interpreter, argument}; got != want {
			t.Errorf("%.40q: %q, want %q", line, got, want)
		}
	}
}

func TestReadLoader_OfRealPrograms(t *testing.T) {
	self, err := filepath.EvalSymlinks("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{self: "", shell: "ld-"} {
		header, ok := readHeader(name)
		if !ok {
			t.Fatalf("%s cannot be read", name)
		}
		loader, isELF := readLoader(header, name)
		if !isELF || want != "" && !strings.Contains(loader, want) {
			t.Errorf("%s: %q %v", name, loader, isELF)
		}
	}
	for _, header := range []string{"", "#!/bin/sh", "\x7fELF\x01", "\x7fELF\x02"} {
		if loader, isELF := readLoader([]byte(header), shell); isELF || loader != "" {
			t.Errorf("%q: %q %v", header, loader, isELF)
		}
	}
	// The header of this file gives random positions for the file's parts.
	broken := append([]byte("\x7fELF\x02"), bytes.Repeat([]byte{0xff}, 200)...)
	if loader, isELF := readLoader(broken, shell); !isELF || loader != "" {
		t.Errorf("broken: %q %v", loader, isELF)
	}
}

func TestOpenUse_EachFlag_IsClassified(t *testing.T) {
	for _, test := range []struct {
		flags   uint64
		missing bool
		want    fileUse
	}{
		{unix.O_RDONLY, false, fileUse{read: true, follow: true}},
		{unix.O_RDONLY, true, fileUse{read: true, follow: true}},
		{unix.O_RDONLY | unix.O_CREAT, true, fileUse{write: true, creates: true, follow: true}},
		{unix.O_RDONLY | unix.O_CREAT, false, fileUse{read: true, creates: true, follow: true}},
		{unix.O_WRONLY | unix.O_APPEND, false, fileUse{write: true, follow: true}},
		{unix.O_RDWR, false, fileUse{read: true, write: true, follow: true}},
		{unix.O_RDWR | unix.O_CREAT, true, fileUse{write: true, follow: true}},
		{unix.O_RDWR | unix.O_TRUNC, false, fileUse{write: true, follow: true}},
		{unix.O_RDONLY | unix.O_TRUNC, false, fileUse{read: true, write: true, follow: true}},
		{unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL, true, fileUse{write: true}},
		{unix.O_PATH | unix.O_NOFOLLOW, false, fileUse{lookup: true}},
		{unix.O_RDWR | unix.O_TMPFILE, false, fileUse{lookup: true, follow: true}},
		{unix.O_RDONLY | unix.O_DIRECTORY, false, fileUse{read: true, follow: true}},
	} {
		if got := openUse(test.flags).settle(test.missing); got != test.want {
			t.Errorf("%#o, missing %v: %+v, want %+v", test.flags, test.missing, got, test.want)
		}
	}
}

func TestResolve_Links_AreFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "d/e"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"l":        "f",
		"dl":       "d",
		"abs":      dir + "/d",
		"deep":     "d/e",
		"loop":     "loop",
		"dangling": "d/../no/where",
		"self":     "/proc/self/cwd",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	pid := uint32(os.Getpid())
	for name, want := range map[string]struct {
		path    string
		missing bool
		links   string
	}{
		"f":              {"f", false, ""},
		"./d/..//f":      {"f", false, ""},
		"l":              {"f", false, "l"},
		"dl/e":           {"d/e", false, "dl"},
		"abs/e/.":        {"d/e", false, "abs"},
		"deep/../../f":   {"f", false, "deep"},
		"deep/..":        {"d", false, "deep"},
		"no/../f":        {"no", true, ""},
		"d/no":           {"d/no", true, ""},
		"f/no":           {"f/no", true, ""},
		"dangling":       {"no/where", true, "dangling"},
		"loop":           {"loop", true, "loop"},
		"self/f":         {"f", false, "self"},
		dir + "/l":       {"f", false, "l"},
		"/proc/self/cwd": {".", false, ""},
	} {
		got := newFileName(pid, unix.AT_FDCWD, name, true).resolve()
		links := slices.Compact(slices.Clone(got.links))
		if got.path != filepath.Join(dir, want.path) || got.missing != want.missing ||
			want.links != "" && !slices.Equal(links, []string{filepath.Join(dir, want.links)}) ||
			want.links == "" && len(links) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := newFileName(pid, unix.AT_FDCWD, "l", false).resolve(); got.path != dir+"/l" || got.missing {
		t.Errorf("the link itself: %+v", got)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if got := newFileName(pid, unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", r.Fd()), true).resolve(); got.path != "" {
		t.Errorf("a pipe: %+v", got)
	}
}

func TestLimitArgs_TooLongOrMany_AreTruncated(t *testing.T) {
	long := strings.Repeat("x", maxArgBytes+1)
	if got := limitArgs([]string{"a", long}); len(got) != 2 || len(got[1]) != maxArgBytes+len("…") {
		t.Errorf("%d arguments", len(got))
	}
	if got := limitArgs(make([]string, 10*maxArgs)); len(got) != maxArgs+1 || got[maxArgs] != "…" {
		t.Errorf("%d arguments", len(got))
	}
	if got := limitArgs(slices.Repeat([]string{long}, 100)); len(strings.Join(got, "")) > maxAllBytes+8 {
		t.Errorf("%d arguments", len(got))
	}
}

// batches are what a Tracer sent.
type batches struct {
	mu  sync.Mutex
	all []wire.TraceBatch
}

func (b *batches) add(one wire.TraceBatch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, one)
}

// TestTracer_ManyThreads: this process itself is traced. The size of packets is limited, each use is sent once, and a
// use never comes before its program.
func TestTracer_ManyThreads(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var got batches
	tracer := NewTracer(-1, []string{dir}, got.add)
	const threads, names = 8, 200
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for i := range names {
				path := append([]byte(fmt.Sprintf("%s/%s-%d", dir, strings.Repeat("n", 100), i)), 0)
				args := [6]uint64{uint64(^uint32(99)), uint64(uintptr(unsafe.Pointer(&path[0])))}
				errno := tracer.Observe(unix.SYS_OPENAT, uint32(unix.Gettid()), args, func() bool { return true })
				if errno != 0 {
					t.Error(errno)
				}
				runtime.KeepAlive(path)
			}
		})
	}
	all.Wait()
	tracer.Finish()
	tracer.Finish()
	programs, seen := 0, map[string]bool{}
	for i, one := range got.all {
		programs += len(one.Programs)
		for _, a := range one.Accesses {
			if a.Program >= programs {
				t.Errorf("program %d is not known yet", a.Program)
			}
			if a.Use != wire.UseRead || !a.Missing || seen[string(a.Path)] {
				t.Errorf("%+v", a)
			}
			seen[string(a.Path)] = true
		}
		packet, file, err := wire.Encode(wire.Answer{Trace: &one})
		if err != nil || file != nil || len(packet) > wire.PacketSize {
			t.Errorf("a packet of %d bytes: %v", len(packet), err)
		}
		if last := i == len(got.all)-1; one.Complete != last || one.Incomplete != "" {
			t.Errorf("batch %d of %d: %v %q", i, len(got.all), one.Complete, one.Incomplete)
		}
	}
	if len(seen) != names || programs != 1 || len(got.all) < 3 {
		t.Errorf("%d names, %d programs, %d batches", len(seen), programs, len(got.all))
	}
}

func TestTracer_UnreadableName(t *testing.T) {
	tracer := NewTracer(-1, []string{"/"}, func(wire.TraceBatch) {})
	for name, test := range map[string]struct {
		pid  int
		want unix.Errno
	}{"no memory there": {os.Getpid(), unix.EFAULT}, "no such process": {1 << 22, unix.EACCES}} {
		args := [6]uint64{0, 8}
		if got := tracer.Observe(unix.SYS_OPENAT, uint32(test.pid), args, func() bool { return true }); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
