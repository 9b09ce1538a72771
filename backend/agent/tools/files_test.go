package tools_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadFile_AnyFile_IsPaged(t *testing.T) {
	h := newFixture(t)
	var long strings.Builder
	for n := 1; n <= 1000; n++ {
		fmt.Fprintf(&long, "line %d\n", n)
	}
	h.put("long.txt", long.String())
	h.put("short.txt", "one\ntwo")
	h.put("empty.txt", "")
	h.put("zero.bin", "text and \x00 more")
	h.put("latin.txt", "caf\xe9")
	h.put("dir/x", "")
	if err := syscall.Mkfifo(filepath.Join(h.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(h.dir, "big"))
	if err := errors.Join(err, big.Truncate(17<<20), big.Close()); err != nil {
		t.Fatal(err)
	}

	h.good(h.do("read_file", "path", "short.txt"), "<output from=\"short.txt\">\none\ntwo\n</output>")
	h.good(h.do("read_file", "path", filepath.Join(h.dir, "dir/../short.txt")), "one\ntwo")
	h.good(h.do("read_file", "path", "empty.txt"), "empty.txt is empty")
	h.good(h.do("read_file", "path", "zero.bin"), "is binary, 15 bytes", "run_command")
	h.good(h.do("read_file", "path", "latin.txt"), "café", "Windows-1252")
	h.bad(h.do("read_file", "path", "missing.txt"), "missing.txt does not exist", "list_files")
	h.bad(h.do("read_file", "path", "dir"), "is a folder", "list_files")
	h.bad(h.do("read_file", "path", "pipe"), "not a regular file")
	h.bad(h.do("read_file", "path", "big"), "too many to read at once", "run_command")
	h.bad(h.do("read_file", "path", "a\x00b"), "invalid")
	h.bad(h.do("read_file", "path", strings.Repeat("n", 300)), "too long")

	for _, c := range []struct {
		line, lines int
		from, to    string // first and last line shown, "" if none
		note        string
	}{
		{0, 0, "line 1\n", "line 400\n", "lines 1 to 400 of 1000; line 401 continues"},
		{401, 0, "line 401\n", "line 800\n", "lines 401 to 800 of 1000; line 801 continues"},
		{990, 50, "line 990\n", "line 1000\n", "lines 990 to 1000 of 1000"},
		{1000, 1, "line 1000\n", "line 1000\n", "lines 1000 to 1000 of 1000"},
		{1, 1000, "line 1\n", "line 1000\n", ""},
		{-3, 2, "line 1\n", "line 2\n", "lines 1 to 2 of 1000; line 3 continues"},
		{2, 1<<63 - 1, "line 2\n", "line 1000\n", "lines 2 to 1000 of 1000"},
	} {
		r := h.do("read_file", "path", "long.txt", "line", c.line, "lines", c.lines)
		body := strings.TrimPrefix(r.Text, "<output from=\"long.txt\">\n")
		body, note, _ := strings.Cut(body, "</output>")
		if !r.OK || !strings.HasPrefix(body, c.from) || !strings.HasSuffix(body, c.to) || strings.TrimSpace(note) != c.note {
			t.Errorf("%d, %d: %.40q … %q", c.line, c.lines, body, note)
		}
	}
	h.bad(h.do("read_file", "path", "long.txt", "line", 1001), "long.txt has 1000 lines")
	h.bad(h.do("read_file", "path", "long.txt", "line", 1<<63-1, "lines", 1<<63-1), "has 1000 lines")
}

func TestWriteFile_NewAndExisting_AreWritten(t *testing.T) {
	h := newFixture(t)
	h.good(h.do("write_file", "path", "new/deep/file.txt", "content", "héllo\n"), "wrote new/deep/file.txt, 7 bytes")
	if got := h.get("new/deep/file.txt"); got != "héllo\n" {
		t.Errorf("%q", got)
	}
	h.good(h.do("write_file", "path", "new/deep/file.txt", "content", ""), "0 bytes")
	if got := h.get("new/deep/file.txt"); got != "" {
		t.Errorf("%q is left of what was there", got)
	}
	h.put("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(h.dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	h.good(h.do("write_file", "path", "run.sh", "content", "#!/bin/sh\ntrue\n"))
	if info, err := os.Stat(filepath.Join(h.dir, "run.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	h.bad(h.do("write_file", "path", "new", "content", ""), "not a regular file")
	h.bad(h.do("write_file", "path", ".", "content", ""), "not a regular file")
	h.bad(h.do("write_file", "path", "run.sh/below", "content", ""), "run.sh")
}

func TestEditFile_ExactText_IsReplaced(t *testing.T) {
	h := newFixture(t)
	const before = "one\ntwo\nthree\ntwo and a half\n"
	h.put("a.txt", before)
	h.bad(h.do("edit_file", "path", "a.txt", "old", "two", "new", "2"), "occurs 2 times", "unique")
	h.bad(h.do("edit_file", "path", "a.txt", "old", "four", "new", "4"), "does not occur in a.txt", "read_file")
	h.bad(h.do("edit_file", "path", "a.txt", "old", "", "new", "x"), "old is empty", "write_file")
	h.bad(h.do("edit_file", "path", "a.txt", "old", "one", "new", "one"), "nothing to change")
	h.bad(h.do("edit_file", "path", "b.txt", "old", "one", "new", "x"), "b.txt does not exist")
	if got := h.get("a.txt"); got != before {
		t.Errorf("a refused change made it %q", got)
	}
	h.bad(h.do("edit_file", "path", "a.txt", "old", "two", "new", "2"), "at lines 2, 4")
	h.put("b.go", "if x {\n\treturn\n}\n")
	h.bad(h.do("edit_file", "path", "b.go", "old", "if x {\n    return", "new", ""),
		"at line 1 it does with different white space", "\treturn")
	h.put("c.txt", "one\r\ntwo\r\n")
	h.good(h.do("read_file", "path", "c.txt"), "one\ntwo\n", "CRLF line ends, which edit_file and write_file keep")
	h.good(h.do("edit_file", "path", "c.txt", "old", "one\ntwo", "new", "1\n2"), "+1\n+2")
	if got := h.get("c.txt"); got != "1\r\n2\r\n" {
		t.Errorf("%q", got)
	}
	h.good(h.do("write_file", "path", "c.txt", "content", "new\nfile\n"), "11 bytes, as before CRLF line ends")
	if got := h.get("c.txt"); got != "new\r\nfile\r\n" {
		t.Errorf("%q", got)
	}
	if err := os.Remove(filepath.Join(h.dir, "b.go")); err != nil {
		t.Fatal(err)
	}
	h.good(h.do("edit_file", "path", "a.txt", "old", "three\n", "new", "drei\nvier\n"), "changed a.txt at line 3",
		"-three", "+drei\n+vier")
	if got := h.get("a.txt"); got != "one\ntwo\ndrei\nvier\ntwo and a half\n" {
		t.Errorf("%q", got)
	}
	h.good(h.do("edit_file", "path", "a.txt", "old", "one\n", "new", ""), "at line 1", "-one")
	if got := h.get("a.txt"); got != "two\ndrei\nvier\ntwo and a half\n" {
		t.Errorf("%q", got)
	}
}

func TestListFiles_Folder_IsListed(t *testing.T) {
	h := newFixture(t)
	h.good(h.do("list_files"), ". is empty")
	h.put("a.txt", "12345")
	h.put("sub/b.txt", "")
	h.put("sub/deep/c.txt", "")
	h.put(".git/config", "")
	h.put("node_modules/lib/index.js", "")
	h.link("/etc", "away")
	h.link("nowhere", "broken")
	flat := h.do("list_files")
	h.good(flat, "a.txt  5 bytes", "sub/", "away  (a link to /etc)", "broken  (a link to nowhere)")
	if strings.Contains(flat.Text, "b.txt") {
		t.Errorf("%q goes below", flat.Text)
	}
	deep := h.do("list_files", "recursive", true)
	h.good(deep, "sub/b.txt", "sub/deep/c.txt", ".git/", "node_modules/")
	for _, hidden := range []string{"config", "index.js", "passwd"} {
		if strings.Contains(deep.Text, hidden) {
			t.Errorf("%q shows %s", deep.Text, hidden)
		}
	}
	h.good(h.do("list_files", "path", "sub"), "sub/b.txt", "sub/deep/")
	h.good(h.do("list_files", "path", filepath.Join(h.dir, "sub")), "sub/b.txt")
	h.bad(h.do("list_files", "path", "a.txt"), "not a folder", "read_file")
	h.bad(h.do("list_files", "path", "nowhere"), "nowhere")
	h.bad(h.do("list_files", "path", ".."), "leads out")
	for n := range 510 {
		h.put(fmt.Sprintf("many/%03d", n), "")
	}
	many := h.do("list_files", "path", "many")
	h.good(many, "… and 10 more; list a subfolder")
	if n := strings.Count(many.Text, "bytes"); n != 500 {
		t.Errorf("%d files are listed", n)
	}
}

// TestFileTools_PathsAndLinks_NeverLeaveTheFolder: no path and no link leads out of the goal's folder.
func TestFileTools_PathsAndLinks_NeverLeaveTheFolder(t *testing.T) {
	h := newFixture(t)
	secret := filepath.Join(h.outside, "secret")
	if err := os.WriteFile(secret, []byte("TOP SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.link(h.outside, "absolute")
	h.link("../outside", "relative")
	h.link(secret, "file")
	h.link("absolute", "chain")
	h.link(filepath.Join(h.outside, "planted"), "dangling")
	h.link("../outside/planted", "dangling2")
	h.link("/proc/self/environ", "environ")
	h.link("loop", "loop")
	h.put("sub/x", "")
	h.link("../../outside/secret", "sub/up")
	for _, path := range []string{
		secret, "/etc/passwd", "../outside/secret", "sub/../../outside/secret", "./../outside/secret", "..", "/",
		"../goal2/x", h.dir + "/../outside/secret", h.dir + "x/secret",
		"absolute/secret", "relative/secret", "file", "chain/secret", "dangling", "dangling2", "absolute/planted",
		"absolute/new/planted", "environ", "loop", "sub/up", "absolute/../secret/x",
	} {
		for name, args := range map[string][]any{
			"read_file":  {"path", path},
			"write_file": {"path", path, "content", "PLANTED"},
			"edit_file":  {"path", path, "old", "TOP", "new", "PLANTED"},
			"list_files": {"path", path},
		} {
			// A path may be inside the folder after it is cleaned: absolute/../secret/x is secret/x.
			r := h.do(name, args...)
			if path == "absolute/../secret/x" {
				continue
			}
			h.bad(r)
			if strings.Contains(r.Text, "SECRET") || strings.Contains(r.Text, "root:") {
				t.Errorf("%s %s shows %q", name, path, r.Text)
			}
		}
	}
	h.untouched(secret)
}

// untouched checks that the outside folder has only its secret.
func (f *fixture) untouched(secret string) {
	f.Helper()
	b, err := os.ReadFile(secret)
	if err != nil || string(b) != "TOP SECRET" {
		f.Errorf("the secret became %q, %v", b, err)
	}
	all, err := os.ReadDir(f.outside)
	if err != nil || len(all) != 1 {
		f.Errorf("outside lies %v, %v", all, err)
	}
}

// TestFileTools_LinkToGitFolder_IsNotWritten: git runs commands of its configuration and its hooks outside the sandbox,
// so no tool writes them under any path.
func TestFileTools_LinkToGitFolder_IsNotWritten(t *testing.T) {
	h := newFixture(t)
	h.put(".git/config", "[core]\n")
	h.put(".git/hooks/README", "none")
	h.link(".git", "g")
	h.link(".git/hooks", "downloads")
	for _, path := range []string{"g/config", "g/commondir", "downloads/pre-commit", ".git/info/exclude"} {
		h.bad(h.do("write_file", "path", path, "content", "[core]\n\tfsmonitor = evil\n"), "git")
	}
	h.bad(h.do("edit_file", "path", "g/config", "old", "[core]", "new", "[alias]"), "is a link to .git")
	if h.get(".git/config") != "[core]\n" {
		t.Error(h.get(".git/config"))
	}
}

// TestWriteFile_LinkSwappedIn_StaysInTheFolder: a folder that becomes a link between the check and the write does not
// lead out either.
func TestWriteFile_LinkSwappedIn_StaysInTheFolder(t *testing.T) {
	h := newFixture(t)
	secret := filepath.Join(h.outside, "secret")
	if err := os.WriteFile(secret, []byte("TOP SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	place, link := filepath.Join(h.dir, "place"), filepath.Join(h.dir, "link")
	if err := errors.Join(os.Mkdir(place, 0o700), os.Symlink(h.outside, link)); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	swaps := 0
	var swapper sync.WaitGroup
	swapper.Go(func() { // place is a folder, then a link, then a folder …
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, place, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
			swaps++
		}
	})
	wrote, refused := 0, 0
	for range 800 {
		if h.do("write_file", "path", "place/planted", "content", "PLANTED").OK {
			wrote++
		} else {
			refused++
		}
		h.do("write_file", "path", "place/new/planted", "content", "PLANTED")
		if r := h.do("edit_file", "path", "place/secret", "old", "TOP", "new", "PLANTED"); r.OK {
			t.Fatalf("%s", r.Text)
		}
		if r := h.do("read_file", "path", "place/secret"); r.OK {
			t.Fatalf("%s", r.Text)
		}
		for _, c := range [][]any{
			{"search_files", "pattern", "SECRET"},
			{"search_files", "pattern", "SECRET", "path", "place", "all", true},
			{"list_files", "path", "place"},
		} {
			if r := h.do(c[0].(string), c[1:]...); strings.Contains(r.Text, "secret") || strings.Contains(r.Text, "TOP") {
				t.Fatalf("%v: %s", c, r.Text)
			}
		}
	}
	close(stop)
	swapper.Wait()
	h.untouched(secret)
	t.Logf("%d written, %d refused, %d swaps", wrote, refused, swaps)
	if wrote == 0 || refused == 0 || swaps == 0 {
		t.Error("the race was not run")
	}
}

// TestReadFile_PipeSwappedIn_DoesNotBlock: a file that becomes a pipe between check and open does not block the run for
// ever.
func TestReadFile_PipeSwappedIn_DoesNotBlock(t *testing.T) {
	h := newFixture(t)
	place, pipe := filepath.Join(h.dir, "place"), filepath.Join(h.dir, "other")
	h.put("place", "text")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() { // place is a file, then a pipe, then a file …
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, place, unix.AT_FDCWD, pipe, unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
		}
	})
	good, refused := 0, 0
	go func() {
		defer close(done)
		for range 2000 {
			for _, r := range []bool{
				h.do("read_file", "path", "place").OK,
				h.do("write_file", "path", "place", "content", "text").OK,
			} {
				if r {
					good++
				} else {
					refused++
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("a tool waits for a pipe")
	}
	close(stop)
	swapper.Wait()
	if good == 0 || refused == 0 {
		t.Errorf("the race was not run: %d good, %d refused", good, refused)
	}
}

func TestSearchFiles_Pattern_FindsLines(t *testing.T) {
	h := newFixture(t)
	h.put("a.go", "package a\n\nfunc One() {}\nfunc two() {}\n// tail\n")
	h.put("sub/b.go", "package b\r\nfunc One() {}\r\n")
	h.put("sub/c.ts", "function One() {}\n")
	h.put(".hidden/d.go", "func One() {}\n")
	h.put(".gitignore", "*.log\n!keep.log\n/out/\n")
	h.put("sub/.gitignore", "local.go\n")
	h.put(".git/info/exclude", "mine.go\nx.txt\n")
	h.put(".rgignore", "sub/seek.go\n!x.txt\n")
	h.put("mine.go", "func One()\n")
	h.put("sub/seek.go", "func One()\n")
	h.put("x.log", "func One()\n")
	h.put("keep.log", "func One()\n")
	h.put("out/o.go", "func One()\n")
	h.put("sub/local.go", "func One()\n")
	h.put("node_modules/m/i.go", "func One()\n")
	h.put("bin", "func One()\x00\n")
	h.link(h.outside, "away")
	if err := os.WriteFile(filepath.Join(h.outside, "secret.go"), []byte("func One() {}"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := h.do("search_files", "pattern", `func\s+One`)
	h.good(all, "3 matching lines", "a.go\n  3: func One() {}\n", "keep.log\n  1: func One()\n",
		"sub/b.go\n  2: func One() {}\n")
	for _, no := range []string{
		"hidden", "x.log", "out/", "local.go", "mine.go", "seek.go", "node_modules", "bin",
		"secret", "c.ts",
	} {
		if strings.Contains(all.Text, no) {
			t.Errorf("it found %s: %s", no, all.Text)
		}
	}
	h.good(h.do("search_files", "pattern", "func One", "all", true), "10 matching lines", ".hidden/d.go", "out/o.go",
		"x.log", "node_modules")
	h.good(h.do("search_files", "pattern", "One", "glob", "*.ts"), "1 matching lines", "sub/c.ts")
	h.put("huge.txt", strings.Repeat("nothing here\n", 400000)+"the needle\n")
	h.good(h.do("search_files", "pattern", "the needle"), "nothing matches",
		"files of more than 4 MB were not searched: 1, such as huge.txt")
	h.good(h.do("search_files", "pattern", "One", "glob", "sub/**"), "2 matching lines")
	h.good(h.do("search_files", "pattern", "One", "path", "sub"), "sub/b.go", "sub/c.ts")
	h.good(h.do("search_files", "pattern", "One", "path", "a.go"), "1 matching lines")
	h.good(h.do("search_files", "pattern", "^PACKAGE [ab]$", "ignore_case", true), "2 matching lines", "package a",
		"package b")
	h.good(h.do("search_files", "pattern", "() {}", "literal", true), "4 matching lines")
	h.good(h.do("search_files", "pattern", "func", "path", "a.go", "context", 1),
		"  2- \n  3: func One() {}\n  4: func two() {}\n  5- // tail\n")
	h.good(h.do("search_files", "pattern", "One", "files_only", true), "4 files", "a.go: 1\n", "sub/c.ts: 1\n")
	h.good(h.do("search_files", "pattern", "nowhere"), "nothing matches in 6 files", "all searches them")
	h.put("many.txt", strings.Repeat("hit\n", 250))
	h.good(h.do("search_files", "pattern", "hit"), "250 matching lines, 1 to 100 shown; set skip to 100")
	h.good(h.do("search_files", "pattern", "hit", "skip", 200), "201 to 250", "  250: hit")
	h.good(h.do("search_files", "pattern", "hit", "skip", 300), "none after the first 300")
	h.put("wide.txt", "needle"+strings.Repeat("x", 100_000))
	if r := h.do("search_files", "pattern", "needle"); len(r.Text) > 1000 || !r.OK {
		t.Errorf("a long line makes %d bytes", len(r.Text))
	}
	for _, c := range []struct {
		args []any
		says string
	}{
		{[]any{"pattern", "("}, "RE2"},
		{[]any{"pattern", ""}, "0 characters"},
		{[]any{"pattern", "x", "path", "../outside"}, "leads out"},
		{[]any{"pattern", "x", "path", "away/secret.go"}, ""},
		{[]any{"pattern", "x", "path", "nowhere"}, "nowhere"},
		{[]any{"pattern", "x", "context", 11}, "0 to 10"},
	} {
		h.bad(h.do("search_files", c.args...), c.says)
	}
}
