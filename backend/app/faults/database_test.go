package faults_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/store"
)

// databaseFaults damage the database of a goal that is done. Each command then names the next step and writes nothing
// into it, the folder can still be undone, and a copy can be restored.
func databaseFaults() (list []fault) {
	for name, damage := range map[string]func(t *testing.T, db string){
		"cut in half":         func(t *testing.T, db string) { cut(t, db, 2) },
		"cut to 100 bytes":    func(t *testing.T, db string) { resize(t, db, 100) },
		"empty":               func(t *testing.T, db string) { resize(t, db, 0) },
		"header overwritten":  func(t *testing.T, db string) { overwrite(t, db, 0, 32) },
		"schema overwritten":  func(t *testing.T, db string) { overwrite(t, db, 100, 3000) },
		"second page is gone": func(t *testing.T, db string) { overwrite(t, db, 4096, 4096) },
		"journal of writes is noise": func(t *testing.T, db string) {
			resize(t, db, 5000)
			put(t, db+"-wal", bytes.Repeat([]byte("noise"), 10000))
		},
		"another program's": func(t *testing.T, db string) {
			put(t, db, []byte(strings.Repeat("this is no database\n", 1000)))
		},
		"a folder": func(t *testing.T, db string) {
			if err := os.Remove(db); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(db, 0o755); err != nil {
				t.Fatal(err)
			}
		},
	} {
		isSlow := !slices.Contains([]string{"cut in half", "empty", "a folder"}, name)
		list = append(list, fault{"database", name, isSlow, func(t *testing.T) string {
			p := ended(t)
			damage(t, p.database())
			return p.survive(t)
		}})
	}
	return list
}

// ended returns a place with a goal that is done, and a copy of its database.
func ended(t *testing.T) place {
	t.Helper()
	w := newWork(t, 1)
	if problem := w.goalctl(t, w.runArgs()...).expect(exitDone); problem != "" {
		t.Fatal(problem)
	}
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Dir(w.database())})
	if err != nil {
		t.Fatal(err)
	}
	s.Backups.Start(t.Context(), nil) // the next program to start does this
	waittest.Until(t, "copy of the database", func() bool {
		copies, err := store.Copies(filepath.Dir(w.database()))
		return err != nil || len(copies) > 0
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return w.place
}

// survive uses a place with a damaged database, as its user would.
func (p place) survive(t *testing.T) string {
	before, _ := os.ReadFile(p.database())
	a := p.goalctl(t, "list")
	names := strings.Contains(a.output, "goalctl database restore") || strings.Contains(a.output, "goalctl doctor")
	if a.code == 0 || !names || strings.Contains(a.output, "CREATE TABLE") {
		return "list does not name the next step: " + tail(a.output)
	}
	if a := p.goalctl(t, "doctor"); !strings.Contains(a.output, "database") || !strings.Contains(a.output, "andbox") {
		return "doctor does not check the rest: " + tail(a.output)
	}
	goals, _ := os.ReadDir(filepath.Join(p.home, "state", "goals"))
	if len(goals) == 0 {
		return "the folder of the goal is gone"
	}
	if problem := p.goalctl(t, "undo", goals[0].Name()).expect(0); problem != "" {
		return "undo: " + problem
	}
	if _, err := os.Stat(filepath.Join(p.dir, "step-1")); err == nil {
		return "undo left the file of the goal"
	}
	if after, _ := os.ReadFile(p.database()); !bytes.Equal(before, after) {
		return "the damaged file was changed"
	}
	if problem := p.goalctl(t, "database", "restore").expect(0); problem != "" {
		return "restore: " + problem
	}
	return p.goalctl(t, "list").expect(0, "write the files")
}

func cut(t *testing.T, file string, by int64) {
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	resize(t, file, info.Size()/by)
}

func resize(t *testing.T, file string, size int64) {
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
}

// overwrite writes noise, the same in each run.
func overwrite(t *testing.T, file string, at, n int) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	noise := rand.New(rand.NewPCG(1, 2))
	for i := at; i < min(at+n, len(content)); i++ {
		content[i] = byte(noise.Uint32())
	}
	put(t, file, content)
}

func put(t *testing.T, file string, content []byte) {
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
