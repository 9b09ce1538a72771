package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/entry/cli"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/fileio"
)

// damages are ways in which a database becomes unreadable, with what the user reads about each.
var damages = map[string]struct {
	problem string
	do      func(path string, content []byte) error
}{
	"cut off": {"is damaged: a part of it is missing", func(path string, b []byte) error {
		return os.WriteFile(path, b[:len(b)/4096/2*4096], 0o600)
	}},
	"cut off within the first page": {"is damaged", func(path string, b []byte) error {
		return os.WriteFile(path, b[:1000], 0o600)
	}},
	"header overwritten": {"is not a database", func(path string, b []byte) error {
		return os.WriteFile(path, append([]byte(strings.Repeat("x", 100)), b[100:]...), 0o600)
	}},
	"bits flipped in the schema": {"is damaged", func(path string, b []byte) error {
		b = bytes.ReplaceAll(b, []byte("CREATE TABLE goals"), []byte("CRAETE TABLE goals"))
		return os.WriteFile(path, b, 0o600)
	}},
	"not a database": {"is not a database", func(path string, _ []byte) error {
		return os.WriteFile(path, []byte(strings.Repeat("a letter home. ", 1000)), 0o600)
	}},
	"zero bytes": {"is empty, but the data of one goal is beside it", func(path string, _ []byte) error {
		return os.WriteFile(path, nil, 0o600)
	}},
	"missing": {"is missing, but the data of one goal is beside it", func(path string, _ []byte) error {
		return os.Remove(path)
	}},
	"a folder": {"is a folder, not a file", func(path string, _ []byte) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o700)
	}},
}

// dataFolder is a copy of a data folder with one goal, and the command line on it.
type dataFolder struct {
	t    *testing.T
	home string
	work string // the goal's folder, which all copies share
}

func (d dataFolder) database() string { return filepath.Join(d.home, "state", "goalpost.db") }

// run runs a command, and returns its output and errors with its exit code.
func (d dataFolder) run(args ...string) (string, int) {
	var out bytes.Buffer
	code := cli.Program{
		Name: "goalctl", Version: "test", Stdout: &out, Stderr: &out, Closing: defaultCloseWait,
		Getenv: func(name string) string {
			return map[string]string{"GOALPOST_HOME": d.home, "HOME": filepath.Dir(d.work)}[name]
		},
	}.Run(context.WithoutCancel(d.t.Context()), args)
	return out.String(), code
}

// expect runs a command and checks its exit code and that its output contains words.
func (d dataFolder) expect(code int, words string, args ...string) string {
	d.t.Helper()
	out, got := d.run(args...)
	if got != code || !strings.Contains(out, words) {
		d.t.Errorf("%q: exit %d, not %d with %q:\n%s", args, got, code, words, out)
	}
	for _, raw := range []string{"start:", "SQL", "sql:", "malformed", "schema"} {
		if strings.Contains(out, raw) {
			d.t.Errorf("%q says %q:\n%s", args, raw, out)
		}
	}
	return out
}

// makeDataFolder runs one goal, which writes done.txt, and copies the database once.
func makeDataFolder(t *testing.T) (d dataFolder, id string) {
	t.Helper()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	server := modeltest.New(t, play)
	root := t.TempDir()
	t.Setenv("HOME", root)
	d = dataFolder{t, filepath.Join(root, "home"), filepath.Join(root, "work")}
	if err := os.Mkdir(d.work, 0o700); err != nil {
		t.Fatal(err)
	}
	d.expect(0, "done", "run", "--unconfined", "--base-url", server.URL, "--model", "good", "--dir", d.work,
		"--check", "test -f done.txt", "write it")
	folders, err := os.ReadDir(filepath.Join(d.home, "state", "goals"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("%v, %v", folders, err)
	}
	return d, folders[0].Name()
}

// TestDatabase_Damaged_EachDoorWorksOrSaysWhatToDo damages real files and uses every command that should work without
// the database. No command changes the damaged file.
func TestDatabase_Damaged_EachDoorWorksOrSaysWhatToDo(t *testing.T) {
	whole, id := makeDataFolder(t)
	content, err := os.ReadFile(whole.database())
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.ReplaceAll(bytes.Clone(content), []byte("done.txt is there"), []byte("done.txt is theRe"))
	if err := os.WriteFile(whole.database(), flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	whole.expect(0, `"what":"damaged"`, "events", id)
	for _, command := range []string{"show", "report"} {
		whole.expect(0, "of this goal cannot be shown: bits changed on the disk", command, id)
	}
	whole.expect(0, "has damaged entries: bits changed on the disk in events ", "doctor")
	if err := os.RemoveAll(filepath.Join(whole.home, "state", "backups")); err != nil { // doctor may have begun one
		t.Fatal(err)
	}
	copyOfToday := filepath.Join(whole.home, "state", "backups", "goalpost-20261128T091200Z.db")
	if err := os.MkdirAll(filepath.Dir(copyOfToday), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			d := dataFolder{t, filepath.Join(t.TempDir(), "home"), whole.work}
			if err := os.CopyFS(d.home, os.DirFS(whole.home)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(d.home, "state"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := damage.do(d.database(), bytes.Clone(content)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(d.work, "done.txt"), []byte("done\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			damaged := hashOf(d.database())

			d.expect(7, damage.problem, "list")
			d.expect(7, "there is no copy of it yet. goalctl database new", "run", "--demo")
			if out := d.expect(0, damage.problem, "doctor"); !strings.Contains(out, "Sandbox:") {
				t.Errorf("doctor checks nothing else:\n%s", out)
			}
			d.expect(0, "done.txt", "diff", id[:8], "--stat")
			d.expect(0, "Nothing was recorded", "recording", id)
			d.expect(0, "1 file restored to the start of the goal", "undo", id)
			if _, err := os.Stat(filepath.Join(d.work, "done.txt")); !os.IsNotExist(err) {
				t.Errorf("after undo: %v", err)
			}
			if got := hashOf(d.database()); got != damaged {
				t.Error("the damaged file was changed")
			}

			d.expect(2, "there is no copy", "database", "restore")
			if err := os.WriteFile(filepath.Join(d.home, "state", "backups", filepath.Base(copyOfToday)), content,
				0o600); err != nil {
				t.Fatal(err)
			}
			d.expect(7, "goalctl database restore brings back the copy of 2026-11-28", "list")
			out := d.expect(0, "is restored", "database", "restore")
			if _, path, ok := strings.Cut(out, "is kept: "); ok && hashOf(strings.TrimSpace(path)) != damaged ||
				!ok && name != "missing" {
				t.Errorf("the damaged file is not kept: %s", out)
			}
			d.expect(0, id[len(id)-8:], "list")

			for _, command := range []string{"new", "restore"} {
				d.expect(2, "the database is sound and has 1 goal", "database", command)
			}
			d.expect(0, id[len(id)-8:], "list")
			if err := os.Remove(d.database()); err != nil {
				t.Fatal(err)
			}
			d.expect(0, "has no goals", "database", "new")
			d.expect(0, "No goals.", "list")
		})
	}
}

// hashOf returns the hash of a file, "" if it cannot be read.
func hashOf(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return fileio.Hash(b)
}
