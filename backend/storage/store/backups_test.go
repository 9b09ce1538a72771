package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/lib/waittest"
)

// TestBackups_FirstStartOfADay_CopiesOnce opens a store on ten days, twice on each, and checks that the newest seven
// copies are kept, that each can be opened, and that no part of a copy stays.
func TestBackups_FirstStartOfADay_CopiesOnce(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	now := time.Date(2026, 11, 20, 9, 12, 0, 0, time.Local)
	s, err := Open(ctx, Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backups.copyOfToday(ctx); err != nil {
		t.Fatal(err)
	}
	if copies, err := Copies(dir); err != nil || len(copies) != 0 {
		t.Errorf("without goals: %v, %v", copies, err)
	}
	create(t, s)
	for range 10 {
		now = now.AddDate(0, 0, 1)
		for range 2 {
			if err := s.Backups.copyOfToday(ctx); err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Minute)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copies, err := Copies(dir)
	if err != nil || len(copies) != maxCopies {
		t.Fatalf("%v, %v", copies, err)
	}
	for i, c := range copies {
		if want := time.Date(2026, 11, 30-i, 9, 12+2*(9-i), 0, 0, time.Local); !c.At.Equal(want) {
			t.Errorf("copy %d is of %v, not %v", i, c.At, want)
		}
	}
	db, err := sql.Open("sqlite3", copies[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if n, err := readValue[int](ctx, db, "goals", "SELECT count(*) FROM goals"); err != nil || n != 1 {
		t.Errorf("%d goals, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "backups", "partial")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of a copy stays: %v", err)
	}
}

// TestBackups_NoCopyPossible_SaysWhy checks a full disk, a damaged page, and a copy that another process makes.
func TestBackups_NoCopyPossible_SaysWhy(t *testing.T) {
	ctx := t.Context()
	for name, test := range map[string]struct {
		free   uint64
		damage bool
		want   string
	}{
		"a full disk":    {free: 1 << 20, want: "the disk has 1 MiB left, and it needs 64 MiB"},
		"a damaged page": {free: 1 << 40, damage: true, want: "the database is damaged: *** in database main *** Tree"},
	} {
		dir := t.TempDir()
		s, err := Open(ctx, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		create(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if test.damage {
			overwritePage(t, filepath.Join(dir, "goalpost.db"), pageOf(t, dir, "goals"))
		}
		s, err = Open(ctx, Options{Dir: dir, Free: func() (uint64, error) { return test.free, nil }})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Backups.copyOfToday(ctx); err == nil || !strings.Contains(err.Error(), test.want) ||
			isDamage(err) != test.damage {
			t.Errorf("%s: %v", name, err)
		}
		if copies, err := Copies(dir); err != nil || len(copies) != 0 {
			t.Errorf("%s: %v, %v", name, copies, err)
		}
		if test.damage {
			reported := make(chan error, 1)
			s.Backups.Start(ctx, func(err error) { reported <- err })
			if err := <-reported; !isDamage(err) {
				t.Errorf("%s: reported %v", name, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBackups_Start_CopiesInTheBackground also checks that only one of two stores makes the copy.
func TestBackups_Start_CopiesInTheBackground(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	create(t, one)
	one.Backups.Start(context.Background(), nil)
	two.Backups.Start(context.Background(), nil)
	waittest.Until(t, "the copy", func() bool {
		copies, err := Copies(dir)
		return err == nil && len(copies) == 1
	})
}

// pageOf returns the number of the first page of a table or index, from 1.
func pageOf(t *testing.T, dir, name string) int {
	t.Helper()
	s := look(t, dir)
	n, err := readValue[int](t.Context(), s.connection.read, "page", "SELECT rootpage FROM sqlite_schema WHERE name = ?",
		name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// overwritePage fills a page with bytes that no page has.
func overwritePage(t *testing.T, path string, page int) {
	t.Helper()
	const size = 4096
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(strings.Repeat("#", size)), int64(page-1)*size)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
